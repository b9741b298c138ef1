import { hashApiKey } from '@pts/core/account/api-key';
import type { Plan } from '@pts/core/account/plan';
import { monthOf } from '@pts/core/time';
import type { Db, Tx } from '../connection/client.ts';
import { column, columns, hotRows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

export type Account = {
  id: string;
  name: string;
  plan: Plan;
  quotaOverride: number | null;
  disabledAt: Date | null;
  createdAt: Date;
};
/** An API key as stored: its hash, and the hint that can be shown. */
export type StoredKey = { id: string; accountId: string; keyHash: Uint8Array<ArrayBuffer>; hint: string };

/** The owner of an API key. */
export type KeyHolder = { account: Account; keyHint: string; keyCreatedAt: Date };

export async function insertAccount(
  tx: Tx,
  account: Pick<Account, 'id' | 'name' | 'plan' | 'quotaOverride'>,
): Promise<Account> {
  return toAccount(await tx.account.create({ data: account }));
}

export async function insertKey(tx: Tx, key: StoredKey): Promise<void> {
  await tx.apiKey.create({ data: key });
}

/** Revokes every key of an account. */
export async function revokeKeys(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.apiKey.updateMany({ where: { accountId, revokedAt: null }, data: { revokedAt: now } });
}

/** Revokes one key. @returns whether there was such an active key. */
export async function revokeKey(db: Db, keyId: string, now: Date): Promise<boolean> {
  const { count } = await db.apiKey.updateMany({ where: { id: keyId, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
}

const HOLDER = columns({
  id: column<Account['id']>('a.id'),
  name: column<Account['name']>('a.name'),
  plan: column<Plan>('a.plan'),
  quotaOverride: column<Account['quotaOverride']>('a.quota_override'),
  disabledAt: column<Account['disabledAt']>('a.disabled_at'),
  createdAt: column<Account['createdAt']>('a.created_at'),
  keyHint: column<string>('k.hint'),
  keyCreatedAt: column<Date>('k.created_at'),
});

/** The owner of an active key of an enabled account; null for any other key (spec section 5, rule 4). */
export async function findKeyHolder(db: Db, apiKey: string): Promise<KeyHolder | null> {
  const [row] = await hotRows(
    db,
    HOLDER,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.api_keys k JOIN public.accounts a ON a.id = k.account_id
      WHERE k.key_hash = ${hashApiKey(apiKey)} AND k.revoked_at IS NULL AND a.disabled_at IS NULL`,
  );
  if (!row) return null;
  const { keyHint, keyCreatedAt, ...account } = row;
  return { account, keyHint, keyCreatedAt };
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

/** Changes an account. @returns null if there is no account with this id. */
export async function updateAccount(
  db: Db,
  id: string,
  change: { plan?: Plan; quotaOverride?: number | null; disabledAt?: Date | null; name?: string },
): Promise<Account | null> {
  const { count } = await db.account.updateMany({ where: { id }, data: change });
  return count === 0 ? null : findAccount(db, id);
}

/** Disables an account; if it is already disabled, its time is kept. @returns null if there is no account with this id. */
export async function disableAccount(db: Db, id: string, now: Date): Promise<Account | null> {
  await db.account.updateMany({ where: { id, disabledAt: null }, data: { disabledAt: now } });
  return findAccount(db, id);
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
