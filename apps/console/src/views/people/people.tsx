import { useState } from 'react';
import { useAddress } from '../../behaviour/address.ts';
import { useMay } from '../../data/account.ts';
import {
  type AuditEntry,
  type Member,
  type Role,
  useAddMember,
  useAudit,
  useChangeRole,
  useHasSignIn,
  useMembers,
  useRemoveMember,
} from '../../data/members.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { type Control, Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, Problem, SheetOf } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, useToastFailure } from '../../ui/toast.tsx';
import css from './people.module.css';

const TABS = ['members', 'audit'] as const;

/** Who may sign in to the account, and who changed what. */
export function People() {
  const t = useText().people;
  const address = useAddress();
  const tab = useTab(TABS);
  const hasSignIn = useHasSignIn();
  return (
    <>
      <PageHead title={t.title}>
        {tab === 'members' && hasSignIn && (
          <Button look="primary" onClick={() => address.open({ add: '1' })}>
            {t.add}
          </Button>
        )}
      </PageHead>
      <Tabs label={t.title} tabs={TABS.map((name) => ({ name, label: t[name] }))} />
      {tab === 'members' ? <Members hasSignIn={hasSignIn ?? true} /> : <Audit />}
      {hasSignIn && address.get('add') !== null && <AddMember onClose={() => address.close({ add: null })} />}
    </>
  );
}

function Members({ hasSignIn }: { hasSignIn: boolean }) {
  const t = useText().people;
  const members = useMembers();
  return (
    <SheetOf read={members} isBusy={members.isFetching} blank={{ rows: 3 }}>
      {(data) =>
        data.length === 0 ? (
          <EmptyState title={hasSignIn ? t.none : t.off}>
            <p>{hasSignIn ? t.noneWhat : t.offWhat}</p>
          </EmptyState>
        ) : (
          <ul>
            {data.map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                isLastAdmin={member.role === 'admin' && data.filter(({ role }) => role === 'admin').length === 1}
              />
            ))}
          </ul>
        )
      }
    </SheetOf>
  );
}

function MemberRow({ member, isLastAdmin }: { member: Member; isLastAdmin: boolean }) {
  const t = useText().people;
  const { id, email, name, role, invited_by, last_sign_in_at, is_current } = member;
  const change = useChangeRole();
  const removal = useRemoveMember();
  const toastFailure = useToastFailure();
  const [isAsking, setAsking] = useState(false);
  const give = (chosen: Role) =>
    change.mutate(
      { id, role: chosen },
      { onSuccess: () => toast(t.changed(email, t.roleNames[chosen])), onError: toastFailure },
    );
  return (
    <li className={css.row}>
      <div className={css.who}>
        <strong>{name ?? email}</strong>
        {name !== null && <span className="muted">{email}</span>}
        {is_current && <Pill tone="blue">{t.you}</Pill>}
      </div>
      <p className={css.facts}>
        <span>{t.invitedBy(invited_by === 'operator' ? t.operator : invited_by)}</span>
        {last_sign_in_at === null ? (
          <span>{t.never}</span>
        ) : (
          <span>
            {t.lastSignIn} <Time at={last_sign_in_at} />
          </span>
        )}
      </p>
      {isLastAdmin ? (
        <p className={css.act}>
          <span className="muted">{t.lastAdmin}</span>
        </p>
      ) : (
        <div className={css.act}>
          <RoleSelect
            control={{ className: css.select, 'aria-label': t.changeRole(email) }}
            value={role}
            onChange={give}
            isBusy={change.isPending}
          />
          <Button look="danger" onClick={() => setAsking(true)} data-row="">
            {t.remove}
            <span className="unseen"> {email}</span>
          </Button>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={t.removeSure(email)}
          action={t.remove}
          look="danger"
          isRunning={removal.isPending}
          error={removal.error}
          onConfirm={() => removal.mutate(id, { onSuccess: () => toast(t.removed(email)) })}
          onClose={() => setAsking(false)}
        >
          <p>{t.removeWhat}</p>
        </Confirm>
      )}
    </li>
  );
}

/** The scopes of each role: nobody grants more than they may do themselves. */
const ROLES = {
  viewer: ['read'],
  editor: ['read', 'write'],
  developer: ['read', 'write', 'webhooks'],
  admin: ['read', 'write', 'webhooks', 'admin'],
} as const satisfies Record<Role, readonly string[]>;

type RoleSelectProps = {
  control: Control | { className: string | undefined; 'aria-label': string };
  value: Role;
  onChange(role: Role): void;
  isBusy?: boolean;
};

function RoleSelect({ control, value, onChange, isBusy = false }: RoleSelectProps) {
  const t = useText().people;
  const may = useMay();
  const offered = (Object.keys(ROLES) as Role[]).filter((role) => role === value || ROLES[role].every(may));
  return (
    <select {...control} value={value} disabled={isBusy} onChange={({ target }) => onChange(target.value as Role)}>
      {offered.map((role) => (
        <option key={role} value={role}>
          {t.roleNames[role]}
        </option>
      ))}
    </select>
  );
}

function AddMember({ onClose }: { onClose(): void }) {
  const text = useText();
  const t = text.people;
  const add = useAddMember();
  const [role, setRole] = useState<Role>('viewer');
  const [isMissing, setMissing] = useState(false);
  const submit = (data: FormData) => {
    const email = String(data.get('email') ?? '').trim();
    setMissing(email === '');
    if (email === '') return;
    const onSuccess = ({ email: added }: Member) => {
      toast(t.added(added));
      onClose();
    };
    add.mutate({ email, role }, { onSuccess });
  };
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <Field label={t.email} hint={t.emailHint} error={isMissing ? t.emailMissing : undefined}>
          {(control) => <input {...control} name="email" type="email" maxLength={254} autoComplete="off" />}
        </Field>
        <Field label={t.role} hint={t.roleWhat[role]}>
          {(control) => <RoleSelect control={control} value={role} onChange={setRole} />}
        </Field>
        {add.error && <Problem error={add.error} />}
        <div className="actions">
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.add}
          </Button>
          <Button onClick={onClose}>{text.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Audit() {
  const t = useText().people;
  const audit = useAudit();
  const { isFetching, hasNextPage, fetchNextPage } = audit;
  return (
    <SheetOf read={audit} isBusy={isFetching}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries);
        if (entries.length === 0) return <EmptyState title={t.noEntries} />;
        return (
          <>
            <ol>
              {entries.map((entry) => (
                <li key={entry.id} className={css.entry}>
                  <span className={css.words}>
                    <strong>{entry.actor.name ?? t.someone[entry.actor.kind]}</strong> <Changed entry={entry} />
                  </span>
                  <span className="muted">
                    <Time at={entry.at} /> {entry.details.ip && t.from(entry.details.ip)}
                  </span>
                </li>
              ))}
            </ol>
            {hasNextPage && (
              <div className={css.more}>
                <Button onClick={() => fetchNextPage()} busy={isFetching}>
                  {t.more}
                </Button>
              </div>
            )}
          </>
        );
      }}
    </SheetOf>
  );
}

/** Says what was changed; an operation that this console does not know is shown by its name. */
function Changed({ entry: { action, object, details } }: { entry: AuditEntry }) {
  const t = useText().people;
  const known: Partial<Record<string, (what: string) => string>> = t.actions;
  const toggled = { true: t.enabled, false: t.disabled }[details.enabled ?? ''];
  const say = (action === 'PATCH /webhooks/:id' && toggled) || known[action];
  const roles: Partial<Record<string, string>> = t.roleNames;
  const more = [
    details.role && (roles[details.role] ?? details.role),
    details.matched && t.parcels(Number(details.matched)),
  ];
  const said = more.filter(Boolean).join(', ');
  return (
    <>
      {say ? say(object?.name ?? object?.id ?? '') : <code>{action}</code>}
      {said && ` · ${said}`}
    </>
  );
}
