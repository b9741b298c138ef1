import { rotateHistory } from '@pts/db/deliveries/retention';
import { beginHistory, partitionsOf } from '@pts/db/testing/history';
import { eventually } from '@pts/testing/eventually';
import { createDispatcherMetrics } from '../process/metrics.ts';
import { startTestDispatch } from '../testing/test-dispatcher.ts';

const DAY_MS = 24 * 3_600_000;

test('a dispatcher creates the partitions ahead, drops what has expired without a dead row, and tells both', async () => {
  const given = await startTestDispatch('postgres');
  const metrics = createDispatcherMetrics();
  // As if none had run for a long time: older than what is deleted row by row.
  const began = new Date(Date.now() - 100 * DAY_MS);
  try {
    await beginHistory(given.db, began);
    await rotateHistory(given.db, { retentionDays: 30, now: began });
    await given.db.$executeRaw`
      INSERT INTO delivery_attempts (id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
      SELECT history_id_at(${began.toISOString()}::timestamptz) || lpad(n::text, 20, '0'), 'm', 'w', 'a', 'ping', 1, ${began.toISOString()}::timestamptz, 200, 5 FROM generate_series(1, 20000) n`;
    await given.db.$executeRaw`
      WITH stored AS (
        INSERT INTO messages (id, account_id, event, body, created_at)
        SELECT history_id_at(created_at) || lpad(n::text, 20, '0'), 'a', 'tracking_update', '{}', created_at
        FROM generate_series(1, 20000) n, (SELECT ${began.toISOString()}::timestamptz AS created_at) t RETURNING id)
      INSERT INTO deliveries (message_id, webhook_id, account_id, state) SELECT id, 'w', 'a', 'delivered' FROM stored`;
    given.dispatch({ metrics });
    await eventually(async () => {
      const counts = [given.db.message.count(), given.db.delivery.count(), given.db.deliveryAttempt.count()];
      expect(await Promise.all(counts)).toEqual([0, 0, 0]);
    });
    for (const table of ['messages', 'deliveries', 'delivery_attempts'] as const) {
      const names = (await partitionsOf(given.db, table)).map(({ name }) => name);
      expect([names[0], names.at(-1), names.length > 2]).toEqual(['floor', 'tail', true]);
    }
    await given.db.$executeRaw`SELECT pg_stat_force_next_flush()`;
    expect(
      await given.db
        .$queryRaw`SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_user_tables JOIN history_partitions ON name = relname`,
    ).toEqual([{ dead: 0 }]);
    await eventually(async () => {
      const shown = await metrics.registry.metrics();
      for (const table of ['messages', 'deliveries', 'delivery_attempts']) {
        const value = (name: string) =>
          Number(new RegExp(`^${name}\\{.*table="${table}".*\\} (.+)$`, 'm').exec(shown)?.[1]);
        expect(value('pts_history_ahead_seconds')).toBeGreaterThan(86_400);
        expect(value('pts_history_expired_seconds')).toBe(0);
      }
    });
  } finally {
    await given.close();
  }
});
