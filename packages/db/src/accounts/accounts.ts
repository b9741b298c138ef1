import { hashApiKey, type KeyGrant, type Plan, type Scope } from '@pts/core/account';
import type { AttentionSettings } from '@pts/core/attention';
import type { Language } from '@pts/core/languages/texts';
import { monthOf } from '@pts/core/time';
import type { Include } from '@pts/core/tracking/fields';
import { column, columns, columnsOf, type Db, hotExecute, hotRows, rows, type Tx } from '../connection.ts';
import { violates } from '../errors.ts';
import { type Account as AccountRow, type ApiKey, Prisma, type QuotaUsage } from '../generated/client.ts';
import { freshId } from '../ids.ts';

export type Account = Pick<AccountRow, 'id' | 'name' | 'quotaOverride' | 'disabledAt' | 'createdAt' | 'testOf'> & {
  plan: Plan;
  include: Include[];
  language: Language | null;
  attention: AttentionSettings | null;
};

/** An account as operators see it. */
export type ListedAccount = Account & {
  /** When its deletion goes on; null: it is not being deleted. */
  eraseAt: Date | null;
};

export async function insertAccount(
  tx: Tx,
  account: Pick<Account, 'id' | 'name' | 'plan' | 'quotaOverride'> & { testOf?: string },
): Promise<ListedAccount> {
  return toAccount(await tx.account.create({ data: account }));
}

export async function findAccount(db: Tx, id: string): Promise<ListedAccount | null> {
  const row = await db.account.findUnique({ where: { id } });
  return row && toAccount(row);
}

/** A page of all accounts in the order of their ids, which begin with their time: the oldest first. */
export async function listAccounts(
  db: Db,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<ListedAccount[]> {
  return (await db.account.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: limit })).map(
    toAccount,
  );
}

/** The test account of a live one; null if it has none. */
export async function findTestAccount(tx: Pick<Tx, 'account'>, liveId: string): Promise<ListedAccount | null> {
  const row = await tx.account.findUnique({ where: { testOf: liveId } });
  return row && toAccount(row);
}

/**
 * Changes an account; its test account is disabled and enabled with it.
 * @returns null if there is no account with this id, or it would be enabled while it is being deleted.
 */
export async function updateAccount(
  db: Tx,
  id: string,
  change: Partial<
    Pick<Account, 'plan' | 'quotaOverride' | 'disabledAt' | 'name' | 'include' | 'language' | 'attention'>
  >,
): Promise<ListedAccount | null> {
  const { attention, ...fields } = change;
  const data = { ...fields, ...(attention === undefined ? {} : { attention: attention ?? Prisma.DbNull }) };
  const { disabledAt } = change;
  const where = { id, ...(disabledAt === null && { eraseAt: null }) };
  const { count } = await db.account.updateMany({ where, data });
  if (count === 0) return null;
  if (disabledAt !== undefined) await db.account.updateMany({ where: { testOf: id }, data: { disabledAt } });
  return findAccount(db, id);
}

/**
 * Disables an account and its test account; if it is already disabled, its time is kept.
 * @returns null if there is no account with this id.
 */
export async function disableAccount(db: Db, id: string, now: Date): Promise<ListedAccount | null> {
  await db.account.updateMany({ where: { OR: [{ id }, { testOf: id }], disabledAt: null }, data: { disabledAt: now } });
  return findAccount(db, id);
}

/** Units used in the UTC month of `now`. */
export async function quotaUsed(db: Db, accountId: string, now: Date): Promise<number> {
  const row = await db.quotaUsage.findUnique({ where: { accountId_month: { accountId, month: monthOf(now) } } });
  return row?.used ?? 0;
}

function toAccount(row: AccountRow): ListedAccount {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan as Plan,
    quotaOverride: row.quotaOverride,
    disabledAt: row.disabledAt,
    createdAt: row.createdAt,
    testOf: row.testOf,
    include: row.include as Include[],
    language: row.language as Language | null,
    attention: row.attention as AttentionSettings | null,
    eraseAt: row.eraseAt,
  };
}

/** An API key as it is stored: its hash, the hint that can be shown, and what it may do. */
type StoredKey = KeyGrant & Pick<ApiKey, 'id' | 'accountId' | 'keyHash' | 'hint' | 'createdAt'> & { memberId?: string };

/** The key of a request: with a member, the session of that person, whose e-mail address is its name. */
export type Key = KeyGrant & Pick<ApiKey, 'id' | 'hint' | 'createdAt' | 'lastUsedAt' | 'memberId'>;
/** A key in a list. */
export type ListedKey = Key & Pick<ApiKey, 'revokedAt'> & { isTest: boolean };
/** The owner of an API key, and the key. */
export type KeyHolder = { account: Account; key: Key };

/** The least time between two records of the use of a key. */
export const USE_RECORDED_EVERY_MS = 5 * 60_000;

export async function insertKey(tx: Tx, { scopes, networks, ...key }: StoredKey): Promise<void> {
  await tx.apiKey.create({ data: { ...key, scopes: [...scopes], networks: [...networks] } });
}

/** Locks the keys and members of an account until the transaction ends, against those that insert or revoke some. */
export async function lockKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

/** Revokes every key of an account and of its test account. */
export async function revokeKeys(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.apiKey.updateMany({ where: { ...ofAccount(accountId), revokedAt: null }, data: { revokedAt: now } });
}

function ofAccount(accountId: string) {
  return { account: { OR: [{ id: accountId }, { testOf: accountId }] } };
}

/** Revokes one key; with an account, only one of that or of its test account. @returns whether there was such a key. */
export async function revokeKey(
  tx: Tx,
  { id, accountId }: { id: string; accountId?: string | undefined },
  now: Date,
): Promise<boolean> {
  const own = accountId === undefined ? {} : ofAccount(accountId);
  const { count } = await tx.apiKey.updateMany({ where: { id, ...own, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
}

/** Whether a key is neither revoked nor gone with its member. */
export async function isInForce(tx: Tx, id: string): Promise<boolean> {
  return (await tx.apiKey.count({ where: { id, revokedAt: null } })) > 0;
}

/** The account of a key; null if there is none. */
export async function accountOfKey(db: Db, id: string): Promise<string | null> {
  return (await db.apiKey.findUnique({ where: { id }, select: { accountId: true } }))?.accountId ?? null;
}

/** The enabled account that a key was made for, even if the key is revoked; null if there is none. */
export async function enabledAccountOf(db: Db, apiKey: string): Promise<string | null> {
  const where = { keyHash: hashApiKey(apiKey), account: { disabledAt: null } };
  return (await db.apiKey.findUnique({ where, select: { accountId: true } }))?.accountId ?? null;
}

const HOLDER = columns({
  ...columnsOf<Account>('a')('id', 'name'),
  plan: column<Plan>('a.plan'),
  ...columnsOf<Account>('a')('quotaOverride', 'disabledAt', 'createdAt', 'testOf', 'include', 'language', 'attention'),
  keyId: column<Key['id']>('k.id'),
  keyHint: column<Key['hint']>('k.hint'),
  keyName: column<Key['name']>('k.name'),
  scopes: column<Scope[]>('k.scopes'),
  expiresAt: column<Key['expiresAt']>('k.expires_at'),
  networks: column<string[]>('k.networks'),
  keyCreatedAt: column<Key['createdAt']>('k.created_at'),
  ...columnsOf<Key>('k')('lastUsedAt', 'memberId'),
});

/**
 * The owner of a key that is not revoked, of an enabled account; null for any other key (spec section 5, rule 4). The
 * key may have expired.
 */
export async function findKeyHolder(db: Db, apiKey: string): Promise<KeyHolder | null> {
  const [row] = await hotRows(
    db,
    HOLDER,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.api_keys k JOIN public.accounts a ON a.id = k.account_id
      WHERE k.key_hash = ${hashApiKey(apiKey)} AND k.revoked_at IS NULL AND a.disabled_at IS NULL`,
  );
  if (!row) return null;
  const { keyId, keyHint, keyName, keyCreatedAt, scopes, expiresAt, networks, lastUsedAt, memberId, ...account } = row;
  const key = {
    id: keyId,
    hint: keyHint,
    name: keyName,
    scopes,
    expiresAt,
    networks,
    createdAt: keyCreatedAt,
    lastUsedAt,
    memberId,
  };
  return { account, key };
}

/** Records that a key is in use, unless that was recorded a short time ago. */
export async function recordKeyUse(db: Db, keyId: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - USE_RECORDED_EVERY_MS);
  await hotExecute(
    db,
    Prisma.sql`UPDATE public.api_keys SET last_used_at = ${now.toISOString()}::timestamptz
      WHERE id = ${keyId} AND (last_used_at IS NULL OR last_used_at < ${before.toISOString()}::timestamptz)`,
  );
}

/** The keys of an account and of its test account, oldest first; without the sessions of its members. */
export async function listKeys(
  db: Pick<Db, 'apiKey'>,
  accountId: string,
  { withRevoked = false }: { withRevoked?: boolean } = {},
): Promise<ListedKey[]> {
  const found = await db.apiKey.findMany({
    where: { ...ofAccount(accountId), memberId: null, ...(withRevoked ? {} : { revokedAt: null }) },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    omit: { keyHash: true },
  });
  return found.map(({ accountId: owner, ...key }) => ({
    ...key,
    scopes: key.scopes as Scope[],
    isTest: owner !== accountId,
  }));
}

const USED = columns({ used: column<QuotaUsage['used']>('q.used') });

/**
 * Adds to the units used in the UTC month of `now`, or takes away: never below zero, and never beyond the limit, which
 * the check constraint enforces as for registrations.
 * @returns the units used; null if they would exceed the limit.
 */
export async function correctUsed(
  db: Db,
  { accountId, units, quotaLimit, now }: { accountId: string; units: number; quotaLimit: number; now: Date },
): Promise<number | null> {
  const month = monthOf(now).toISOString().slice(0, 10);
  try {
    const [row] = await rows(
      db,
      USED,
      (list) => Prisma.sql`
      INSERT INTO public.quota_usage AS q (account_id, month, used, quota_limit)
      VALUES (${accountId}, ${month}::date, GREATEST(0, ${units}::int), ${quotaLimit}::int)
      ON CONFLICT (account_id, month) DO UPDATE SET used = GREATEST(0, q.used::bigint + ${units}::int),
        quota_limit = GREATEST(excluded.quota_limit, CASE WHEN ${units}::int < 0 THEN q.used END)
      RETURNING ${list}`,
    );
    return row?.used ?? 0;
  } catch (error) {
    if (violates(error, 'quota_usage_within_limit')) return null;
    throw error;
  }
}

/** The streams that are limited: the results of a batch, an export, or the feed of events. */
export type StreamKind = 'batch' | 'export' | 'events';

/**
 * A lease that is not renewed ends after this long: its replica is gone. Streams of events last longer, and are many.
 */
export const LEASE_SECONDS = { batch: 30, export: 30, events: 90 } as const satisfies Record<StreamKind, number>;

/**
 * Takes a lease on one of the `most` streams of a kind of an account, over all replicas.
 * @returns the id of the lease; null if none is free.
 */
export async function takeStreamLease(
  db: Db,
  { accountId, kind = 'batch', max, now }: { accountId: string; kind?: StreamKind; max: number; now: Date },
): Promise<string | null> {
  const expiresAt = leaseEnd(kind, now);
  return db.$transaction(async (tx) => {
    // Serializes the streams that one account starts, so that the count is right.
    await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    await tx.streamLease.deleteMany({ where: { accountId, expiresAt: { lte: now } } });
    if ((await tx.streamLease.count({ where: { accountId, kind } })) >= max) return null;
    const id = freshId(now);
    await tx.streamLease.create({ data: { id, accountId, kind, expiresAt } });
    return id;
  });
}

/** A lease, and the account that has it. */
type Lease = { accountId: string; id: string };

export async function renewStreamLease(db: Db, { accountId, id }: Lease, kind: StreamKind, now: Date): Promise<void> {
  await db.streamLease.updateMany({ where: { id, accountId }, data: { expiresAt: leaseEnd(kind, now) } });
}

export async function endStreamLease(db: Db, { accountId, id }: Lease): Promise<void> {
  await db.streamLease.deleteMany({ where: { id, accountId } });
}

function leaseEnd(kind: StreamKind, now: Date): Date {
  return new Date(now.getTime() + LEASE_SECONDS[kind] * 1000);
}
