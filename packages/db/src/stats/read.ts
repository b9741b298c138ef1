import { type StatsRange, weeksOf } from '@pts/core/stats';
import type { EventKind, Status, SubStatus } from '@pts/core/tracking/status';
import type { Db, HotTx } from '../connection.ts';
import { byIndex, column, columns, hotRows, type RowOf, rowsByIndex } from '../connection.ts';
import { Prisma, type StatCount, type StatEndpoint, type StatTransit } from '../generated/client.ts';

const PARCELS = columns({
  carrier: column<string>('carrier'),
  status: column<Status>('status'),
  subStatus: column<SubStatus>('sub_status'),
  parcels: column<number>('sum(parcels)::int'),
});

/** Parcels in a state. */
export type ParcelCount = RowOf<typeof PARCELS>;

type Request = { accountId: string } & StatsRange;
/** The figures of an account: its parcels now, and what is counted in a range. `isUpToDate`: no change waits beyond those included. */
export type Figures = {
  parcels: ParcelCount[];
  counts: IntervalCounts[];
  transits: TransitCount[];
  isUpToDate: boolean;
};

/** Changes that are not folded yet and still included, the oldest first: with more, figures are those of some time ago. */
const MAX_UNFOLDED = 10_000;

function unfolded(accountId: string, max = MAX_UNFOLDED): Prisma.Sql {
  return Prisma.sql`(
    SELECT * FROM public.stat_deltas WHERE account_id = ${accountId} ORDER BY id LIMIT ${Prisma.raw(String(max))}) d`;
}

const UP_TO_DATE = columns({ isUpToDate: column<boolean>(`count(*) <= ${MAX_UNFOLDED}`) });

/** Reads the figures of an account for a range; changes that are not folded yet are included, except for transit times. */
export async function readFigures(db: Pick<Db, '$hotTransaction'>, request: Request): Promise<Figures> {
  return byIndex(db, async (tx) => ({
    parcels: await readParcels(tx, request),
    counts: await readCounts(tx, request),
    transits: await readTransits(tx, request),
    isUpToDate: await readIsUpToDate(tx, request),
  }));
}

async function readIsUpToDate(db: HotTx, { accountId }: Request): Promise<boolean> {
  const [found] = await hotRows(
    db,
    UP_TO_DATE,
    (list) => Prisma.sql`SELECT ${list} FROM ${unfolded(accountId, MAX_UNFOLDED + 1)}`,
  );
  return found?.isUpToDate ?? true;
}

/** By carrier and state, as of now. */
async function readParcels(db: HotTx, { accountId }: Request): Promise<ParcelCount[]> {
  return hotRows(
    db,
    PARCELS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT carrier, status, sub_status, parcels FROM public.stat_parcels WHERE account_id = ${accountId}
        UNION ALL
        SELECT carrier, status, sub_status, amount FROM ${unfolded(accountId)} WHERE carrier IS NOT NULL) p
      GROUP BY carrier, status, sub_status HAVING sum(parcels) <> 0`,
  );
}

const CARRIER = columns({ carrier: column<string>('carrier') });

/** The carriers of an account's parcels, those with most parcels first. */
export async function readCarriers(db: Db, accountId: string): Promise<string[]> {
  const found = await hotRows(
    db,
    CARRIER,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT carrier, parcels FROM public.stat_parcels WHERE account_id = ${accountId}
        UNION ALL
        SELECT carrier, amount FROM ${unfolded(accountId)} WHERE carrier IS NOT NULL) p
      GROUP BY carrier HAVING sum(parcels) > 0 ORDER BY sum(parcels) DESC, carrier`,
  );
  return found.map(({ carrier }) => carrier);
}

/** What is counted per interval. */
export type Figure = 'registered' | EventKind | 'accepted' | 'failed';

/**
 * A figure, its bucket and how often it was counted. Of accepted pushes, the bucket is that of their lag (`lagUpTo`), -1 for those
 * that were sent once more; otherwise it is 0.
 */
export type Count = [figure: Figure, bucket: number, amount: number];

/** A row for each interval: one for each count would take most of the time of a request. */
const COUNTS = columns({
  at: column<StatCount['at']>('at'),
  counts: column<Count[]>('jsonb_agg(jsonb_build_array(figure, bucket, amount))'),
});

/** What is counted in an interval, by its start. A figure and bucket may appear twice. */
export type IntervalCounts = RowOf<typeof COUNTS>;

async function readCounts(db: HotTx, { accountId, from, to, interval }: Request): Promise<IntervalCounts[]> {
  const [since, until] = [Prisma.sql`${from.toISOString()}::timestamptz`, Prisma.sql`${to.toISOString()}::timestamptz`];
  return hotRows(
    db,
    COUNTS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT at, figure, bucket, amount FROM public.stat_counts
        WHERE account_id = ${accountId} AND grain = ${interval} AND at >= ${since} AND at < ${until}
        UNION ALL
        SELECT date_trunc(${interval}, hour, 'UTC'), figure, bucket, amount FROM ${unfolded(accountId)}
        WHERE hour >= ${since} AND hour < ${until}) c
      GROUP BY at`,
  );
}

const ENDPOINT_HOURS = columns({
  webhookId: column<StatEndpoint['webhookId']>('webhook_id'),
  at: column<StatEndpoint['at']>('at'),
  accepted: column<number>('sum(accepted)::int'),
  failed: column<number>('sum(failed)::int'),
});

/** The attempts of an endpoint in an hour, by its start. */
export type EndpointHour = RowOf<typeof ENDPOINT_HOURS>;

/** The attempts of an account's endpoints by hour; hours without any are left out. */
export async function readEndpointHours(
  db: Pick<Db, '$hotTransaction'>,
  { accountId, from }: { accountId: string; from: Date },
): Promise<EndpointHour[]> {
  const since = Prisma.sql`${from.toISOString()}::timestamptz`;
  return rowsByIndex(
    db,
    ENDPOINT_HOURS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT webhook_id, at, accepted, failed FROM public.stat_endpoints WHERE account_id = ${accountId} AND at >= ${since}
        UNION ALL
        SELECT webhook_id, hour, CASE WHEN figure = 'accepted' THEN amount ELSE 0 END,
          CASE WHEN figure = 'failed' THEN amount ELSE 0 END
        FROM ${unfolded(accountId)} WHERE webhook_id IS NOT NULL AND hour >= ${since}) h
      GROUP BY webhook_id, at`,
  );
}

const TRANSITS = columns({
  carrier: column<StatTransit['carrier']>('carrier'),
  origin: column<StatTransit['origin']>('origin'),
  destination: column<StatTransit['destination']>('destination'),
  /** The upper bound of the bucket. */
  hours: column<StatTransit['hours']>('hours'),
  parcels: column<number>('sum(parcels)::int'),
  carrierExpected: column<number>('sum(carrier_expected)::int'),
  carrierInTime: column<number>('sum(carrier_in_time)::int'),
  historyExpected: column<number>('sum(history_expected)::int'),
  historyInTime: column<number>('sum(history_in_time)::int'),
});

/** Delivered parcels of a lane whose transit time is in a bucket, and how many of them arrived in time. */
export type TransitCount = RowOf<typeof TRANSITS>;

/** Of the parcels that were reported as delivered on the days (UTC) of the range. */
async function readTransits(db: HotTx, { accountId, ...range }: Request): Promise<TransitCount[]> {
  const { weeks, days } = weeksOf(range);
  const within = (grain: 'day' | 'week', [from, to]: [Date, Date]) => Prisma.sql`
    SELECT * FROM public.stat_transits WHERE account_id = ${accountId} AND grain = ${grain}
      AND at >= ${from.toISOString()}::timestamptz AND at < ${to.toISOString()}::timestamptz`;
  return hotRows(
    db,
    TRANSITS,
    (list) => Prisma.sql`
      SELECT ${list}
      FROM (${within('week', weeks)} UNION ALL ${within('day', days[0])} UNION ALL ${within('day', days[1])}) t
      GROUP BY carrier, origin, destination, hours`,
  );
}
