import { hashApiKey, type KeyGrant, type Plan, type Scope } from '@pts/core/account';
import type { Db, Tx } from '../connection.ts';
import { column, columns, hotExecute, hotRows } from '../connection.ts';
import { type ApiKey, Prisma } from '../generated/client.ts';
import type { Account } from './accounts.ts';

/** An API key as stored: its hash, the hint that can be shown, and what it may do. */
export type StoredKey = KeyGrant & {
  id: string;
  accountId: string;
  keyHash: Uint8Array<ArrayBuffer>;
  hint: string;
  createdAt: Date;
};

/** The key of a request. */
export type Key = KeyGrant & Pick<ApiKey, 'id' | 'hint' | 'createdAt' | 'lastUsedAt'>;
/** A key in a list. */
export type ListedKey = Key & Pick<ApiKey, 'revokedAt'> & { isTest: boolean };
/** The owner of an API key, and the key. */
export type KeyHolder = { account: Account; key: Key };

/** The least time between two records of the use of a key. */
export const USE_RECORDED_EVERY_MS = 5 * 60_000;

export async function insertKey(tx: Tx, { scopes, networks, ...key }: StoredKey): Promise<void> {
  await tx.apiKey.create({ data: { ...key, scopes: [...scopes], networks: [...networks] } });
}

/** Locks the keys of an account against those that insert or revoke others of it, until the transaction ends. */
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
  { id, accountId }: { id: string; accountId?: string },
  now: Date,
): Promise<boolean> {
  const own = accountId === undefined ? {} : ofAccount(accountId);
  const { count } = await tx.apiKey.updateMany({ where: { id, ...own, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
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
  id: column<Account['id']>('a.id'),
  name: column<Account['name']>('a.name'),
  plan: column<Plan>('a.plan'),
  quotaOverride: column<Account['quotaOverride']>('a.quota_override'),
  disabledAt: column<Account['disabledAt']>('a.disabled_at'),
  createdAt: column<Account['createdAt']>('a.created_at'),
  testOf: column<Account['testOf']>('a.test_of'),
  keyId: column<Key['id']>('k.id'),
  keyHint: column<Key['hint']>('k.hint'),
  keyName: column<Key['name']>('k.name'),
  scopes: column<Scope[]>('k.scopes'),
  expiresAt: column<Key['expiresAt']>('k.expires_at'),
  networks: column<string[]>('k.networks'),
  keyCreatedAt: column<Key['createdAt']>('k.created_at'),
  lastUsedAt: column<Key['lastUsedAt']>('k.last_used_at'),
});

/**
 * The owner of a key that is not revoked, of an enabled account; null for any other key (spec section 5, rule 4). The key may
 * have expired.
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
  const { keyId, keyHint, keyName, keyCreatedAt, scopes, expiresAt, networks, lastUsedAt, ...account } = row;
  const key = {
    id: keyId,
    hint: keyHint,
    name: keyName,
    scopes,
    expiresAt,
    networks,
    createdAt: keyCreatedAt,
    lastUsedAt,
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

/** The keys of an account and of its test account, oldest first. */
export async function listKeys(
  db: Pick<Db, 'apiKey'>,
  accountId: string,
  { withRevoked = false }: { withRevoked?: boolean } = {},
): Promise<ListedKey[]> {
  const found = await db.apiKey.findMany({
    where: { ...ofAccount(accountId), ...(withRevoked ? {} : { revokedAt: null }) },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    omit: { keyHash: true },
  });
  return found.map(({ accountId: owner, ...key }) => ({
    ...key,
    scopes: key.scopes as Scope[],
    isTest: owner !== accountId,
  }));
}
