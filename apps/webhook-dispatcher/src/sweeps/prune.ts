import { forgetKeys } from '@pts/db/accounts/idempotency-keys';
import type { Db } from '@pts/db/connection/client';
import { prune } from '@pts/db/deliveries/retention';
import { forgetImports } from '@pts/db/imports/retention';

export type PruneDeps = { db: Db; retentionDays: number; now(): Date };

const BATCH = 1000;
/** Each may have a hundred megabytes of rows. */
const IMPORTS = 10;
const DAY_MS = 24 * 3_600_000;

/** Deletes one small batch of each kind of expired rows. */
export async function pruneOld({ db, retentionDays, now }: PruneDeps): Promise<{ more: boolean }> {
  const before = new Date(now().getTime() - retentionDays * DAY_MS);
  const deleted = [await prune(db, { before, batch: BATCH }), await forgetKeys(db, { now: now(), batch: BATCH })];
  const imports = await forgetImports(db, { now: now(), batch: IMPORTS });
  return { more: imports >= IMPORTS || deleted.some((count) => count >= BATCH) };
}
