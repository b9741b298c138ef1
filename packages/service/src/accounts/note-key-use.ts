import { type KeyHolder, recordKeyUse, USE_RECORDED_EVERY_MS } from '@pts/db/accounts/keys';
import { DEADLINES } from '@pts/db/pool';
import type { ServiceContext } from '../context.ts';

/**
 * Records that a key is in use, at most once in some minutes. Nobody waits for it: a record that is lost costs some minutes of
 * `last_used_at`, and a request none of its time.
 */
export function noteKeyUse({ db, now }: Pick<ServiceContext, 'db' | 'now'>, { key }: KeyHolder): void {
  const at = now();
  if (key.lastUsedAt !== null && at.getTime() - key.lastUsedAt.getTime() < USE_RECORDED_EVERY_MS) return;
  recordKeyUse(db.$within(DEADLINES.statement), key.id, at).catch(() => {});
}
