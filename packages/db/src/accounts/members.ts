import { ROLES, type Role } from '@pts/core/account';
import type { Db, Tx } from '../connection.ts';
import type { Member as MemberRow } from '../generated/client.ts';

/** A person who may sign in to an account. */
export type Member = Omit<MemberRow, 'role' | 'subject'> & { role: Role };

/** A person, as an identity provider knows one. */
export type Person = {
  /** The digest of the provider and of its id of the person. */
  subject: string;
  /** The verified address, in lower case; null if there is none. */
  email: string | null;
  name: string | null;
};
/** An account that a person may sign in to. */
export type Membership = { memberId: string; role: Role; account: { id: string; name: string } };

/** The members of an account, in the order of their addresses. */
export async function listMembers(db: Pick<Tx, 'member'>, accountId: string): Promise<Member[]> {
  return (await db.member.findMany({ where: { accountId }, orderBy: { email: 'asc' } })).map(toMember);
}

/** @returns null if the account has no such member. */
export async function findMember(db: Pick<Tx, 'member'>, accountId: string, id: string): Promise<Member | null> {
  const row = await db.member.findFirst({ where: { accountId, id } });
  return row && toMember(row);
}

/** Stores a member. @throws an error of a duplicate (`isDuplicate`) if the account has one with this address. */
export async function insertMember(tx: Tx, member: Omit<Member, 'name' | 'lastSignInAt'>): Promise<Member> {
  return toMember(await tx.member.create({ data: member }));
}

/** Gives a member another role. Its sessions end: the next ones have the scopes of the role. */
export async function changeRole(
  tx: Tx,
  { accountId, id }: Pick<Member, 'accountId' | 'id'>,
  role: Role,
): Promise<void> {
  await tx.member.updateMany({ where: { accountId, id }, data: { role } });
  await tx.apiKey.deleteMany({ where: { accountId, memberId: id } });
}

/** Removes a member. Its sessions go with it, by a foreign key. */
export async function deleteMember(tx: Tx, { accountId, id }: Pick<Member, 'accountId' | 'id'>): Promise<void> {
  await tx.member.deleteMany({ where: { accountId, id } });
}

/**
 * The enabled accounts that a person may sign in to, in the order of their names. A member who has signed in before is
 * found by the provider's id of the person alone: the address may belong to somebody else by now.
 */
export async function membershipsOf(db: Pick<Tx, 'member'>, { subject, email }: Person): Promise<Membership[]> {
  const rows = await db.member.findMany({
    where: {
      OR: [{ subject }, ...(email === null ? [] : [{ subject: null, email }])],
      account: { disabledAt: null, testOf: null },
    },
    select: { id: true, role: true, account: { select: { id: true, name: true } } },
    orderBy: [{ account: { name: 'asc' } }, { id: 'asc' }],
  });
  return rows.map(({ id, role, account }) => ({ memberId: id, role: role as Role, account }));
}

/** Whether a member with this address has signed in as another person of the provider. */
export async function isAnothers(db: Db, { subject, email }: Person): Promise<boolean> {
  if (email === null) return false;
  return (await db.member.count({ where: { email, subject: { not: subject } } })) > 0;
}

/** Records that a member signs in, and forgets the member's sessions that have ended. */
export async function noteSignIn(
  tx: Tx,
  { accountId, id }: Pick<Member, 'accountId' | 'id'>,
  { subject, name }: Person,
  now: Date,
): Promise<void> {
  const data = { subject, lastSignInAt: now, name: name?.slice(0, 100) ?? null };
  await tx.member.updateMany({ where: { accountId, id }, data });
  await tx.apiKey.deleteMany({ where: { accountId, memberId: id, expiresAt: { lte: now } } });
}

function toMember({ subject: _, role, ...row }: MemberRow): Member {
  return { ...row, role: role in ROLES ? (role as Role) : 'viewer' };
}
