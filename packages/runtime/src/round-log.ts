import type { Logger } from './logger.ts';

/** Logs repeated failures without a line for each. Times are in milliseconds. */
export type RoundLog = {
  failed(err: unknown, at: number): void;
  ended(at: number): void;
};

/** The interval between two lines about the same rounds. */
const EVERY_MS = 60_000;

/** Logs the first failure, then at most one a minute with how many there were, then the recovery. */
export function createRoundLog(logger: Pick<Logger, 'error' | 'info'>, fields: Record<string, unknown>): RoundLog {
  let failures = 0;
  let since = 0;
  let toldAt = 0;
  return {
    failed(err, at) {
      failures += 1;
      if (failures === 1) since = at;
      else if (at - toldAt < EVERY_MS) return;
      toldAt = at;
      logger.error({ err, ...fields, failures, seconds: seconds(since, at) }, 'round failed');
    },
    ended(at) {
      if (failures === 0) return;
      logger.info({ ...fields, failures, seconds: seconds(since, at) }, 'rounds succeed again');
      failures = 0;
    },
  };
}

function seconds(from: number, to: number): number {
  return Math.round((to - from) / 1000);
}
