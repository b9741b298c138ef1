import type { ProviderClient } from '../provider.ts';
import type { ReleaseOutcome } from '../push.ts';

/** Releases numbers by the provider's own ids, one call each. A number without an id cannot be released: it is deleted. */
export function releaseById(
  release: (remoteId: string, signal: AbortSignal | undefined) => Promise<ReleaseOutcome>,
): NonNullable<ProviderClient['release']> {
  return (questions, signal) =>
    Promise.all(
      questions.map(({ remoteId }) =>
        remoteId === null ? Promise.resolve({ kind: 'unknown' as const }) : release(remoteId, signal),
      ),
    );
}
