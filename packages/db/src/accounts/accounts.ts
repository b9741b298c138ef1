import { randomBytes } from 'node:crypto';
import { hashApiKey, keyHint, newApiKey } from '@pts/core/account/api-key';
import type { Plan } from '@pts/core/account/plan';
import { monthOf } from '@pts/core/time';
import type { Db, Tx } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';

export type Account = {
  id: string;
  name: string;
  plan: Plan;
  quotaOverride: number | null;
  disabledAt: Date | null;
  createdAt: Date;
};
export type NewKey = { keyId: string; apiKey: string; hint: string };

/** Whom an API key belongs to. */
export type KeyHolder = { account: Account; keyHint: string; keyCreatedAt: Date };

/** Creates an account with its first key. The key is in this answer and nowhere else. */
export async function createAccount(
  db: Db,
  { name, plan, quotaOverride = null, now }: { name: string; plan: Plan; quotaOverride?: number | null; now: Date },
): Promise<{ account: Account; key: NewKey }> {
  return db.$transaction(async (tx) => {
    const account = await tx.account.create({ data: { id: freshId(now), name, plan, quotaOverride } });
    return { account: toAccount(account), key: await createKey(tx, account.id, now) };
  });
}

/** Adds a key to an account. */
export async function createKey(db: Tx, accountId: string, now: Date): Promise<NewKey> {
  const apiKey = newApiKey(randomBytes(24));
  const row = await db.apiKey.create({
    data: { id: freshId(now), accountId, keyHash: hashApiKey(apiKey), hint: keyHint(apiKey) },
  });
  return { keyId: row.id, apiKey, hint: row.hint };
}

/** Revokes every key of an account and makes a new one. */
export async function resetKeys(db: Db, accountId: string, now: Date): Promise<NewKey> {
  return db.$transaction(async (tx) => {
    await tx.apiKey.updateMany({ where: { accountId, revokedAt: null }, data: { revokedAt: now } });
    return createKey(tx, accountId, now);
  });
}

/** Revokes one key. @returns whether there was such a live key. */
export async function revokeKey(db: Db, keyId: string, now: Date): Promise<boolean> {
  const { count } = await db.apiKey.updateMany({ where: { id: keyId, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
}

/** The holder of a live key of an enabled account; null for any other key (spec section 5, rule 4). */
export async function findKeyHolder(db: Db, apiKey: string): Promise<KeyHolder | null> {
  const row = await db.apiKey.findUnique({ where: { keyHash: hashApiKey(apiKey) }, include: { account: true } });
  if (!row || row.revokedAt || row.account.disabledAt) return null;
  return { account: toAccount(row.account), keyHint: row.hint, keyCreatedAt: row.createdAt };
}

export async function findAccount(db: Db, id: string): Promise<Account | null> {
  const row = await db.account.findUnique({ where: { id } });
  return row && toAccount(row);
}

export async function listAccounts(db: Db): Promise<Account[]> {
  return (await db.account.findMany({ orderBy: { createdAt: 'asc' } })).map(toAccount);
}

export async function listKeys(db: Db, accountId: string) {
  return db.apiKey.findMany({
    where: { accountId },
    orderBy: { createdAt: 'asc' },
    select: { id: true, hint: true, createdAt: true, revokedAt: true },
  });
}

/** Changes an account. @returns null when there is none of this id. */
export async function updateAccount(
  db: Db,
  id: string,
  change: { plan?: Plan; quotaOverride?: number | null; disabledAt?: Date | null; name?: string },
): Promise<Account | null> {
  const { count } = await db.account.updateMany({ where: { id }, data: change });
  return count === 0 ? null : findAccount(db, id);
}

/** Units used in the UTC month of `now`. */
export async function quotaUsed(db: Db, accountId: string, now: Date): Promise<number> {
  const row = await db.quotaUsage.findUnique({ where: { accountId_month: { accountId, month: monthOf(now) } } });
  return row?.used ?? 0;
}

function toAccount(row: {
  id: string;
  name: string;
  plan: string;
  quotaOverride: number | null;
  disabledAt: Date | null;
  createdAt: Date;
}): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan as Plan,
    quotaOverride: row.quotaOverride,
    disabledAt: row.disabledAt,
    createdAt: row.createdAt,
  };
}
