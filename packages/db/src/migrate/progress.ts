import type pg from 'pg';

type Watched = {
  pool: pg.Pool;
  /** The session that migrates. */
  client: pg.ClientBase;
  everyMs: number;
  tell(line: string): void;
};

type Progress = { seconds: number; phase: string | null; percent: number | null };

/** A percentage is of the current phase: a concurrent build scans the table twice, and waits for writers in between. */
const PROGRESS = `
  SELECT extract(epoch FROM clock_timestamp() - a.query_start)::int AS seconds, p.phase,
    CASE WHEN p.blocks_total > 0 THEN 100 * p.blocks_done / p.blocks_total
         WHEN p.tuples_total > 0 THEN 100 * p.tuples_done / p.tuples_total
         WHEN p.lockers_total > 0 THEN 100 * p.lockers_done / p.lockers_total END::int AS percent
  FROM pg_stat_activity a LEFT JOIN pg_stat_progress_create_index p USING (pid)
  WHERE a.pid = $1 AND a.state = 'active' AND clock_timestamp() - a.query_start > $2 * interval '1 millisecond'`;

/** Tells regularly how far the statement of a session has come, as long as one takes longer than `everyMs`. */
export async function watchProgress({ pool, client, everyMs, tell }: Watched): Promise<{ stop(): Promise<void> }> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const look = async () => {
    const seen = await pool.query<Progress>(PROGRESS, [rows[0]?.pid, everyMs]);
    for (const progress of seen.rows) tell(inWords(progress));
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // That the progress cannot be read is no reason to stop.
    looking = looking.then(look).catch(() => {});
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return looking;
    },
  };
}

function inWords({ seconds, phase, percent }: Progress): string {
  const running = `the statement has been running for ${seconds} s`;
  if (phase === null) return running;
  return percent === null ? `${running}: ${phase}` : `${running}: ${phase}, ${percent} %`;
}
