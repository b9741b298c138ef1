import { hashApiKey } from '@pts/core/account';
import type { Db } from '../connection.ts';
import type { OperatorKey as Row } from '../generated/client.ts';
import { USE_RECORDED_EVERY_MS } from './accounts.ts';

/** A key of an operator, without the key itself. */
export type OperatorKey = Omit<Row, 'keyHash'>;

const omit = { keyHash: true } as const;

export async function insertOperatorKey(
  db: Pick<Db, 'operatorKey'>,
  key: Pick<Row, 'id' | 'hint' | 'name' | 'expiresAt' | 'networks' | 'createdAt' | 'keyHash'>,
): Promise<OperatorKey> {
  return db.operatorKey.create({ data: key, omit });
}

/** The operators' keys, oldest first. */
export async function listOperatorKeys(db: Db, { withRevoked }: { withRevoked: boolean }): Promise<OperatorKey[]> {
  return db.operatorKey.findMany({ where: withRevoked ? {} : { revokedAt: null }, orderBy: { id: 'asc' }, omit });
}

/** A key that is not revoked; null for any other. It may have expired. */
export async function findOperatorKey(db: Db, key: string): Promise<OperatorKey | null> {
  return db.operatorKey.findFirst({ where: { keyHash: hashApiKey(key), revokedAt: null }, omit });
}

/** @returns whether there was such a key that was not revoked. */
export async function revokeOperatorKey(db: Db, id: string, now: Date): Promise<boolean> {
  const { count } = await db.operatorKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
}

/** Records that a key is in use, unless that was recorded a short time ago. */
export async function recordOperatorKeyUse(db: Db, id: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - USE_RECORDED_EVERY_MS);
  const isOld = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: before } }] };
  await db.operatorKey.updateMany({ where: { id, ...isOld }, data: { lastUsedAt: now } });
}
