import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';

/**
 * Reads again what news has changed, as far as it is shown. A first read that is under way may be older than the news.
 * TanStack Query does not restart it, so another one follows when it has ended.
 */
export async function readAgain(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const inFlight = queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
  const first = inFlight.filter(({ state }) => state.data === undefined);
  await queries.invalidateQueries({ queryKey });
  if (first.length === 0) return;
  await Promise.allSettled(first.map(({ promise }) => promise));
  await queries.invalidateQueries({ queryKey });
}

/**
 * Forgets how a mutation with this key ended. Does nothing while one is under way, which the view may not have been
 * told yet: its result is still to be shown.
 */
export function useForget(mutationKey: readonly string[], reset: () => void): () => void {
  const queries = useQueryClient();
  return () => {
    if (queries.isMutating({ mutationKey }) === 0) reset();
  };
}

/** Whether something that runs in the background, such as an import, has ended. */
export function isOver({ state }: { state: string }): boolean {
  return state !== 'queued' && state !== 'running';
}
