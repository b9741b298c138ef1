import { carrierUrl } from '@pts/carriers/registry/pages';
import { refusedField, unknownTracking } from '@pts/core/errors';
import { Message, message } from '@pts/core/languages/message';
import { type PageAddresses, pageAddress } from '@pts/core/page';
import { readLogo } from '@pts/core/page-brand';
import { changePageSettings, type PageChange, type PageSettings, renewLink, revokeLink } from '@pts/db/pages';
import type { PageTokens } from '@pts/runtime/encryption/tokens';
import type { ServiceContext } from './context.ts';
import { findRegistered } from './trackings/trackings.ts';

/** The settings to change; null clears, omitted ones stay. `logo` is a PNG image in base64. */
type SettingsChange = Omit<PageChange, 'logo'> & { logo?: string | null | undefined };

/** Changes the settings of an account's pages. Their values were checked with `brandFaults`. */
export async function changePages(
  { db, audit }: Pick<ServiceContext, 'db' | 'audit'>,
  accountId: string,
  change: SettingsChange,
): Promise<PageSettings> {
  const { logo, color, ...fields } = change;
  const read = typeof logo === 'string' ? readLogo(logo) : logo;
  if (read instanceof Message) throw new Error(`the logo was not checked: it ${read}`);
  return db.$transaction(async (tx) => {
    const changed = await changePageSettings(tx, accountId, {
      ...fields,
      ...(color === undefined ? {} : { color: color?.toLowerCase() ?? null }),
      ...(read === undefined ? {} : { logo: read }),
    });
    await audit?.(tx, { fields: Object.keys(change).join(', ') });
    return changed;
  });
}

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
  throw refusedField('enabled', message('field.pages_off'));
}

/** Revokes the link to the page of a tracking, until it is renewed. @throws ServiceError `not_registered`. */
export async function revokePage({ db, now }: Context, { accountId, id }: Which): Promise<void> {
  if (!(await revokeLink(db, accountId, id, now()))) throw unknownTracking();
}

/** The addresses of pages for pushes. Those of buyers are below a base URL; without one, there are none. */
export function pageAddresses(tokens: PageTokens, baseUrl: string | undefined): PageAddresses {
  return {
    ofBuyer:
      baseUrl === undefined
        ? undefined
        : (trackingId, generation) => pageAddress(baseUrl, tokens.seal({ trackingId, generation })),
    ofCarrier: carrierUrl,
  };
}
