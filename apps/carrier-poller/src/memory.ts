import type { ConnectedProvider } from '@pts/carriers/provider';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';

/** Counts the failures of one kind of calls to a provider, over all processes, and pauses them. */
export type Breaker = {
  /** Its name in `provider_pauses`: the provider's for queries. */
  key: string;
  /** The calls that one UTC day may have. */
  dailyBudget?: number | undefined;
};

/** The breaker of queries. */
export function breakerOf({ name, limits }: Pick<ConnectedProvider, 'name' | 'limits'>): Breaker {
  return { key: name, dailyBudget: limits.dailyBudget };
}

/** A process's memory of its providers: of breakers by their key, otherwise by name. */
export type ProviderMemory = ReturnType<typeof createProviderMemory>;

export function createProviderMemory() {
  return {
    /**
     * Providers that are known to have an outage, and until when they are paused. Only these cost a write when a call
     * succeeds, and work that has started already does not call a paused provider.
     */
    outages: new Map<string, Date | null>(),
    /** Since when checks were due individually, at most, as the last sweep saw. */
    dueSince: new Map<string, Date>(),
    /** When the last call that succeeded was made. */
    succeededAt: new Map<string, Date>(),
    /** The pauses that the last sweep saw, in words for operators. */
    pauses: new Map<string, string>(),
    /** Numbers for which the provider may refuse whole calls. */
    suspects: createSuspects(),
  };
}

/** The most suspects per provider. Beyond it the oldest are dropped; their calls are then split again. */
const MAX_SUSPECTS = 10_000;

/**
 * Parcels of calls that were refused because of one of their numbers, in memory: each half of such a call is queried
 * separately, and finally the one number that the provider refuses.
 */
function createSuspects() {
  const known = new Map<string, Map<string, number>>();
  let groups = 0;
  const groupsOf = (provider: string) => known.get(provider) ?? new Map<string, number>();
  return {
    /** Checks, grouped by call: first all unsuspected ones together, then each group of suspects. */
    groups(provider: string, checks: readonly ClaimedCheck[]) {
      const own = groupsOf(provider);
      const groupOf = ({ trackingId }: ClaimedCheck) => own.get(trackingId) ?? 0;
      const among = [...new Set(checks.map(groupOf))].toSorted((a, b) => a - b);
      return among.map((group) => checks.filter((check) => groupOf(check) === group));
    },
    /** Divides a refused call in two. @returns the halves. */
    split(provider: string, checks: readonly ClaimedCheck[]) {
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
    /** They can share calls with others again. */
    clear(provider: string, checks: readonly ClaimedCheck[]) {
      const own = known.get(provider);
      if (own) for (const { trackingId } of checks) own.delete(trackingId);
    },
  };
}
