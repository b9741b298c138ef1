import { createFailureThrottle, secondsBetween } from '@pts/core/process/failure-throttle';
import type { Logger } from '../logger.ts';

export type Loop = {
  /** Whether it is less than `staleMs` ago that the last round ended, or that the next one was due. */
  isAlive(staleMs: number): boolean;
  stop(): Promise<void>;
};

/** Whether an error is reported elsewhere. */
export type Took = (error: unknown) => boolean;

/** One round of a loop. @returns whether there is more to do, or after which pause to continue. */
export type Round = () => Promise<{ more: boolean; pauseMs?: number }>;

/** The maximum pause after failed rounds, unless the interval is longer. */
const MAX_BACKOFF_MS = 5000;

/**
 * Runs `round` repeatedly: after `intervalMs`, after the pause that a round asks for, or at once if it reports that
 * there is more to do. After a round that throws, the next one follows after a pause that doubles with each failure:
 * unfinished work is still due. The first failure is logged, then one line a minute at most, then the recovery; errors
 * that `took` reports are not.
 */
export function startLoop(
  name: string,
  intervalMs: number,
  logger: Logger,
  round: Round,
  took: Took = () => false,
): Loop {
  const rounds = createRoundLog(logger, { loop: name });
  let failures = 0;
  let stopped = false;
  let dueAt = performance.now();
  let wake = () => {};
  const run = async () => {
    while (!stopped) {
      let more = false;
      let pauseMs = intervalMs;
      try {
        ({ more, pauseMs = intervalMs } = await round());
        rounds.ended(performance.now());
        failures = 0;
      } catch (err) {
        failures += 1;
        if (!took(err)) rounds.failed(err, performance.now());
      }
      const restMs = more ? 0 : pauseAfter(failures, pauseMs) * (0.9 + 0.2 * Math.random());
      dueAt = performance.now() + restMs;
      if (!more && !stopped) await pause(restMs);
    }
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const running = run();
  return {
    isAlive: (staleMs) => performance.now() - dueAt < staleMs,
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}

/** Starts loops whose rounds do nothing while the process may take no work. */
export function workLoops(logger: Logger, takesWork: () => boolean, took?: Took) {
  return (name: string, intervalMs: number, round: Round): Loop =>
    startLoop(name, intervalMs, logger, async () => (takesWork() ? round() : { more: false }), took);
}

/** How long to wait after this many failed rounds in a row, in milliseconds before jitter. */
export function pauseAfter(failures: number, intervalMs: number): number {
  if (failures === 0) return intervalMs;
  return Math.max(intervalMs, Math.min(MAX_BACKOFF_MS, intervalMs * 2 ** Math.min(failures, 16)));
}

/** Figures of the whole installation are shown for a minute after a look (`clusterGauge`). */
const LOOK_EVERY_MS = 15_000;
const SWEEPS_PER_LOOK = 15;

/** How often to look at what is due. More often only where sweeps are, as in tests. */
export function lookEveryMs(sweepIntervalMs: number): number {
  return Math.min(LOOK_EVERY_MS, SWEEPS_PER_LOOK * sweepIntervalMs);
}

/**
 * Logs the first failure of rounds, then at most one a minute with how many there were, then the recovery. Times are in
 * milliseconds.
 */
export function createRoundLog(logger: Pick<Logger, 'error' | 'info'>, fields: Record<string, unknown>) {
  const throttle = createFailureThrottle();
  return {
    failed(err: unknown, at: number) {
      const failures = throttle.failed(at);
      if (!failures) return;
      const { count, firstAt } = failures;
      logger.error({ err, ...fields, failures: count, seconds: secondsBetween(firstAt, at) }, 'round failed');
    },
    ended(at: number) {
      const failures = throttle.succeeded(at);
      if (!failures) return;
      const { count, firstAt } = failures;
      logger.info({ ...fields, failures: count, seconds: secondsBetween(firstAt, at) }, 'rounds succeed again');
    },
  };
}
