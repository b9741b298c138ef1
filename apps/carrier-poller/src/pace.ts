import { setTimeout as delay } from 'node:timers/promises';
import type { Provider } from '@pts/carriers/provider';
import type { Db } from '@pts/db/connection';
import { lateMsOf, type Permits, type PermitsWanted, spacingMsOf, takePermits } from '@pts/db/providers';

/** Limits calls to a provider to its rate. */
export type Pace = {
  /**
   * Waits for the next permit to call the provider.
   * @returns 0 once the caller has it or `signal` was aborted; otherwise the milliseconds until a permit that is too
   *   far away to wait for, and the call must not be made now.
   */
  permit(signal: AbortSignal): Promise<number>;
  /** Whether the next permit is known to be too far away to wait for. */
  isFar(): boolean;
  /** The calls of this process in flight, and the waits for a permit. */
  calls: ReturnType<typeof createCalls>;
};

/** A worker waits this long for its permit; beyond it, its checks wait in Postgres instead. */
export const MAX_WAIT_SECONDS = 10;
/** Whether so few calls are allowed that most permits are too far away to wait for, and checks wait in Postgres. */
export function isSlow({ limits }: Pick<Provider, 'limits'>): boolean {
  return limits.callsPerSecond <= 1;
}

/** At high rates, the permits of this much time are taken from the database together. */
const TOGETHER_MS = 100;

/** Takes permits from those of all processes. */
type Take = (wanted: Omit<PermitsWanted, 'provider'>) => Promise<Permits>;

/** The pace of a provider, which all processes on the database keep together. */
export function paceOf({ name, limits }: Pick<Provider, 'name' | 'limits'>, db: Db): Pace {
  return createPace(limits.callsPerSecond, (wanted) => takePermits(db, { ...wanted, provider: name }));
}

/**
 * The part of one process.
 * @param take takes permits from those of all processes.
 * @param elapsed a monotonic clock in milliseconds.
 */
export function createPace(callsPerSecond: number, take: Take, elapsed = () => performance.now()): Pace {
  const spacingMs = spacingMsOf(callsPerSecond);
  const lateMs = lateMsOf(callsPerSecond);
  const count = Math.max(1, Math.floor(TOGETHER_MS / spacingMs));
  const calls = createCalls();
  /** Permits of this process that were not used yet. */
  let left = 0;
  let nextAtMs = 0;
  /** How late these may be used. */
  let slackMs = lateMs;
  /** How much more time than its permits need is taken the next time. */
  let spareMs = 0;
  let farUntilMs = 0;
  let taking: Promise<number> | null = null;

  function ownTick(): { atMs: number; untilMs: number } | null {
    // Permits that passed unused are lost: making up for them would be a burst.
    const passed = Math.max(0, Math.ceil((elapsed() - nextAtMs) / spacingMs) - 1);
    left -= passed;
    if (left <= 0) return null;
    const atMs = nextAtMs + passed * spacingMs;
    left -= 1;
    nextAtMs = atMs + spacingMs;
    return { atMs, untilMs: atMs + slackMs };
  }

  /** @returns the milliseconds until a permit that is too far away; 0 if permits were taken. */
  async function takeMore(): Promise<number> {
    const startedAtMs = elapsed();
    const { taken, waitMs } = await take({ count, spacingMs, spareMs, maxWaitMs: MAX_WAIT_SECONDS * 1000 });
    const answeredAtMs = elapsed();
    nextAtMs = answeredAtMs + waitMs;
    // Counted from the answer, permits are later than the database knows by up to the time that it took.
    const tookMs = answeredAtMs - startedAtMs;
    slackMs = Math.min(lateMs, lateMs + spareMs - tookMs);
    spareMs = Math.max(0, tookMs - lateMs / 2);
    if (taken) {
      left = slackMs > 0 ? count : 0;
      return 0;
    }
    farUntilMs = nextAtMs - MAX_WAIT_SECONDS * 1000;
    return Math.max(1, waitMs);
  }

  return {
    calls,
    isFar: () => elapsed() < farUntilMs,
    async permit(signal) {
      while (!signal.aborted) {
        const tick = ownTick();
        if (tick !== null) {
          const waitMs = tick.atMs - elapsed();
          if (waitMs > 0) await calls.count(() => delay(waitMs, undefined, { signal })).catch(() => {});
          // Calls that a stalled process held back would leave all at once: such a permit has passed.
          if (elapsed() <= tick.untilMs) return 0;
          continue;
        }
        taking ??= takeMore().finally(() => {
          taking = null;
        });
        const farMs = await taking;
        if (farMs > 0) return farMs;
      }
      return 0;
    },
  };
}

/**
 * Counts the calls to a provider, with their waits for a permit: how many there are at once, on average.
 * @param now a monotonic clock in milliseconds.
 */
export function createCalls(now = () => performance.now()) {
  let running = 0;
  let callMs = 0;
  let lookedAt = now();
  let countedAt = lookedAt;
  const addUp = () => {
    const at = now();
    callMs += running * (at - countedAt);
    countedAt = at;
  };
  const change = (by: number) => {
    addUp();
    running += by;
  };
  return {
    /** Makes a call, and counts it while it runs. */
    async count<T>(call: () => Promise<T>): Promise<T> {
      change(1);
      try {
        return await call();
      } finally {
        change(-1);
      }
    },
    /** The average since the last look. */
    look() {
      addUp();
      const average = countedAt > lookedAt ? callMs / (countedAt - lookedAt) : running;
      callMs = 0;
      lookedAt = countedAt;
      return average;
    },
  };
}
