import { useQueryClient } from '@tanstack/react-query';

/**
 * Forgets how a mutation with this key ended. Does nothing while one is under way, which the view may not have been told yet: its result
 * is still to be shown.
 */
export function useForget(mutationKey: readonly string[], reset: () => void): () => void {
  const queries = useQueryClient();
  return () => {
    if (queries.isMutating({ mutationKey }) === 0) reset();
  };
}
