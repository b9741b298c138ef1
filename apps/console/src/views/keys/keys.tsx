import { isApiError } from '@pts/client/errors';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { startOfDay } from '../../behaviour/dates.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { type Scope, useMe } from '../../data/account.ts';
import { type ApiKey, type CreatedApiKey, useCreateKey, useKeys } from '../../data/keys.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { faultOf } from '../../session/failure.ts';
import { enterTestMode } from '../../session/session.ts';
import { createStore, useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Fault, Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { NewSecret } from '../../ui/secret.tsx';
import { Problem, SheetOf } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { toastWithUndo, useToastFailure } from '../../ui/toast.tsx';
import css from './keys.module.css';

/** The keys of the account: what each may do, and when it was last used. */
export function Keys() {
  const { keys: t } = useText();
  const address = useAddress();
  const keys = useKeys();
  const hidden = useStore(revoking);
  const { data: me } = useMe();
  const creating = address.get('create');
  // Not in the form: a key is shown also if the form was closed before it was there.
  const create = useCreateKey();
  const close = () => {
    create.forget();
    address.close({ create: null });
  };
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  return (
    <>
      <PageHead title={t.title}>
        {keys.data && (
          <>
            {me?.test_keys && <Button onClick={() => address.open({ create: 'test' })}>{t.tryTest}</Button>}
            <Button look="primary" onClick={() => address.open({ create: '1' })}>
              {t.create}
            </Button>
          </>
        )}
      </PageHead>
      <SheetOf read={keys} isBusy={keys.isFetching} blank={{ rows: 3 }}>
        {(data) => {
          const shown = data.filter(({ id }) => !hidden.has(id));
          const admins = shown.filter(({ scopes }) => scopes.includes('admin'));
          return (
            <ul>
              {shown.map((key) => (
                <KeyRow key={key.id} apiKey={key} isLastAdmin={admins.length === 1 && admins[0] === key} />
              ))}
            </ul>
          );
        }}
      </SheetOf>
      {create.data && <Created created={create.data} onClose={close} />}
      {creating !== null && !create.data && (
        <CreateKey isTest={creating === 'test'} mayBeTest={me?.test_keys === true} create={create} onClose={close} />
      )}
    </>
  );
}

/** One key, identified by its name and by its first and last characters. */
function KeyRow({ apiKey, isLastAdmin }: { apiKey: ApiKey; isLastAdmin: boolean }) {
  const { keys: t, testMode } = useText();
  const revoke = useRevoke();
  const { name, hint, scopes, last_used_at, networks, is_current } = apiKey;
  return (
    <li className={css.row}>
      <div className={css.who}>
        <strong>{name ?? t.unnamed}</strong>
        <code>{hint}</code>
        {apiKey.test && <Pill tone="violet">{testMode.title}</Pill>}
        {is_current && <Pill tone="blue">{t.current}</Pill>}
      </div>
      <ul className={css.scopes} aria-label={t.scopes}>
        {scopes.map((scope) => (
          <li key={scope}>
            <Pill tone="grey">{t.scopeNames[scope]}</Pill>
          </li>
        ))}
      </ul>
      <p className={css.facts}>
        <span>
          {last_used_at ? (
            <>
              {t.used} <Time at={last_used_at} />
            </>
          ) : (
            t.neverUsed
          )}
        </span>
        <Expiry at={apiKey.expires_at} />
        <span className={css.networks}>
          {networks.length === 0 ? (
            t.everywhere
          ) : (
            <>
              {t.from(networks.join(', '))} <Copy value={networks.join(', ')} />
            </>
          )}
        </span>
      </p>
      <div className={css.act}>
        {isLastAdmin ? (
          <span className={css.note}>{t.lastAdmin}</span>
        ) : (
          <Button look="danger" onClick={() => revoke(apiKey)} data-row="">
            {t.revoke}
            <span className="unseen"> {name ?? hint}</span>
          </Button>
        )}
      </div>
    </li>
  );
}

function Expiry({ at }: { at: string | null }) {
  const t = useText().keys;
  const format = useFormat();
  const now = useNow();
  if (at === null) return <span>{t.noExpiry}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={format.full(date)} className={date.getTime() < now ? css.expired : undefined}>
      {date.getTime() < now ? t.expired(format.day(date)) : t.expires(format.day(date))}
    </time>
  );
}

const SCOPES = ['read', 'write', 'webhooks', 'admin'] as const satisfies readonly Scope[];
/** Test keys manage no keys. */
const TEST_SCOPES = ['read', 'write', 'webhooks'] as const satisfies readonly Scope[];
const SEPARATORS = /[\s,;]+/;

type CreateKeyProps = {
  /** Whether a test key is proposed. */
  isTest: boolean;
  /** Whether the installation has test keys. */
  mayBeTest: boolean;
  create: ReturnType<typeof useCreateKey>;
  onClose(): void;
};

/** Creates a key with at most what the reader's own one has. */
function CreateKey({ isTest, mayBeTest, create, onClose }: CreateKeyProps) {
  const text = useText();
  const t = text.keys;
  const { data: me } = useMe();
  const [wantsTest, setWantsTest] = useState(isTest);
  const [chosen, setScopes] = useState<readonly Scope[]>(isTest ? TEST_SCOPES : ['read']);
  const [isEmpty, setEmpty] = useState(false);
  const own = me?.key.scopes ?? SCOPES;
  const offered = (wantsTest ? TEST_SCOPES : SCOPES).filter((scope) => own.includes(scope));
  const scopes = chosen.filter((scope) => offered.includes(scope));

  const faultAt = (name: string, label: string) => faultOf(create.error, name, label, text);
  const submit = (data: FormData) => {
    const textOf = (name: string) => String(data.get(name) ?? '').trim();
    const networks = textOf('networks').split(SEPARATORS).filter(Boolean);
    const [name, expires] = [textOf('name'), textOf('expires')];
    setEmpty(scopes.length === 0);
    if (scopes.length === 0) return create.reset();
    create.mutate({
      scopes,
      ...(wantsTest ? { test: true } : {}),
      ...(name === '' ? {} : { name }),
      ...(expires === '' ? {} : { expires_at: endOf(expires).toISOString() }),
      ...(networks.length === 0 ? {} : { networks }),
    });
  };

  return (
    <Dialog title={t.create} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <Field label={t.name} hint={t.nameHint}>
          {(control) => <input {...control} name="name" maxLength={100} autoComplete="off" />}
        </Field>
        {mayBeTest && (
          <Check
            label={
              <>
                {t.test} <span className="muted">{t.testWhat}</span>
              </>
            }
            checked={wantsTest}
            onChange={setWantsTest}
          />
        )}
        <fieldset>
          <legend>{t.scopes}</legend>
          {offered.map((scope) => (
            <Check
              key={scope}
              label={
                <>
                  {t.scopeNames[scope]} <span className="muted">{t.scopeWhat[scope]}</span>
                </>
              }
              checked={scopes.includes(scope)}
              onChange={(on) => setScopes(SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))))}
            />
          ))}
          {isEmpty && scopes.length === 0 && <Fault>{t.noScope}</Fault>}
        </fieldset>
        <Field label={t.until} hint={t.untilHint} error={faultAt('expires_at', t.until)}>
          {(control) => <input {...control} type="date" name="expires" />}
        </Field>
        <Field label={t.networks} hint={t.networksHint} error={faultAt('networks', t.networks)}>
          {(control) => <textarea {...control} name="networks" rows={2} spellCheck={false} />}
        </Field>
        {create.error && <Problem error={create.error} fields={['expires_at', 'networks']} />}
        <div className="actions">
          <Button type="submit" look="primary" busy={create.isPending}>
            {t.create}
          </Button>
          <Button onClick={onClose}>{text.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The last second of a day, in the time zone of the reader: the next one would be shown as the day after. */
function endOf(day: string): Date {
  return new Date(startOfDay(new Date(`${day}T00:00`), 1).getTime() - 1000);
}

/** A key that is shown this once. */
function Created({ created: { key, name, hint, test }, onClose }: { created: CreatedApiKey; onClose(): void }) {
  const t = useText().keys;
  const [, navigate] = useLocation();
  const openTest = () => {
    navigate('/');
    enterTestMode(key);
  };
  return (
    <NewSecret
      title={t.created(name ?? hint)}
      value={key}
      onClose={onClose}
      actions={test && <Button onClick={openTest}>{t.openTest}</Button>}
    />
  );
}

/** The keys that are about to be revoked: the list hides them already. */
const revoking = createStore<ReadonlySet<string>>(new Set());

function hide(id: string, isHidden: boolean): void {
  const others = [...revoking.get()].filter((other) => other !== id);
  revoking.set(new Set(isHidden ? [...others, id] : others));
}

/** Revokes a key, unless it is undone within ten seconds: only then is it sent. */
function useRevoke(): (key: ApiKey) => void {
  const t = useText().keys;
  const toastFailure = useToastFailure();
  const client = useClient();
  const queries = useQueryClient();
  return ({ id, name, hint }) => {
    hide(id, true);
    const send = async () => {
      try {
        await client.keys.revoke(id);
      } catch (error) {
        // One that is gone already was revoked elsewhere, or by an attempt whose answer was lost.
        if (!isApiError(error, 'not_found')) toastFailure(error);
      }
      await queries.invalidateQueries({ queryKey: ['keys'] });
      hide(id, false);
    };
    toastWithUndo(t.revoked(name ?? hint), { undo: () => hide(id, false), done: () => void send() });
  };
}
