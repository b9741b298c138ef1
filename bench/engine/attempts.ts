import type { Db } from '@pts/db/connection';
import { rotateHistory } from '@pts/db/deliveries/retention';
import { beginHistory } from '@pts/db/testing/history';
import { queryOnce } from '@pts/testing/database';

const DAY_MS = 24 * 3_600_000;
/** How far back the attempts go: a month, up to the days that retention keeps at least. */
const DAYS = 35;
const MIN_KEPT_DAYS = 4;
/** So long they are kept until `dropAttempts`. */
const KEPT_DAYS = 40;
const CONCURRENCY = 2;

/** Gives an installation without history the partitions of the last month, with a number of attempts spread over them. */
export async function fillAttempts(db: Db, url: string, total: number, show: (done: number) => void): Promise<void> {
  const now = Date.now();
  await beginHistory(db, new Date(now - DAYS * DAY_MS));
  for (let ago = DAYS; ago >= 0; ago--)
    await rotateHistory(db, { retentionDays: KEPT_DAYS, now: new Date(now - ago * DAY_MS) });
  const parts = await db.$queryRaw<{ name: string; begins: number; ends: number }[]>`
    SELECT name, begins, ends FROM history_partitions
    WHERE "table" = 'delivery_attempts' AND begins IS NOT NULL AND ends <= history_period(now() - make_interval(days => ${MIN_KEPT_DAYS})) ORDER BY begins`;
  const each = Math.ceil(total / parts.length);
  let done = 0;
  const lane = async () => {
    for (let part = parts.shift(); part; part = parts.shift()) {
      await queryOnce(url, insertInto(part, each));
      done += each;
      show(done);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  await queryOnce(url, "SELECT history_analyze('delivery_attempts')");
}

/** Rows as the dispatcher writes them, but without the details of the connection; a thousand endpoints of a hundred accounts, one in fifty failed. */
const insertInto = ({ name, begins, ends }: { name: string; begins: number; ends: number }, count: number) => `
INSERT INTO ${name} (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
SELECT lpad(to_hex(seconds), 8, '0') || lpad(to_hex(n), 16, '0'), n, lpad(to_hex(seconds >> 16), 4, '0') || left(md5(n::text), 20),
  lpad(to_hex(n % 1000), 24, 'b'), lpad(to_hex(n % 100), 24, 'a'), 'tracking_update', 1, to_timestamp(seconds),
  CASE WHEN n % 50 = 0 THEN 500 ELSE 200 END, CASE WHEN n % 50 = 0 THEN 'status code 500' END, 40
FROM (SELECT n, (${begins}::bigint << 16) + ${(ends - begins) * 65_536}::bigint * n / ${count} AS seconds
  FROM generate_series(0, ${count - 1}) n) rows`;

/** Drops that month as its retention ends. @returns seconds, and the rows that are left dead */
export async function dropAttempts(db: Db, url: string): Promise<{ seconds: number; dead: number }> {
  const startedAt = performance.now();
  await rotateHistory(db, { retentionDays: MIN_KEPT_DAYS, now: new Date() });
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await queryOnce<{ dead: number }>(
    url,
    "SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_user_tables WHERE relname LIKE 'delivery_attempts%'",
  );
  return { seconds, dead: rows[0]?.dead ?? 0 };
}
