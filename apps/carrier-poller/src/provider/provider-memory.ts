import type { ConnectedProvider } from '@pts/carriers/provider';
import { createSuspects, type Suspects } from '../check/suspects.ts';

/** What a process remembers of its providers. */
export type ProviderMemory = {
  /**
   * Providers that are known to have an outage, and until when they are paused. Only these cost a write when a call
   * succeeds, and jobs that are already in the queue do not call a paused provider.
   */
  outages: WeakMap<ConnectedProvider, Date | null>;
  /** When the last call that succeeded was made. */
  succeededAt: WeakMap<ConnectedProvider, Date>;
  /** When the sweep could last not enqueue what it had claimed. */
  lostAt: WeakMap<ConnectedProvider, Date>;
  /** By name: the pauses that the last sweep saw, in words for operators. */
  pauses: Map<string, string>;
  /** Numbers for which the provider may refuse whole calls. */
  suspects: Suspects;
};

export function createProviderMemory(): ProviderMemory {
  return {
    outages: new WeakMap(),
    succeededAt: new WeakMap(),
    lostAt: new WeakMap(),
    pauses: new Map(),
    suspects: createSuspects(),
  };
}
