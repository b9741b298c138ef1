import { lowestId } from '@pts/core/id';
import {
  type AccountNotice,
  FAILING_ATTEMPTS,
  FAILING_PERCENTS,
  KEY_DAYS,
  type NoticeKindAndDetails,
  OUT_SECONDS,
  WORKING_MINUTES,
} from '@pts/core/notices';
import { toUtcSeconds } from '@pts/core/time';
import {
  column,
  columns,
  columnsOf,
  type Db,
  executeByIndex,
  instant,
  type RowOf,
  rows,
  rowsByIndex,
  type Tx,
} from './connection.ts';
import { newestOfEndpoint } from './deliveries/log.ts';
import { Prisma, type ProviderPause } from './generated/client.ts';
import { DEADLINES } from './pool.ts';

type NewNotice = NoticeKindAndDetails & { accountId: string; subject: string; occurrence?: string; since: Date };

/** Stores a notice together with its cause; one that is known and lasts is left as it is. */
export async function storeNotice(tx: Pick<Tx, 'accountNotice'>, notice: NewNotice): Promise<void> {
  await tx.accountNotice.createMany({ data: [notice], skipDuplicates: true });
}

/** Stores that an endpoint was disabled: what failed before is over. */
export async function storeDisabled(
  tx: Pick<Tx, 'accountNotice'>,
  { accountId, webhookId, url, reason }: { accountId: string; webhookId: string; url: string; reason: string },
  now: Date,
): Promise<void> {
  await tx.accountNotice.updateMany({
    where: { accountId, kind: 'webhook_failing', subject: webhookId, until: null },
    data: { until: now },
  });
  const which = { accountId, subject: webhookId, occurrence: toUtcSeconds(now), since: now };
  await storeNotice(tx, { ...which, kind: 'webhook_disabled', details: { url, reason } });
}

/** The end of a statement that inserts notices. */
const ONCE = Prisma.raw('ON CONFLICT (account_id, kind, subject, occurrence) WHERE until IS NULL DO NOTHING');

/** The account of a row is not disabled. As a join, this might read all accounts. */
const isActive = (row: string) =>
  Prisma.raw(`(SELECT disabled_at IS NULL FROM public.accounts WHERE id = ${row}.account_id)`);

/** How far back failures are looked for: a sweep that was away for less misses none. */
const FAILED_MINUTES = 60;

/** Endpoints that one statement looks at: those that failed longest ago come first. */
const LOOKED_AT = 1000;

/** Notes the endpoints of whose newest attempts many fail. One that has the last of these notices is not looked at. */
export async function findFailing(db: Db, now: Date): Promise<void> {
  const { max, min } = FAILING_ATTEMPTS;
  const newest = newestOfEndpoint({ accountId: Prisma.sql`w.account_id`, webhookId: Prisma.sql`w.id` }, max);
  await executeByIndex(
    db,
    Prisma.sql`
      WITH failing AS MATERIALIZED (
        SELECT id, account_id, url, COALESCE(failing_since, last_failed_at) AS since FROM public.webhooks w
        WHERE last_failed_at > ${instant(new Date(now.getTime() - FAILED_MINUTES * 60_000))} AND enabled AND NOT EXISTS (
          SELECT 1 FROM public.account_notices k WHERE k.account_id = w.account_id AND k.kind = 'webhook_failing'
            AND k.subject = w.id AND k.occurrence = ${String(Math.max(...FAILING_PERCENTS))} AND k.until IS NULL)
        ORDER BY last_failed_at LIMIT ${Prisma.raw(String(LOOKED_AT))}
      )
      INSERT INTO public.account_notices (account_id, kind, subject, occurrence, details, since)
      SELECT w.account_id, 'webhook_failing', w.id, l.percent,
        jsonb_build_object('url', w.url, 'percent', l.percent, 'attempts', r.attempts, 'failed', r.failed), w.since
      FROM failing w CROSS JOIN LATERAL (
        SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE error IS NOT NULL))::int AS failed FROM (${newest}) n) r
      CROSS JOIN LATERAL (
        SELECT max(reached) AS percent FROM unnest(${[...FAILING_PERCENTS]}::int[]) AS reached
        WHERE r.failed * 100 >= r.attempts * reached) l
      WHERE r.attempts >= ${min}::int AND l.percent IS NOT NULL
      ${ONCE}`,
  );
}

/**
 * Notes the endpoints that work again after they failed or were disabled: their newest push was accepted, and none has
 * failed for a while, or none of many. Notices of deleted ones end silently.
 */
export async function findRecovered(db: Db, now: Date): Promise<void> {
  const newest = newestOfEndpoint(
    { accountId: Prisma.sql`n.account_id`, webhookId: Prisma.sql`n.subject` },
    FAILING_ATTEMPTS.max,
  );
  const quietSince = instant(new Date(now.getTime() - WORKING_MINUTES * 60_000));
  await executeByIndex(
    db,
    Prisma.sql`
      WITH working AS MATERIALIZED (
        SELECT n.id, n.account_id, n.subject, w.url FROM public.account_notices n
        LEFT JOIN LATERAL (
          SELECT * FROM public.webhooks WHERE id = n.subject AND account_id = n.account_id OFFSET 0) w ON true
        LEFT JOIN LATERAL (
          SELECT max(a.id) AS newest, max(a.id) FILTER (WHERE a.error IS NULL) AS accepted,
            count(*) FILTER (WHERE a.error IS NOT NULL) AS failed, count(*) AS attempts FROM (${newest}) a) r ON true
        WHERE n.kind IN ('webhook_failing', 'webhook_disabled') AND n.until IS NULL AND (w.id IS NULL OR (
          w.enabled AND w.failing_since IS NULL AND r.accepted = r.newest AND r.newest > n.id
          AND (COALESCE(w.last_failed_at <= ${quietSince}, true) OR (r.failed = 0 AND r.attempts = ${FAILING_ATTEMPTS.max}::int))))
      ), over AS (
        UPDATE public.account_notices n SET until = ${instant(now)} FROM working
        WHERE n.id = working.id AND n.account_id = working.account_id AND n.until IS NULL
        RETURNING n.account_id, n.subject, working.url
      )
      INSERT INTO public.account_notices (account_id, kind, subject, occurrence, details, since)
      SELECT DISTINCT account_id, 'webhook_recovered', subject, ${toUtcSeconds(now)}, jsonb_build_object('url', url), ${instant(now)}
      FROM over WHERE url IS NOT NULL
      ${ONCE}`,
  );
}

/** Notes the keys that expire soon. */
export async function findExpiring(db: Db, now: Date): Promise<void> {
  const until = instant(new Date(now.getTime() + KEY_DAYS * 86_400_000));
  await executeByIndex(
    db,
    Prisma.sql`
      INSERT INTO public.account_notices (account_id, kind, subject, details, since)
      SELECT k.account_id, 'key_expiring', k.id, jsonb_build_object('name', k.name, 'hint', k.hint,
          'expires_at', to_char(k.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ${instant(now)}
      FROM public.api_keys k
      WHERE k.expires_at > ${instant(now)} AND k.expires_at <= ${until} AND k.revoked_at IS NULL
        AND k.expires_at - k.created_at >= interval '1 day' AND ${isActive('k')} AND NOT EXISTS (
          SELECT 1 FROM public.account_notices n WHERE n.account_id = k.account_id AND n.kind = 'key_expiring'
            AND n.subject = k.id AND n.until IS NULL)
      ${ONCE}`,
  );
}

const OUT = columns({
  ...columnsOf<ProviderPause>('p')('provider', 'beganAt'),
});

/** A provider that is out. */
export type ProviderOut = RowOf<typeof OUT>;

/** The providers that are out and whose accounts do not have the notice yet. Other breakers have a suffix. */
export async function findOut(db: Db, now: Date): Promise<ProviderOut[]> {
  return rows(
    db,
    OUT,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.provider_pauses p
      WHERE NOT p.noticed AND p.paused_until > ${instant(now)} AND p.provider NOT LIKE '%:%'
        AND p.paused_until >= p.updated_at + make_interval(secs => ${OUT_SECONDS}::float8)`,
  );
}

/** Checks that one statement reads to find whose they are. */
const WALKED = 10_000;
const PAGE = columns({ last: column<string | null>('max(tracking_id)'), size: column<number>('count(*)::int') });

/**
 * Notes for all accounts with parcels that a provider is asked about that it is out, page by page of the schedule: once
 * for each outage. If the process is killed, another one begins again, and stores none twice.
 */
export async function noteOut(db: Db, { provider, beganAt }: ProviderOut): Promise<void> {
  const isOut = Prisma.sql`EXISTS (
    SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND began_at = ${instant(beganAt)})`;
  for (let after: string | null = ''; after !== null; ) {
    const [page]: RowOf<typeof PAGE>[] = await rowsByIndex(
      db.$within(DEADLINES.bulk),
      PAGE,
      (list) => Prisma.sql`
        WITH page AS MATERIALIZED (
          SELECT tracking_id, account_id, provider FROM public.checks WHERE tracking_id > ${after}
          ORDER BY tracking_id LIMIT ${WALKED}
        ), noted AS (
          INSERT INTO public.account_notices (account_id, kind, subject, details, since)
          SELECT DISTINCT page.account_id, 'provider_out', ${provider}, jsonb_build_object('provider', ${provider}::text), ${instant(beganAt)}
          FROM page WHERE page.provider = ${provider} AND ${isOut} AND ${isActive('page')}
          ${ONCE}
        )
        SELECT ${list} FROM page`,
    );
    after = page?.size === WALKED ? page.last : null;
  }
  await db.providerPause.updateMany({ where: { provider, beganAt }, data: { isNoticed: true } });
}

/** Accounts that get the notice that a provider is back in one statement. */
const BACK_AT_ONCE = 1000;
const BACK = columns({ count: column<number>('(SELECT count(*)::int FROM over)') });

/**
 * Notes that providers are back, for up to `BACK_AT_ONCE` accounts that have the notice that they are out.
 * @returns whether there may be more.
 */
export async function findBack(db: Db, now: Date): Promise<{ more: boolean }> {
  const [found] = await rowsByIndex(
    db,
    BACK,
    (list) => Prisma.sql`
      WITH back AS MATERIALIZED (
        SELECT n.id FROM public.account_notices n WHERE n.kind = 'provider_out' AND n.until IS NULL
          AND NOT EXISTS (SELECT 1 FROM public.provider_pauses p WHERE p.provider = n.subject AND p.began_at = n.since)
        LIMIT ${BACK_AT_ONCE}
      ), over AS (
        UPDATE public.account_notices n SET until = ${instant(now)} FROM back WHERE n.id = back.id AND n.until IS NULL
        RETURNING n.account_id, n.subject, n.since, n.details
      ), noted AS (
        INSERT INTO public.account_notices (account_id, kind, subject, occurrence, details, since)
        SELECT account_id, 'provider_back', subject, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), details, ${instant(now)}
        FROM over
        ${ONCE}
      )
      SELECT ${list}`,
  );
  return { more: found?.count === BACK_AT_ONCE };
}

/** The notices of an account, newest first, before one of them. */
export async function listNotices(
  db: Db,
  { accountId, before, limit }: { accountId: string; before?: string | undefined; limit: number },
): Promise<AccountNotice[]> {
  const found = await db.accountNotice.findMany({
    where: { accountId, ...(before && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit,
    select: { id: true, kind: true, subject: true, details: true, since: true, until: true },
  });
  return found as unknown as AccountNotice[];
}

/** Keys are looked at for as long before their end, and must not be found again. */
const KEPT_DAYS = KEY_DAYS + 1;

/** Deletes up to `batch` notices from before a time, except for those that last. @returns their number. */
export async function forgetNotices(
  db: Db,
  { before, now, batch }: { before: Date; now: Date; batch: number },
): Promise<number> {
  const latest = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  return db.$executeRaw`
    DELETE FROM public.account_notices WHERE id = ANY (ARRAY(
      SELECT id FROM public.account_notices WHERE id < ${lowestId(before < latest ? before : latest)} AND sent_at IS NOT NULL
        AND (until IS NOT NULL OR kind NOT IN ('webhook_failing', 'webhook_disabled', 'provider_out'))
      ORDER BY id LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}
