import { setTimeout as delay } from 'node:timers/promises';

/** Retries after a 429 that wait only a moment: the limits count each second, and `Retry-After` says 120. */
export const MOMENTS = 3;
const MOMENT_MS = 1200;

/** Waits until the second in which another program used up a limit of the API is over. */
export async function aMoment(): Promise<void> {
  await delay(MOMENT_MS);
}
