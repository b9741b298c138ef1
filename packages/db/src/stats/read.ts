import type { StatsRange } from '@pts/core/stats/range';
import type { EventKind } from '@pts/core/tracking/emit';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import type { Db } from '../connection/client.ts';
import { column, columns, hotRows, type RowOf } from '../connection/rows.ts';
import { Prisma, type StatCount, type StatTransit } from '../generated/client.ts';

const PARCELS = columns({
  carrier: column<string>('carrier'),
  status: column<Status>('status'),
  subStatus: column<SubStatus>('sub_status'),
  parcels: column<number>('sum(parcels)::int'),
});

/** Parcels in a state. */
export type ParcelCount = RowOf<typeof PARCELS>;

/** The parcels of an account by carrier and state, as of now. */
export async function readParcels(db: Pick<Db, '$hot'>, accountId: string): Promise<ParcelCount[]> {
  return hotRows(
    db,
    PARCELS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT carrier, status, sub_status, parcels FROM public.stat_parcels WHERE account_id = ${accountId}
        UNION ALL
        SELECT carrier, status, sub_status, amount FROM public.stat_deltas
        WHERE account_id = ${accountId} AND carrier IS NOT NULL) p
      GROUP BY carrier, status, sub_status HAVING sum(parcels) <> 0`,
  );
}

/** What is counted per interval. */
export type Figure = 'registered' | EventKind | 'accepted' | 'failed';

const COUNTS = columns({
  at: column<StatCount['at']>('at'),
  figure: column<Figure>('figure'),
  /** Of accepted pushes, the bucket of their lag (`lagUpTo`); -1 for those that were sent once more. Otherwise 0. */
  bucket: column<StatCount['bucket']>('bucket'),
  amount: column<number>('sum(amount)::int'),
});

/** A count of an interval. */
export type IntervalCount = RowOf<typeof COUNTS>;
type Request = { accountId: string; from: Date; to: Date };

/** The counts of an account in a range, by the start of their interval. */
export async function readCounts(
  db: Pick<Db, '$hot'>,
  { accountId, from, to, interval }: { accountId: string } & StatsRange,
): Promise<IntervalCount[]> {
  const [since, until] = [Prisma.sql`${from.toISOString()}::timestamptz`, Prisma.sql`${to.toISOString()}::timestamptz`];
  return hotRows(
    db,
    COUNTS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT at, figure, bucket, amount FROM public.stat_counts
        WHERE account_id = ${accountId} AND grain = ${interval} AND at >= ${since} AND at < ${until}
        UNION ALL
        SELECT date_trunc(${interval}, hour, 'UTC'), figure, bucket, amount FROM public.stat_deltas
        WHERE account_id = ${accountId} AND hour >= ${since} AND hour < ${until}) c
      GROUP BY at, figure, bucket`,
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

/** The transit times of the parcels of an account that were reported as delivered on the days (UTC) of a range, as far as they are folded. */
export async function readTransits(db: Pick<Db, '$hot'>, { accountId, from, to }: Request): Promise<TransitCount[]> {
  return hotRows(
    db,
    TRANSITS,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.stat_transits
      WHERE account_id = ${accountId} AND day >= date_trunc('day', ${from.toISOString()}::timestamptz, 'UTC')
        AND day < ${to.toISOString()}::timestamptz
      GROUP BY carrier, origin, destination, hours`,
  );
}
