import { ServiceError } from '@pts/core/errors';
import { type BulkAction, cancelBulkAction as cancel, findBulkAction as find } from '@pts/db/bulk-actions/bulk-actions';
import type { RunKey } from '@pts/db/runs/leases';
import type { ServiceContext } from '../context.ts';

/** @throws ServiceError `not_found` when the account has no such bulk action. */
export async function findBulkAction(
  { db }: Pick<ServiceContext, 'db'>,
  { accountId, id }: RunKey,
): Promise<BulkAction> {
  const found = await find(db, accountId, id);
  if (found) return found;
  throw new ServiceError('not_found', {
    text: 'No such bulk action, or it has expired. GET /api/v1/bulk lists your bulk actions.',
  });
}

/** Ends a bulk action if it has not ended; what it has done stays so. @throws ServiceError `not_found`. */
export async function cancelBulkAction(ctx: Pick<ServiceContext, 'db' | 'now'>, key: RunKey): Promise<BulkAction> {
  await cancel(ctx.db, key, ctx.now());
  return findBulkAction(ctx, key);
}
