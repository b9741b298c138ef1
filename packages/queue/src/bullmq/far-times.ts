const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Ends what the wrong clock of a process of an earlier release has put hours into the future, for the queue $1: the
 * last search for jobs of killed processes, locks, and the next tries of failed jobs.
 */
export const END_FAR_TIMES = `
  WITH search AS (DELETE FROM meta WHERE queue = $1 AND field = 'stalled-check' AND value::bigint > ${NOW_MS})
  UPDATE job SET locked_until_ms = least(locked_until_ms, ${NOW_MS}), process_at_ms = least(process_at_ms, ${NOW_MS})
  WHERE queue = $1 AND (
    (state = 'active' AND locked_until_ms > ${NOW_MS} + 3600000)
    OR (state = 'delayed' AND process_at_ms > ${NOW_MS} + 3600000))`;
