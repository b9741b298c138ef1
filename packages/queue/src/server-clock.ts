/** Postgres' time in milliseconds since 1970, as an expression. */
export const SERVER_TIME_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Ends what the wrong clock of a process of an earlier release has put hours into the future, for the queue $1: the
 * last search for jobs of killed processes, locks, and the next tries of failed jobs.
 */
export const END_FAR_TIMES = `
  WITH search AS (DELETE FROM meta WHERE queue = $1 AND field = 'stalled-check' AND value::bigint > ${SERVER_TIME_MS})
  UPDATE job SET locked_until_ms = least(locked_until_ms, ${SERVER_TIME_MS}), process_at_ms = least(process_at_ms, ${SERVER_TIME_MS})
  WHERE queue = $1 AND (
    (state = 'active' AND locked_until_ms > ${SERVER_TIME_MS} + 3600000)
    OR (state = 'delayed' AND process_at_ms > ${SERVER_TIME_MS} + 3600000))`;

const rewritten = new Map<string, string>();

/**
 * A statement of BullMQ with the server's time in place of the time of this process, which BullMQ sends. By a wrong clock,
 * a lock would last for hours, and the search for jobs of killed processes, which remembers its last time, would pause for
 * everybody. The comment above a statement says which parameter is the time. The parameter stays in use: Postgres would
 * not know its type otherwise.
 */
export function byServerClock(text: string): string {
  const known = rewritten.get(text) ?? rewrite(text);
  rewritten.set(text, known);
  return known;
}

function rewrite(text: string): string {
  const lines = text.split('\n');
  const isComment = (line: string) => line.startsWith('--');
  const [, time] = /\$(\d{1,2}) now(?:_ms)?\b/.exec(lines.filter(isComment).join('\n')) ?? [];
  if (time === undefined) return text;
  const serverTime = `greatest(least($${time}::bigint, ${SERVER_TIME_MS}), ${SERVER_TIME_MS})`;
  const change = (parameter: string, number: string) => (number === time ? serverTime : parameter);
  return lines.map((line) => (isComment(line) ? line : line.replace(/\$(\d{1,2})(?:::bigint)?/g, change))).join('\n');
}
