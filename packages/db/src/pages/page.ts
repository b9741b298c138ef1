import type { Annotations } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { column, columns, type Db, hotRows, type RowOf } from '../connection.ts';
import { Prisma, type PageSettings as SettingsRow, type Tracking } from '../generated/client.ts';

const PAGE = columns({
  trackingNumber: column<Tracking['trackingNumber']>('t.tracking_number'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  /** Whether the carrier is still one of several candidates. */
  isUndecided: column<boolean>('(t.detected AND t.candidates IS NOT NULL)'),
  provider: column<Tracking['provider']>('t.provider'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  scans: column<Scan[]>('t.events'),
  annotations: column<Annotations | null>('t.annotations'),
  destinationCountry: column<Tracking['destinationCountry']>('t.destination_country'),
  createdAt: column<Tracking['createdAt']>('t.created_at'),
  updatedAt: column<Tracking['updatedAt']>('t.updated_at'),
  /** When its polling ended; null while it is polled. Of a number that its carrier rejected, when it did. */
  stoppedAt: column<Tracking['stoppedAt']>(`COALESCE(t.stopped_at, CASE WHEN NOT EXISTS (
    SELECT FROM public.checks c WHERE c.tracking_id = t.id AND c.account_id = t.account_id) THEN t.answered_at END)`),
  shopName: column<SettingsRow['name']>('g.name'),
  color: column<SettingsRow['color']>('g.color'),
  shopUrl: column<SettingsRow['shopUrl']>('g.shop_url'),
  supportUrl: column<SettingsRow['supportUrl']>('g.support_url'),
  hideCarrier: column<SettingsRow['hideCarrier']>('g.hide_carrier'),
  hidePlaces: column<SettingsRow['hidePlaces']>('g.hide_places'),
  embedOrigins: column<SettingsRow['embedOrigins']>('g.embed_origins'),
  goneAfterDays: column<SettingsRow['goneAfterDays']>('g.gone_after_days'),
  logoWidth: column<SettingsRow['logoWidth']>('g.logo_width'),
  logoHeight: column<SettingsRow['logoHeight']>('g.logo_height'),
});

/** What the page of a tracking is made of: nothing of its inputs or its account. */
export type PageRecord = RowOf<typeof PAGE>;

/** Which page: the tracking, and the generation of its link. */
type PageKey = { trackingId: string; generation: number };

/** The page that a link leads to; null for a link that was renewed or revoked, or of an account that has no pages or is disabled. */
export async function findPage(db: Db, key: PageKey): Promise<PageRecord | null> {
  const [page] = await hotRows(db, PAGE, (list) => pageOf(key, list));
  return page ?? null;
}

const LOGO = columns({ logo: column<Buffer | null>('g.logo') });

/** The logo of the shop whose page a link leads to; null as with `findPage`, and if there is none. */
export async function findLogo(db: Db, key: PageKey): Promise<Buffer | null> {
  const [row] = await hotRows(db, LOGO, (list) => pageOf(key, list));
  return row?.logo ?? null;
}

function pageOf({ trackingId, generation }: PageKey, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${list} FROM public.trackings t
    JOIN public.accounts a ON a.id = t.account_id AND a.disabled_at IS NULL
    JOIN public.page_settings g ON g.account_id = t.account_id AND g.enabled
    WHERE t.id = ${trackingId} AND t.page_revoked_at IS NULL AND COALESCE(t.page_generation, 0)::bigint = ${generation}::bigint`;
}
