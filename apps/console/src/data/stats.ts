import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { startOfDay } from '../behaviour/dates.ts';
import { useClient } from '../session/client.tsx';

/**
 * Events have the counts of now read again (feed.ts). This interval is for what has no event: pushes, the end of an
 * hour or a day, and counts that were still behind their events.
 */
const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Periods up to now: the last hours, or days of the reader's calendar. */
const PERIODS = {
  '24h': { interval: 'hour', from: () => new Date(Date.now() - 23 * HOUR_MS) },
  '7d': { interval: 'day', from: () => startOfDay(new Date(), -6) },
  '30d': { interval: 'day', from: () => startOfDay(new Date(), -29) },
  '90d': { interval: 'day', from: () => startOfDay(new Date(), -89) },
} as const;
export type StatsPeriod = keyof typeof PERIODS;
export const STATS_PERIODS = Object.keys(PERIODS) as readonly StatsPeriod[];

/**
 * The figures of the account, interval by interval. The counts of its parcels are those of now, whatever the period.
 */
export function useStats(period: StatsPeriod) {
  const client = useClient();
  const { interval, from } = PERIODS[period];
  return useQuery({
    queryKey: ['stats', period],
    queryFn: ({ signal }) => client.stats.get({ from: from().toISOString(), interval }, { signal }),
    staleTime: interval === 'hour' ? 0 : EVERY_MS,
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}
