const DAY_MS = 24 * 3_600_000;
/** RFC 3339, as generated clients send it: any time zone, up to nanoseconds. */
const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/;

export type ReplayRange = { since: Date; until: Date };
export type RangeFault = { field: 'since' | 'until'; message: string };

/** The time range to replay (until now by default), or what is wrong with it. */
export function replayRange(
  input: { since: string; until?: string | undefined },
  { now, retentionDays }: { now: Date; retentionDays: number },
): ReplayRange | RangeFault {
  const since = instant(input.since);
  const until = input.until === undefined ? now : instant(input.until);
  const form = 'must be a time with a time zone (RFC 3339), such as 2026-03-01T16:00:00Z';
  if (since === null) return { field: 'since', message: form };
  if (until === null) return { field: 'until', message: form };
  if (until > now) return { field: 'until', message: 'must not be in the future' };
  if (since >= until) return { field: 'since', message: 'must be before until, and in the past' };
  if (now.getTime() - since.getTime() > retentionDays * DAY_MS)
    return { field: 'since', message: `must not be more than ${retentionDays} days ago; older messages have expired` };
  return { since, until };
}

/** Null if the date does not exist: `Date` alone would parse 30 February as 2 March. */
function instant(text: string): Date | null {
  const [, local, fraction = '', sign, hours = '0', minutes = '0'] = INSTANT.exec(text) ?? [];
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  const date = new Date(`${local}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== local) return null;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(date.getTime() - ahead * 60_000);
}
