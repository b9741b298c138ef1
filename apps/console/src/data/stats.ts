import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { startOfDay } from '../behaviour/dates.ts';
import { useClient } from '../session/client.tsx';

const EVERY_MS = 60_000;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const DAYS = 30;

/** The last 24 hours, hour by hour. */
export function useLastHours() {
  const client = useClient();
  return useQuery({
    queryKey: ['stats', 'hour'],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (HOURS - 1) * HOUR_MS).toISOString();
      return client.stats.get({ from, interval: 'hour' }, { signal });
    },
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** The last 30 days, for transit times, and the parcels of the account by carrier. */
export function useLastDays() {
  const client = useClient();
  return useQuery({
    queryKey: ['stats', 'day'],
    queryFn: ({ signal }) => {
      const from = startOfDay(new Date(), 1 - DAYS).toISOString();
      return client.stats.get({ from, interval: 'day' }, { signal });
    },
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}
