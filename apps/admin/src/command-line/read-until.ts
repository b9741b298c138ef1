import { parseInstant } from '@pts/core/time';
import { UsageError } from './problem.ts';

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
    throw new UsageError('Say for how long: --for 90m (s, m, h or d), or --until 2027-01-31T00:00:00Z.');
  const end = given.for === undefined ? readInstant(given.until ?? '') : new Date(now.getTime() + readMs(given.for));
  if (end <= now || end.getTime() > now.getTime() + maxDays * 86_400_000)
    throw new UsageError(`It must end in the future, within ${maxDays} days.`);
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
