import { setTimeout as delay } from 'node:timers/promises';
import { UsageError, wholeNumber } from '@pts/client/cli/kit';
import { parseInstant } from '@pts/core/time';

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

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * When something ends: `--for 90m`, or `--until 2027-01-31T00:00:00Z`. Exactly one of them must be given.
 * @throws UsageError
 */
export function readUntil(
  given: { for?: string | undefined; until?: string | undefined },
  { now, maxDays }: { now: Date; maxDays: number },
): Date {
  if ((given.for === undefined) === (given.until === undefined))
    throw new UsageError(
      'Add either --for with a duration such as 90m (s, m, h or d), or --until with a time such as 2027-01-31T00:00:00Z.',
    );
  const end = given.for === undefined ? readInstant(given.until ?? '') : new Date(now.getTime() + readMs(given.for));
  if (end <= now || end.getTime() > now.getTime() + maxDays * 86_400_000)
    throw new UsageError(`The end must be in the future, at most ${maxDays} days from now.`);
  return end;
}

function readInstant(text: string): Date {
  const instant = parseInstant(text);
  if (!instant) throw new UsageError(`--until must be a time such as 2027-01-31T00:00:00Z, not "${text}".`);
  return instant;
}

function readMs(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === '') throw new UsageError(`--for must be a number and a unit such as 90m, 6h or 2d, not "${text}".`);
  return Number(amount) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS] * 1000;
}

/** `name` is the option or variable. */
export function readUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name} must be an address such as https://example.com, not "${text}".`);
  return text.replace(/\/{1,99}$/, '');
}

/** A whole number from the command line. @throws UsageError */
export function readNumber(
  option: string,
  text: string | undefined,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  return text === undefined ? fallback : wholeNumber(`--${option}`, text, min, max);
}
