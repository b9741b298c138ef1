import { GONE_AFTER_DAYS } from '@pts/core/page';
import type { Db } from '../connection.ts';
import type { PageSettings as Row } from '../generated/client.ts';

/** How the buyers' pages of an account look. The image of the logo is read only to be served. */
export type PageSettings = {
  enabled: boolean;
  /** The name of the shop. */
  name: string | null;
  /** `#rrggbb` */
  color: string | null;
  shopUrl: string | null;
  supportUrl: string | null;
  hideCarrier: boolean;
  hidePlaces: boolean;
  embedOrigins: string[];
  goneAfterDays: number;
  /** The size of the logo in pixels; null without one. */
  logo: { width: number; height: number } | null;
};

/** What changes; null removes the logo. */
export type PageChange = Partial<Omit<PageSettings, 'logo'>> & {
  logo?: { width: number; height: number; bytes: Uint8Array<ArrayBuffer> } | null;
};

const NO_SETTINGS: PageSettings = {
  enabled: false,
  name: null,
  color: null,
  shopUrl: null,
  supportUrl: null,
  hideCarrier: false,
  hidePlaces: false,
  embedOrigins: [],
  goneAfterDays: GONE_AFTER_DAYS,
  logo: null,
};

/** The settings of an account; an account that never changed any has no pages. */
export async function findPageSettings(db: Db, accountId: string): Promise<PageSettings> {
  const row = await db.pageSettings.findUnique({ where: { accountId }, omit: { logo: true } });
  return row === null ? NO_SETTINGS : toSettings(row);
}

/** Changes the settings of an account. */
export async function changePageSettings(
  db: Db,
  accountId: string,
  { logo, ...fields }: PageChange,
): Promise<PageSettings> {
  const image =
    logo === undefined
      ? {}
      : { logo: logo?.bytes ?? null, logoWidth: logo?.width ?? null, logoHeight: logo?.height ?? null };
  const data = { ...fields, ...image };
  const row = await db.pageSettings.upsert({
    where: { accountId },
    create: { accountId, ...data },
    update: data,
    omit: { logo: true },
  });
  return toSettings(row);
}

function toSettings({ accountId: _, logoWidth, logoHeight, ...row }: Omit<Row, 'logo'>): PageSettings {
  const logo = logoWidth === null || logoHeight === null ? null : { width: logoWidth, height: logoHeight };
  return { ...row, logo };
}
