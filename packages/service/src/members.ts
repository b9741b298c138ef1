import { MAX_MEMBERS, normalEmail, ROLES, type Role, SESSION_HOURS } from '@pts/core/account';
import { refusedField, ServiceError } from '@pts/core/errors';
import { joined, message } from '@pts/core/languages/message';
import { isInForce, type Key, type KeyHolder, lockKeys, revokeKey } from '@pts/db/accounts/accounts';
import {
  changeRole,
  deleteMember,
  findMember,
  insertMember,
  isAnothers,
  listMembers,
  type Member,
  type Membership,
  membershipsOf,
  noteSignIn,
  type Person,
} from '@pts/db/accounts/members';
import { appendAudit } from '@pts/db/audit';
import type { Tx } from '@pts/db/connection';
import { isDuplicate } from '@pts/db/errors';
import { freshId } from '@pts/db/ids';
import { issueKey } from './accounts.ts';
import type { ServiceContext } from './context.ts';

type Context = Pick<ServiceContext, 'db' | 'audit' | 'now'>;
/** Who changes the members of an account: a key or a person, whose rights bound the roles; null: the operator. */
type By = Pick<Key, 'id' | 'name' | 'hint' | 'scopes'> | null;

/**
 * Adds a member to an account.
 * @param ctx.hasSignIn whether people can sign in to this installation.
 * @throws ServiceError `invalid_field`: the address is none, or the role allows more than whoever grants it may do, or
 *   the account has the maximum of members; `conflict` for a member who is there; `not_found` without a sign-in.
 */
export async function addMember(
  ctx: Context & Pick<ServiceContext, 'hasSignIn'>,
  accountId: string,
  wanted: { email: string; role: Role },
  by: By,
): Promise<Member> {
  if (!ctx.hasSignIn) throw new ServiceError('not_found', { text: message('no_sign_in') });
  const email = normalEmail(wanted.email);
  if (email === null) throw refusedField('email', message('field.email'));
  refuseExcess(wanted.role, by);
  const now = ctx.now();
  const invitedBy = by === null ? 'operator' : (by.name ?? by.hint);
  const member = { id: freshId(now), accountId, email, role: wanted.role, invitedBy, createdAt: now };
  return changed(ctx, accountId, by, async (tx, members) => {
    if (members.some((each) => each.email === email))
      throw new ServiceError('conflict', { text: message('member_known', { email }) });
    if (members.length >= MAX_MEMBERS) throw refusedField('email', message('field.max_members', { max: MAX_MEMBERS }));
    await ctx.audit?.(tx, { id: member.id, name: email, role: wanted.role });
    return insertMember(tx, member);
  });
}

/**
 * Gives a member another role, and ends the member's sessions: the next ones have it.
 * @throws ServiceError `not_found`; `conflict` for the last administrator; `invalid_field` for a role that allows more
 *   than whoever grants it may do.
 */
export async function changeMember(
  ctx: Context,
  { accountId, id, role }: Pick<Member, 'accountId' | 'id' | 'role'>,
  by: By,
): Promise<Member> {
  refuseExcess(role, by);
  return changed(ctx, accountId, by, async (tx, members) => {
    const member = memberIn(members, id);
    if (role !== 'admin') refuseLast(member, members);
    if (role !== member.role) {
      await changeRole(tx, member, role);
      await ctx.audit?.(tx, { id, name: member.email, role });
    }
    return { ...member, role };
  });
}

/**
 * Removes a member, whose sessions end.
 * @throws ServiceError `not_found`; `conflict` for the last administrator.
 */
export async function removeMember(
  ctx: Context,
  { accountId, id }: Pick<Member, 'accountId' | 'id'>,
  by: By,
): Promise<void> {
  await changed(ctx, accountId, by, async (tx, members) => {
    const member = memberIn(members, id);
    refuseLast(member, members);
    await deleteMember(tx, member);
    await ctx.audit?.(tx, { id, name: member.email });
  });
}

/** Changes members while nobody else does, unless whoever does it may do so no longer. */
async function changed<T>(
  { db }: Pick<ServiceContext, 'db'>,
  accountId: string,
  by: By,
  change: (tx: Tx, members: readonly Member[]) => Promise<T>,
): Promise<T> {
  return db.$transaction(async (tx) => {
    // Two administrators who remove each other at the same time must not both succeed.
    await lockKeys(tx, accountId);
    if (by !== null && !(await isInForce(tx, by.id)))
      throw new ServiceError('unauthorized', { text: message('key_or_session_revoked') });
    return change(tx, await listMembers(tx, accountId));
  });
}

function memberIn(members: readonly Member[], id: string): Member {
  const found = members.find((member) => member.id === id);
  if (found) return found;
  throw new ServiceError('not_found', {
    text: message('no_such_member'),
  });
}

function refuseLast(member: Member, members: readonly Member[]): void {
  if (member.role !== 'admin' || members.some(({ id, role }) => id !== member.id && role === 'admin')) return;
  throw new ServiceError('conflict', { text: message('last_admin_member') });
}

function refuseExcess(role: Role, by: By): void {
  const lacking = by === null ? [] : ROLES[role].filter((scope) => !by.scopes.includes(scope));
  if (lacking.length > 0) throw refusedField('role', message('field.role', { scopes: joined('and', lacking) }));
}

/** Why a person who has proved who they are may sign in to no account. */
export type NoAccount = 'unverified' | 'no_account' | 'other_person';

/** The accounts that a person may sign in to, or why there are none. */
export async function findMemberships(
  { db }: Pick<ServiceContext, 'db'>,
  person: Person,
): Promise<Membership[] | NoAccount> {
  const found = await membershipsOf(db, person);
  if (found.length > 0) return found;
  if (person.email === null) return 'unverified';
  return (await isAnothers(db, person)) ? 'other_person' : 'no_account';
}

/** The session of a person. The token is returned only here. */
export type Session = Membership & { token: string; expiresAt: Date };

/**
 * Signs a person in to an account.
 * @param id of the session: the same one begins no second session.
 * @returns null if the person may not sign in to the account, or the session has begun before.
 */
export async function startSession(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, accountId, person, ip }: { id: string; accountId: string; person: Person; ip: string | null },
): Promise<Session | null> {
  const at = now();
  const expiresAt = new Date(at.getTime() + SESSION_HOURS * 3_600_000);
  try {
    return await db.$transaction(async (tx) => {
      // The member is neither removed nor changed in between.
      await lockKeys(tx, accountId);
      const membership = (await membershipsOf(tx, person)).find(({ account }) => account.id === accountId);
      const member = membership && (await findMember(tx, accountId, membership.memberId));
      if (!member) return null;
      await noteSignIn(tx, member, person, at);
      const grant = { name: member.email, scopes: ROLES[member.role], expiresAt, networks: [] };
      const { apiKey } = await issueKey(tx, accountId, at, grant, 'session', { id, memberId: member.id });
      const entry = { actor: `member ${member.id}`, action: 'POST /session', accountId, details: { ip } };
      await appendAudit(tx, { ...entry, names: { actor: member.email } });
      return { ...membership, token: apiKey, expiresAt };
    });
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/** Ends the session that a request has. @throws ServiceError `bad_request` for the key of a program. */
export async function endSession(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { account, key }: Pick<KeyHolder, 'account' | 'key'>,
): Promise<void> {
  if (key.memberId === null)
    throw new ServiceError('bad_request', {
      text: message('not_a_session'),
    });
  await revokeKey(db, { id: key.id, accountId: account.id }, now());
}
