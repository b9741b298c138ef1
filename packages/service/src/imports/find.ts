import { ServiceError } from '@pts/core/errors';
import { cancelImport as cancel, findImport as find, type Import } from '@pts/db/imports/imports';
import type { ServiceContext } from '../context.ts';

type Key = { accountId: string; id: string };

/** @throws ServiceError `not_found` when the account has no such import. */
export async function findImport({ db }: Pick<ServiceContext, 'db'>, { accountId, id }: Key): Promise<Import> {
  const found = await find(db, accountId, id);
  if (found) return found;
  throw new ServiceError('not_found', {
    text: 'No such import, or it has expired. GET /api/v1/imports lists your imports.',
  });
}

/** Ends an import if it has not ended; what it has registered stays so. @throws ServiceError `not_found`. */
export async function cancelImport(ctx: Pick<ServiceContext, 'db' | 'now'>, key: Key): Promise<Import> {
  await cancel(ctx.db, key, ctx.now());
  return findImport(ctx, key);
}
