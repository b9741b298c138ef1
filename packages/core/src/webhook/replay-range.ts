import { INSTANT_FORM, parseInstant } from '../time.ts';

const DAY_MS = 24 * 3_600_000;

export type ReplayRange = { since: Date; until: Date };
export type RangeFault = { field: 'since' | 'until'; message: string };

/** The time range to replay (until now by default), or what is wrong with it. */
export function replayRange(
  input: { since: string; until?: string | undefined },
  { now, retentionDays }: { now: Date; retentionDays: number },
): ReplayRange | RangeFault {
  const since = parseInstant(input.since);
  const until = input.until === undefined ? now : parseInstant(input.until);
  if (since === null) return { field: 'since', message: INSTANT_FORM };
  if (until === null) return { field: 'until', message: INSTANT_FORM };
  if (until > now) return { field: 'until', message: 'must not be in the future' };
  if (since >= until) return { field: 'since', message: 'must be before until, and in the past' };
  if (now.getTime() - since.getTime() > retentionDays * DAY_MS)
    return { field: 'since', message: `must not be more than ${retentionDays} days ago; older messages have expired` };
  return { since, until };
}
