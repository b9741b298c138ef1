import { ServiceError, unknownTracking } from '@pts/core/errors';
import { type Link, renewLink, revokeLink } from '@pts/db/pages/link';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'db' | 'now'>;
type Which = { accountId: string; id: string };

/**
 * Gives a tracking a new link to its page; former ones lead nowhere from then on.
 * @returns the generation of the link.
 * @throws ServiceError `not_registered`, and `invalid_field` while the account has no pages.
 */
export async function renewPage({ db }: Pick<Context, 'db'>, { accountId, id }: Which): Promise<number> {
  const { generation } = found(await renewLink(db, accountId, id));
  if (generation === null) throw new ServiceError('invalid_field', { fields: [PAGES_ARE_OFF] });
  return generation;
}

/** Revokes the link to the page of a tracking, until it is renewed. @throws ServiceError `not_registered`. */
export async function revokePage({ db, now }: Context, { accountId, id }: Which): Promise<void> {
  found(await revokeLink(db, accountId, id, now()));
}

const PAGES_ARE_OFF = {
  field: 'enabled',
  message: 'is false in the settings of your pages: turn them on with PATCH /api/v1/account/pages',
};

function found(link: Link | null): Link {
  if (link === null) throw unknownTracking();
  return link;
}
