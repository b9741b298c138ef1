import type { Account, AccountChange, Include } from '@pts/client/types';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { localDay } from '../../behaviour/dates.ts';
import { useAccount, useChangeAccount, useMay, useMe, useRequestLimits } from '../../data/account.ts';
import { useKeys } from '../../data/keys.ts';
import { useFormat } from '../../i18n/format.ts';
import { spoken, useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { useStore } from '../../session/store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copy, Cut } from '../../ui/copy.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Loaded, Problem } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './settings.module.css';

/** A section that is not there yet. */
export const BLANK = { rows: 3 };

/** Whose account it is, and with which key the reader is signed in. */
export function AccountFacts() {
  const { settings: t, keys } = useText();
  return (
    <Loaded read={useMe()} blank={BLANK}>
      {({ name, account_id, key }) => (
        <dl className={css.facts}>
          <dt>{t.accountName}</dt>
          <dd>{name}</dd>
          <dt>{t.id}</dt>
          <dd>
            <Cut value={account_id} /> <Copy value={account_id} />
          </dd>
          <dt>{t.signedInWith}</dt>
          <dd>
            {key.name ?? keys.unnamed} <code>{key.hint}</code>
          </dd>
          <dt>{keys.scopes}</dt>
          <dd className={css.pills}>
            {key.scopes.map((scope) => (
              <Pill key={scope} tone="grey">
                {keys.scopeNames[scope]}
              </Pill>
            ))}
          </dd>
        </dl>
      )}
    </Loaded>
  );
}

/** The plan, and how much of its quota this month has used. */
export function Usage() {
  const { settings: t, account: words, quota } = useText();
  const format = useFormat();
  return (
    <>
      <Loaded read={useAccount()} blank={BLANK}>
        {({ quota_used: used, quota_limit: limit, quota_remaining: left, period_start, resets_at, plan }) => (
          <>
            <p className={css.used}>
              <strong>{quota.share(format.number(used), format.number(limit))}</strong> {t.units}
            </p>
            <meter
              className={css.meter}
              aria-label={quota.title}
              max={Math.max(limit, 1)}
              high={0.8 * limit}
              optimum={0}
              value={Math.min(used, limit)}
            />
            <dl className={css.facts}>
              <dt>{words.plan}</dt>
              <dd>{plan}</dd>
              <dt>{t.unitsLeft}</dt>
              <dd>{format.number(left)}</dd>
              <dt>{quota.reset}</dt>
              <dd>
                <FullTime at={resets_at} />
              </dd>
            </dl>
            <p className="muted">
              {t.unitsWhat}{' '}
              <Link href={`/shipments?sort=-created_at&created=${localDay(new Date(period_start))}..`}>
                {t.thisMonth}
              </Link>
            </p>
          </>
        )}
      </Loaded>
      <RequestLimits />
    </>
  );
}

/** How many requests a second each operation accepts; read when the reader asks for it. */
function RequestLimits() {
  const { settings: t } = useText();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const limits = useRequestLimits({ isEnabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.limits}</summary>
      <div className={css.limits}>
        <p className="muted">{t.limitsWhat}</p>
        {isOpen && (
          <Loaded read={limits}>
            {(data) => (
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.operations}</th>
                    <th scope="col" className={css.amount}>
                      {t.perSecond}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({ name, requests, operations }) => (
                    <tr key={name}>
                      <td>
                        <ul>
                          {operations.map((operation) => (
                            <li key={operation}>
                              <code>{operation}</code>
                            </li>
                          ))}
                        </ul>
                      </td>
                      <td className={css.amount}>{format.number(requests)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Loaded>
        )}
      </div>
    </details>
  );
}

const INCLUDES = Object.keys({
  ...{ problem: true, milestones: true, proof: true, scans: true, links: true, pickup: true },
} satisfies Record<Include, true>) as Include[];
type PushLanguage = NonNullable<Account['lang']>;
const LANGUAGES = Object.keys({
  ...{ en: true, zh: true, de: true, fr: true, es: true, it: true, pt: true, ja: true, ko: true, ar: true },
} satisfies Record<PushLanguage, true>) as PushLanguage[];

/** Which optional fields answers and pushes have, and in which language their texts are. */
export function Fields() {
  const { settings: t } = useText();
  const { tag } = useStore(spoken);
  const nameOf = new Intl.DisplayNames(tag, { type: 'language' });
  return (
    <AccountForm fields={['lang']}>
      {({ account, change, set, faultAt }) => {
        const include = change.include ?? account.include ?? [];
        return (
          <>
            <fieldset>
              <legend>{t.include}</legend>
              <p className="muted">{t.includeWhat}</p>
              {INCLUDES.map((name) => (
                <Check
                  key={name}
                  label={
                    <>
                      {t.includes[name]} <code className="muted">{name}</code>
                    </>
                  }
                  checked={include.includes(name)}
                  onChange={(on) =>
                    set({ include: INCLUDES.filter((one) => (one === name ? on : include.includes(one))) })
                  }
                />
              ))}
            </fieldset>
            <Field label={t.textLanguage} hint={t.textLanguageHint} error={faultAt('lang', t.textLanguage)}>
              {(control) => (
                <select
                  {...control}
                  value={change.lang ?? account.lang ?? ''}
                  onChange={({ target }) => set({ lang: target.value as PushLanguage | '' })}
                >
                  <option value="">{t.noLanguage}</option>
                  {LANGUAGES.map((language) => (
                    <option key={language} value={language}>
                      {nameOf.of(language)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </>
        );
      }}
    </AccountForm>
  );
}

type Days = NonNullable<NonNullable<Account['attention']>['days']>;
/** The days of an account that has chosen none, and the fewest that are accepted. */
const USUAL_DAYS = {
  pending: { usual: 3, least: 1 },
  info_received: { usual: 5, least: 1 },
  in_transit: { usual: 7, least: 1 },
  out_for_delivery: { usual: 2, least: 1 },
  available_for_pickup: { usual: 0, least: 0 },
} as const satisfies Record<keyof Days, { usual: number; least: number }>;
const STATES = Object.keys(USUAL_DAYS) as (keyof Days)[];
const MOST_DAYS = 29;

/** After how many days a parcel needs attention, and whether that causes events. */
export function Attention() {
  const { settings: t } = useText();
  return (
    <AccountForm fields={['attention']}>
      {({ account, change, set, faultAt }) => {
        const chosen = { ...account.attention?.days, ...change.attention?.days };
        const setDays = (days: Days) =>
          set({ attention: { ...change.attention, days: { ...change.attention?.days, ...days } } });
        return (
          <>
            <p className="muted">{t.attentionWhat}</p>
            <div className={css.days}>
              {STATES.map((state) => {
                const { usual, least } = USUAL_DAYS[state];
                const days = chosen[state] ?? usual;
                return (
                  <Field
                    key={state}
                    label={t.days[state]}
                    hint={t.usualDays(usual)}
                    error={faultAt(`attention.days.${state}`, t.days[state])}
                  >
                    {(control) => (
                      <input
                        {...control}
                        type="number"
                        required
                        min={least}
                        max={MOST_DAYS}
                        // Not a number while it is empty.
                        value={Number.isNaN(days) ? '' : days}
                        onChange={({ target }) => setDays({ [state]: target.valueAsNumber })}
                      />
                    )}
                  </Field>
                );
              })}
            </div>
            <Check
              label={
                <>
                  {t.attentionEvents} <code className="muted">tracking_attention</code>
                </>
              }
              checked={change.attention?.events ?? account.attention?.events ?? false}
              onChange={(events) => set({ attention: { ...change.attention, events } })}
            />
          </>
        );
      }}
    </AccountForm>
  );
}

/** How many keys there are; they are managed in a view of their own. */
export function KeySummary() {
  const { settings: t } = useText();
  const { data: keys } = useKeys();
  return (
    <div className={css.line}>
      <p>{keys ? t.keyCount(keys.length) : t.keysWhat}</p>
      <ButtonLink href="/keys">{t.manageKeys}</ButtonLink>
    </div>
  );
}

type Editing = {
  account: Account;
  /** The changes that are not saved yet. */
  change: AccountChange;
  set(some: AccountChange): void;
  faultAt(field: string, label: string): string | null;
};

/** Some settings of the account: they are saved by themselves, and what is refused is said at its field. */
function AccountForm({ fields, children }: { fields: readonly string[]; children(editing: Editing): ReactNode }) {
  const text = useText();
  const may = useMay();
  const read = useAccount();
  const save = useChangeAccount();
  const [change, setChange] = useState<AccountChange>({});
  const isChanged = Object.keys(change).length > 0;
  const saved = () => {
    // What was typed meanwhile is still to be saved.
    setChange((now) => (now === change ? {} : now));
    toast(text.webhooks.saved);
  };
  return (
    <Loaded read={read} blank={BLANK}>
      {(account) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // The service refuses a change of nothing.
            if (isChanged) save.mutate(change, { onSuccess: saved });
            else saved();
          }}
        >
          <fieldset className={css.fields} disabled={!may('admin')}>
            {children({
              account,
              change,
              set: (some) => setChange((before) => ({ ...before, ...some })),
              faultAt: (field, label) => faultOf(save.error, field, label, text),
            })}
            {save.error && <Problem error={save.error} fields={fields} />}
            <div>
              <Button type="submit" look="primary" busy={save.isPending}>
                {text.save}
              </Button>
            </div>
          </fieldset>
        </form>
      )}
    </Loaded>
  );
}
