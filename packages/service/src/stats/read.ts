import { refusedField } from '@pts/core/errors';
import { type Interval, type StatsRange, statsRange } from '@pts/core/stats';
import { countParcels, readFigures } from '@pts/db/stats';
import type { ServiceContext } from '../context.ts';
import {
  type Activity,
  activitiesOf,
  activityOf,
  type Parcels,
  parcelsOf,
  type Transits,
  transitsOf,
} from './summary.ts';

export type Stats = StatsRange & {
  parcels: Parcels;
  totals: Activity;
  intervals: (Activity & { start: Date })[];
  transit: Transits;
  /** False: events or pushes wait for more than a minute to be counted, and figures are too low. */
  isUpToDate: boolean;
};

/**
 * The figures of an account: its parcels now, what happened in each interval of a range, and how long delivered parcels took.
 * @throws ServiceError `invalid_field` if the range is refused.
 */
export async function readStats(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, ...input }: { accountId: string; from?: string; to?: string; interval?: Interval },
): Promise<Stats> {
  const range = statsRange(input, now());
  if ('field' in range) throw refusedField(range.field, range.message);
  const [parcels, { counts, transits, isUpToDate }] = [
    await countParcels(db, accountId),
    await readFigures(db, { accountId, ...range }),
  ];
  return {
    ...range,
    parcels: parcelsOf(parcels),
    totals: activityOf(counts.flatMap((interval) => interval.counts)),
    intervals: activitiesOf(counts, range),
    transit: transitsOf(transits),
    isUpToDate,
  };
}
