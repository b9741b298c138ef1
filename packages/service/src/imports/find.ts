import { ServiceError } from '@pts/core/errors';
import { cancelImport as cancel, findImport as find, type Import } from '@pts/db/imports/imports';
import type { RunKey } from '@pts/db/runs/leases';
import type { ServiceContext } from '../context.ts';

/** @throws ServiceError `not_found` when the account has no such import. */
export async function findImport({ db }: Pick<ServiceContext, 'db'>, { accountId, id }: RunKey): Promise<Import> {
  const found = await find(db, accountId, id);
  if (found) return found;
  throw new ServiceError('not_found', {
    text: 'No such import, or it has expired. GET /api/v1/imports lists your imports.',
  });
}

/** Ends an import if it has not ended; what it has registered stays so. @throws ServiceError `not_found`. */
export async function cancelImport(ctx: Pick<ServiceContext, 'db' | 'now'>, key: RunKey): Promise<Import> {
  await cancel(ctx.db, key, ctx.now());
  return findImport(ctx, key);
}
