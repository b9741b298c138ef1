import type { ConnectedProvider } from '@pts/carriers/provider';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';

/** The most suspects per provider. Beyond it the oldest are dropped; their calls are then split again. */
const MAX_SUSPECTS = 10_000;

/**
 * Parcels of calls that were refused because of one of their numbers, in memory: each half of such a call is queried
 * separately, and finally the one number that the provider refuses.
 */
export type Suspects = {
  /** The checks of a job, grouped by call: first all unsuspected ones together, then each group of suspects. */
  groups(provider: ConnectedProvider, checks: readonly ClaimedCheck[]): ClaimedCheck[][];
  /** Divides a refused call in two. @returns the halves. */
  split(provider: ConnectedProvider, checks: readonly ClaimedCheck[]): ClaimedCheck[][];
  /** They can share calls with others again. */
  clear(provider: ConnectedProvider, checks: readonly ClaimedCheck[]): void;
};

export function createSuspects(): Suspects {
  const known = new WeakMap<ConnectedProvider, Map<string, number>>();
  let groups = 0;
  const groupsOf = (provider: ConnectedProvider) => known.get(provider) ?? new Map<string, number>();
  return {
    groups(provider, checks) {
      const own = groupsOf(provider);
      const groupOf = ({ trackingId }: ClaimedCheck) => own.get(trackingId) ?? 0;
      const among = [...new Set(checks.map(groupOf))].toSorted((a, b) => a - b);
      return among.map((group) => checks.filter((check) => groupOf(check) === group));
    },
    split(provider, checks) {
      const own = groupsOf(provider);
      known.set(provider, own);
      const middle = Math.ceil(checks.length / 2);
      const halves = [checks.slice(0, middle), checks.slice(middle)];
      for (const half of halves) {
        groups += 1;
        for (const { trackingId } of half) {
          own.delete(trackingId);
          own.set(trackingId, groups);
        }
      }
      for (const oldest of own.keys()) {
        if (own.size <= MAX_SUSPECTS) break;
        own.delete(oldest);
      }
      return halves;
    },
    clear(provider, checks) {
      const own = known.get(provider);
      if (own) for (const { trackingId } of checks) own.delete(trackingId);
    },
  };
}
