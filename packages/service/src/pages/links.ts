import { refusedField, unknownTracking } from '@pts/core/errors';
import { renewLink, revokeLink } from '@pts/db/pages/link';
import type { ServiceContext } from '../context.ts';
import { findRegistered } from '../trackings/trackings.ts';

type Context = Pick<ServiceContext, 'db' | 'now'>;
type Which = { accountId: string; id: string };

/**
 * Gives a tracking a new link to its page; former ones lead nowhere from then on.
 * @returns the generation of the link.
 * @throws ServiceError `not_registered`, and `invalid_field` while the account has no pages.
 */
export async function renewPage(ctx: Pick<Context, 'db'>, { accountId, id }: Which): Promise<number> {
  const generation = await renewLink(ctx.db, accountId, id);
  if (generation !== null) return generation;
  await findRegistered(ctx, accountId, id);
  throw refusedField(
    'enabled',
    'is false in the settings of your pages: turn them on with PATCH /api/v1/account/pages',
  );
}

/** Revokes the link to the page of a tracking, until it is renewed. @throws ServiceError `not_registered`. */
export async function revokePage({ db, now }: Context, { accountId, id }: Which): Promise<void> {
  if (!(await revokeLink(db, accountId, id, now()))) throw unknownTracking();
}
