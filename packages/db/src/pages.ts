import { GONE_AFTER_DAYS } from '@pts/core/page';
import type { Annotations } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { type Column, column, columns, columnsOf, type Db, hotRows, type RowOf, rows, type Tx } from './connection.ts';
import { Prisma, type PageSettings as SettingsRow, type Tracking } from './generated/client.ts';
import { listShipments, NEWEST_REGISTRATION_FIRST } from './shipments.ts';

/** The shop, as its pages show it. */
const SHOP = {
  shopName: column<SettingsRow['name']>('g.name'),
  color: column<SettingsRow['color']>('g.color'),
  shopUrl: column<SettingsRow['shopUrl']>('g.shop_url'),
  supportUrl: column<SettingsRow['supportUrl']>('g.support_url'),
  logoWidth: column<SettingsRow['logoWidth']>('g.logo_width'),
  logoHeight: column<SettingsRow['logoHeight']>('g.logo_height'),
};

const PAGE = columns({
  id: column<Tracking['id']>('t.id'),
  generation: column<number>('COALESCE(t.page_generation, 0)'),
  ...columnsOf<Tracking>('t')('accountId', 'orderId', 'title', 'trackingNumber', 'carrier'),
  /** Whether the carrier is still one of several candidates. */
  isUndecided: column<boolean>('(t.detected AND t.candidates IS NOT NULL)'),
  provider: column<Tracking['provider']>('t.provider'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  scans: column<Scan[]>('t.events'),
  annotations: column<Annotations | null>('t.annotations'),
  ...columnsOf<Tracking>('t')('destinationCountry', 'createdAt', 'updatedAt'),
  /** When its polling ended; null while it is polled. Of a number that its carrier rejected, when it did. */
  stoppedAt: column<Tracking['stoppedAt']>(`COALESCE(t.stopped_at, CASE WHEN NOT EXISTS (
    SELECT FROM public.checks c WHERE c.tracking_id = t.id AND c.account_id = t.account_id) THEN t.answered_at END)`),
  ...SHOP,
  ...columnsOf<SettingsRow>('g')(
    'notifyUrl',
    'hideOrder',
    'hideCarrier',
    'hidePlaces',
    'allowLookup',
    'embedOrigins',
    'goneAfterDays',
  ),
});

/** The content of a tracking's page. Of the inputs, it has only the order and the product. */
export type PageRecord = RowOf<typeof PAGE>;

/** Which page: the tracking, and the generation of its link. */
type PageKey = { trackingId: string; generation: number };

/**
 * The page that a link leads to; null for a link that was renewed or revoked, or of an account that has no pages or is
 * disabled.
 */
export async function findPage(db: Db, key: PageKey): Promise<PageRecord | null> {
  const [page] = await hotRows(db, PAGE, (list) => pageOf(key, list));
  return page ?? null;
}

/** Parcels of one order; an order id of more is none, but a word that stands for nothing. */
const MAX_OF_ORDER = 20;

/**
 * The pages of all parcels of an order, of which this is one, oldest registration first: of those that are known to go
 * to another recipient, and those whose links were revoked, none.
 */
export async function findPagesOfOrder(db: Db, page: PageRecord): Promise<PageRecord[]> {
  const { accountId, orderId, id } = page;
  if (orderId === null || orderId.trim() === '') return [page];
  const filter = { accountId, orderIds: [orderId] };
  const { rows: found } = await listShipments(db, {
    filter,
    order: NEWEST_REGISTRATION_FIRST,
    limit: MAX_OF_ORDER + 1,
  });
  if (found.length === 1 || found.length > MAX_OF_ORDER) return [page];
  const ids = found.map((each) => each.id);
  const pages = await rows(
    db,
    PAGE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings o JOIN public.trackings t ON t.id = ANY(${ids}::text[]) AND t.account_id = o.account_id
      JOIN public.page_settings g ON g.account_id = t.account_id AND g.enabled
      WHERE o.id = ${id} AND o.account_id = ${accountId} AND t.account_id = ${accountId} AND g.account_id = ${accountId}
        AND t.order_id = o.order_id AND t.page_revoked_at IS NULL
        AND COALESCE(t.phone = o.phone, true) AND COALESCE(t.postal_code = o.postal_code, true)
        AND COALESCE(t.destination_country = o.destination_country, true)
      ORDER BY t.id`,
  );
  return pages.length === 0 ? [page] : pages;
}

const LOOKUP = columns({ accountId: column<string>('g.account_id'), ...SHOP });

/** A shop whose buyers find their parcels by order number and postal code. */
export type LookupShop = RowOf<typeof LOOKUP>;

/** The shop that allows look-ups: an account, or that of a parcel whose link leads nowhere any more; null if none. */
export async function findLookupShop(
  db: Db,
  of: { accountId: string } | { trackingId: string },
): Promise<LookupShop | null> {
  const [shop] = await hotRows(db, LOOKUP, (list) => {
    const accountId =
      'accountId' in of
        ? Prisma.sql`${of.accountId}`
        : Prisma.sql`(SELECT t.account_id FROM public.trackings t WHERE t.id = ${of.trackingId})`;
    return ofLookupShop(accountId, list);
  });
  return shop ?? null;
}

function ofLookupShop(accountId: Prisma.Sql, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${list} FROM public.page_settings g
    JOIN public.accounts a ON a.id = g.account_id AND a.disabled_at IS NULL
    WHERE g.account_id = ${accountId} AND g.enabled AND g.allow_lookup`;
}

/**
 * The pages of the parcels of an order that go to a postal code, the newest first. It takes as long for an order that
 * does not exist as for another postal code.
 * @param orderIds spellings of its number.
 * @param postalCode its letters and digits, in capitals.
 */
export async function findPagesByOrder(
  db: Db,
  { accountId, orderIds, postalCode }: { accountId: string; orderIds: string[]; postalCode: string },
): Promise<PageRecord[]> {
  const { rows: found } = await listShipments(db, {
    filter: { accountId, orderIds },
    order: NEWEST_REGISTRATION_FIRST,
    limit: MAX_OF_ORDER + 1,
  });
  const ids = found.length > MAX_OF_ORDER ? [] : found.map(({ id }) => id);
  return rows(
    db,
    PAGE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      JOIN public.page_settings g ON g.account_id = t.account_id AND g.enabled
      WHERE t.id = ANY(${ids}::text[]) AND t.account_id = ${accountId} AND g.account_id = ${accountId}
        AND t.page_revoked_at IS NULL
        AND upper(regexp_replace(t.postal_code, '[^[:alnum:]]', '', 'g')) = ${postalCode}
      ORDER BY t.id DESC`,
  );
}

const LOGO = columns({ logo: column<Buffer | null>('g.logo') });

/** The logo of the shop whose page a link leads to; null as with `findPage`, and if there is none. */
export async function findLogo(db: Db, key: PageKey): Promise<Buffer | null> {
  const [row] = await hotRows(db, LOGO, (list) => pageOf(key, list));
  return row?.logo ?? null;
}

/** The logo of a shop that allows look-ups. */
export async function findLookupLogo(db: Db, accountId: string): Promise<Buffer | null> {
  const [row] = await hotRows(db, LOGO, (list) => ofLookupShop(Prisma.sql`${accountId}`, list));
  return row?.logo ?? null;
}

function pageOf({ trackingId, generation }: PageKey, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${list} FROM public.trackings t
    JOIN public.accounts a ON a.id = t.account_id AND a.disabled_at IS NULL
    JOIN public.page_settings g ON g.account_id = t.account_id AND g.enabled
    WHERE t.id = ${trackingId} AND t.page_revoked_at IS NULL AND COALESCE(t.page_generation, 0)::bigint = ${generation}::bigint`;
}

/**
 * The generation of the link to the page of a tracking named `t`, of which its token is made; null if its account, that
 * of the row `owner`, has no pages or the link was revoked. The offset makes PostgreSQL look the settings up for each
 * owner: expecting many rows, it would read those of all accounts.
 */
export function pageGeneration(owner: string): Column<number | null> {
  return column(`CASE WHEN t.page_revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM public.page_settings g WHERE g.account_id = ${owner}.account_id AND g.enabled OFFSET 0)
    THEN COALESCE(t.page_generation, 0) END`);
}

const LINK = columns({ generation: column<number>('t.page_generation') });

/**
 * Gives a tracking a new link; former ones never lead anywhere again.
 * @returns its generation; null if the account has no such tracking, or no pages.
 */
export async function renewLink(db: Db, accountId: string, id: string): Promise<number | null> {
  const [row] = await rows(
    db,
    LINK,
    (list) => Prisma.sql`
      UPDATE public.trackings t SET page_generation = COALESCE(t.page_generation, 0) + 1, page_revoked_at = NULL
      WHERE t.id = ${id} AND t.account_id = ${accountId}
        AND EXISTS (SELECT 1 FROM public.page_settings g WHERE g.account_id = t.account_id AND g.enabled)
      RETURNING ${list}`,
  );
  return row?.generation ?? null;
}

/** Revokes the link of a tracking. @returns whether the account has such a tracking. */
export async function revokeLink(db: Db, accountId: string, id: string, now: Date): Promise<boolean> {
  const { count } = await db.tracking.updateMany({ where: { id, accountId }, data: { pageRevokedAt: now } });
  return count > 0;
}

/** How the buyers' pages of an account look. The image of the logo is read only to be served. */
export type PageSettings = Omit<SettingsRow, 'accountId' | 'logo' | 'logoWidth' | 'logoHeight'> & {
  /** The size of the logo in pixels; null without one. */
  logo: { width: number; height: number } | null;
};

/** The settings of pages that change; null removes the logo. */
export type PageChange = Partial<Omit<PageSettings, 'logo'>> & {
  logo?: { width: number; height: number; bytes: Uint8Array<ArrayBuffer> } | null;
};

const NO_SETTINGS: PageSettings = {
  enabled: false,
  name: null,
  color: null,
  shopUrl: null,
  supportUrl: null,
  notifyUrl: null,
  hideCarrier: false,
  hidePlaces: false,
  hideOrder: false,
  allowLookup: false,
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
  db: Pick<Tx, 'pageSettings'>,
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

function toSettings({ accountId: _, logoWidth, logoHeight, ...row }: Omit<SettingsRow, 'logo'>): PageSettings {
  const logo = logoWidth === null || logoHeight === null ? null : { width: logoWidth, height: logoHeight };
  return { ...row, logo };
}
