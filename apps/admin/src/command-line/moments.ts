import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from './problem.ts';

/** Retries after a 429 that wait only a moment: the limits count each second, and `Retry-After` says 120. */
export const MOMENTS = 3;
const MOMENT_MS = 1200;

/** Waits until the second in which another program used up a limit of the API is over. */
export async function aMoment(): Promise<void> {
  await delay(MOMENT_MS);
}

/** A time from the command line. @throws UsageError */
export function readTime(option: string, text: string | undefined, fallback: Date): Date {
  if (text === undefined) return fallback;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${option} must be a time such as 2026-11-21T08:00:00Z, not "${text}".`);
  return time;
}
