import { readLogo } from '@pts/core/page-brand';
import { changePageSettings, type PageChange, type PageSettings } from '@pts/db/pages/settings';
import type { ServiceContext } from '../context.ts';

/** The settings to change; null clears, omitted ones stay. `logo` is a PNG image in base64. */
export type SettingsChange = Omit<PageChange, 'logo'> & { logo?: string | null | undefined };

/** Changes the settings of an account's pages. Their values were checked with `brandFaults`. */
export async function changePages(
  { db }: Pick<ServiceContext, 'db'>,
  accountId: string,
  { logo, color, ...fields }: SettingsChange,
): Promise<PageSettings> {
  const read = typeof logo === 'string' ? readLogo(logo) : logo;
  if (typeof read === 'string') throw new Error(`the logo was not checked: it ${read}`);
  return changePageSettings(db, accountId, {
    ...fields,
    ...(color === undefined ? {} : { color: color?.toLowerCase() ?? null }),
    ...(read === undefined ? {} : { logo: read }),
  });
}
