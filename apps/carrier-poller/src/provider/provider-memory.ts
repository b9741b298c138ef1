import type { ConnectedProvider } from '@pts/carriers/provider';
import { createSuspects, type Suspects } from '../check/suspects.ts';

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

/** What a process remembers of its providers: of breakers by their key, otherwise by name. */
export type ProviderMemory = {
  /**
   * Providers that are known to have an outage, and until when they are paused. Only these cost a write when a call
   * succeeds, and work that has started already does not call a paused provider.
   */
  outages: Map<string, Date | null>;
  /** When the last call that succeeded was made. */
  succeededAt: Map<string, Date>;
  /** The pauses that the last sweep saw, in words for operators. */
  pauses: Map<string, string>;
  /** Numbers for which the provider may refuse whole calls. */
  suspects: Suspects;
};

export function createProviderMemory(): ProviderMemory {
  return {
    outages: new Map(),
    succeededAt: new Map(),
    pauses: new Map(),
    suspects: createSuspects(),
  };
}
