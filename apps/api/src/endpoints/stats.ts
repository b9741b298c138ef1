import * as contract from '@pts/contract/stats';
import { toUtcSeconds } from '@pts/core/time';
import { type Activity, readStats, type TransitStats } from '@pts/service/stats';
import { operation } from '../http/operation.ts';

/** GET /stats */
export const getStats = operation(contract.getStats, {
  async run(deps, { account }, query) {
    const { from, to, interval, parcels, totals, intervals, transit, isUpToDate } = await deps.reads.read(
      account.id,
      (db) => readStats({ db, now: deps.now }, { accountId: account.id, ...query }),
    );
    const { total, statuses, subStatuses, carriers } = parcels;
    const subStatusCounts = subStatuses.map(({ subStatus, parcels }) => ({ sub_status: subStatus, parcels }));
    return {
      from: toUtcSeconds(from),
      to: toUtcSeconds(to),
      interval,
      up_to_date: isUpToDate,
      parcels: { total, statuses, sub_statuses: subStatusCounts, carriers },
      totals: viewActivity(totals),
      intervals: intervals.map(({ start, ...activity }) => ({
        start: toUtcSeconds(start),
        ...viewActivity(activity),
      })),
      transit: {
        carriers: transit.carriers.map(({ carrier, ...times }) => ({ carrier, ...viewTransit(times) })),
        lanes: transit.lanes.map(({ carrier, origin, destination, ...times }) => ({
          carrier,
          origin,
          destination,
          ...viewTransit(times),
        })),
      },
    };
  },
});

function viewActivity({ pushes, ...counts }: Activity) {
  const { accepted, failed, successShare, lagP50Ms, lagP95Ms } = pushes;
  const pushCounts = { accepted, failed, success_share: successShare, lag_ms_p50: lagP50Ms, lag_ms_p95: lagP95Ms };
  return { ...counts, pushes: pushCounts };
}

function viewTransit({ parcels, hoursP50, hoursP90, inTime }: TransitStats) {
  return { parcels, hours_p50: hoursP50, hours_p90: hoursP90, in_time: inTime };
}
