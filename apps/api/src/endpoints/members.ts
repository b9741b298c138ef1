import { limitOf } from '@pts/contract/common';
import * as contract from '@pts/contract/members';
import type { Infer } from '@pts/contract/schema';
import { refusedField } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { toUtcSeconds } from '@pts/core/time';
import { listMembers as list, type Member } from '@pts/db/accounts/members';
import { type KeptEntry, pageOfAudit } from '@pts/db/audit';
import { addMember as add, changeMember as change, removeMember as remove } from '@pts/service/members';
import type { ApiDeps } from '../deps.ts';
import { pageOf } from '../http/answers.ts';
import { type Caller, operation } from '../http/operation.ts';

/** GET /account/members */
export const listMembers = operation(contract.listMembers, {
  async run({ db }, caller) {
    const members = await list(db, caller.account.id);
    return { count: members.length, members: members.map((member) => viewMember(member, caller)) };
  },
});

/** POST /account/members */
export const addMember = operation(contract.addMember, {
  run: async (deps, caller, wanted) => viewMember(await add(deps, caller.account.id, wanted, caller.key), caller),
});

/** PATCH /account/members/{id} */
export const updateMember = operation(contract.updateMember, {
  run: async (deps, caller, wanted) =>
    viewMember(await change(deps, { ...wanted, accountId: caller.account.id }, caller.key), caller),
});

/** DELETE /account/members/{id} */
export const removeMember = operation(contract.removeMember, {
  async run(deps, { account, key }, { id }) {
    await remove(deps, { accountId: account.id, id }, key);
    return { id };
  },
});

function viewMember({ id, email, name, role, invitedBy, createdAt, lastSignInAt }: Member, { key }: Caller) {
  return {
    id,
    email,
    name,
    role,
    invited_by: invitedBy,
    created_at: toUtcSeconds(createdAt),
    last_sign_in_at: lastSignInAt && toUtcSeconds(lastSignInAt),
    is_current: key.memberId === id,
  };
}

/** GET /account/audit */
export const listAudit = operation(contract.listAudit, {
  async run(deps, { account: { id: accountId } }, { limit: limitText, before: after }) {
    const limit = limitOf(limitText);
    const place = after === undefined ? [] : deps.tokens.open({ kind: 'audit', accountId }, after);
    if (place === null) throw refusedField('before', message('field.audit_cursor'));
    const found = await pageOfAudit(deps.db, { accountId, before: place[0], limit: limit + 1 });
    const { page, last } = pageOf(found, limit);
    const entries = page.map((entry) => viewEntry(deps, accountId, entry));
    return { count: entries.length, entries, next_before: last && (entries.at(-1)?.id ?? null) };
  },
});

/** Operators are not named, and what they gave as input is theirs. */
function viewEntry(
  { tokens }: ApiDeps,
  accountId: string,
  { id: number, at, actor, action, details, names }: KeptEntry,
): Infer<typeof contract.auditResponse>['entries'][number] {
  const [, kind = '', actorId = ''] = /^(key|member) (.*)$/.exec(actor) ?? [];
  const isOwn = kind === 'key' || kind === 'member';
  const { id, ...more } = details;
  return {
    id: tokens.seal({ kind: 'audit', accountId }, [number]),
    at: toUtcSeconds(at),
    actor: isOwn ? { kind, id: actorId, name: names.actor ?? null } : { kind: 'operator', id: null, name: null },
    action,
    object: isOwn && typeof id === 'string' ? { id, name: names.object ?? null } : null,
    details: isOwn ? textsOf(more) : {},
  };
}

function textsOf(details: KeptEntry['details']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
}
