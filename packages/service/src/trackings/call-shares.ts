import type { Provider } from '@pts/carriers/provider';

/** An account has this part of a provider's calls. */
const PART = 1 / 4;
const WINDOW_MS = 5000;

/** The numbers that accounts have taken until the window ends. */
type Window = { endsAt: number; taken: Map<string, number> };

/**
 * The shares of accounts in the calls that a provider allows. Jobs run in their order: without shares, those of one account that
 * registers thousands would be before those of all others.
 * @param now a monotonic clock in milliseconds.
 * @returns takes from the share of an account. Its result is how many of the numbers are within it.
 */
export function createCallShares(now = () => performance.now()) {
  const windows = new Map<string, Window>();
  return ({ name, limits }: Pick<Provider, 'name' | 'limits'>, accountId: string, wanted: number): number => {
    // Of a slow provider, a share is one call in a longer time.
    const callMs = 1000 / (PART * limits.callsPerSecond);
    const windowMs = Math.max(WINDOW_MS, callMs);
    let window = windows.get(name);
    if (window === undefined || window.endsAt <= now()) {
      window = { endsAt: now() + windowMs, taken: new Map() };
      windows.set(name, window);
    }
    const taken = window.taken.get(accountId) ?? 0;
    const granted = Math.min(wanted, Math.floor(windowMs / callMs) * limits.batchSize - taken);
    window.taken.set(accountId, taken + granted);
    return granted;
  };
}
