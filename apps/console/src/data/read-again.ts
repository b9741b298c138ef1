import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Reads again what news has changed, as far as it is shown. A first read that is under way may be older than the news. TanStack
 * Query does not restart it, so another one follows when it has ended.
 */
export async function readAgain(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const underWay = queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
  const first = underWay.filter(({ state }) => state.data === undefined);
  await queries.invalidateQueries({ queryKey });
  if (first.length === 0) return;
  await Promise.allSettled(first.map(({ promise }) => promise));
  await queries.invalidateQueries({ queryKey });
}
