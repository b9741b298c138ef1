import { attemptIdAt } from '@pts/core/webhook/attempt-id';
import { beginHistory, partitionsOf } from '@pts/db/testing/history';
import { eventually } from '@pts/testing/eventually';
import { createDispatcherMetrics } from '../process/metrics.ts';
import { startTestDispatch } from '../testing/test-dispatcher.ts';

const DAY_MS = 24 * 3_600_000;

test('a dispatcher creates the partitions ahead, drops what has expired without a dead row, and tells both', async () => {
  const given = await startTestDispatch('postgres');
  const metrics = createDispatcherMetrics();
  const began = new Date(Date.now() - 90 * DAY_MS);
  try {
    await beginHistory(given.db, began);
    await given.db.$executeRaw`SELECT history_rotate(30, ${began.toISOString()}::timestamptz)`;
    await given.db.$executeRaw`
      INSERT INTO delivery_attempts (id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
      SELECT ${attemptIdAt(began)}::bigint + n, 'm', 'w', 'a', 'ping', 1, ${began.toISOString()}::timestamptz, 200, 5 FROM generate_series(1, 20000) n`;
    given.dispatch({ metrics });
    await eventually(async () => expect(await given.db.deliveryAttempt.count()).toBe(0));
    const names = (await partitionsOf(given.db)).map(({ name }) => name);
    expect([names[0], names.at(-1), names.length > 2]).toEqual(['floor', 'tail', true]);
    await given.db.$executeRaw`SELECT pg_stat_force_next_flush()`;
    expect(
      await given.db
        .$queryRaw`SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_user_tables WHERE relname LIKE 'delivery\\_attempts%'`,
    ).toEqual([{ dead: 0 }]);
    await eventually(async () => {
      const shown = await metrics.registry.metrics();
      const value = (name: string) =>
        Number(new RegExp(`^${name}\\{.*table="delivery_attempts".*\\} (.+)$`, 'm').exec(shown)?.[1]);
      expect(value('pts_history_ahead_seconds')).toBeGreaterThan(86_400);
      expect(value('pts_history_expired_seconds')).toBe(0);
    });
  } finally {
    await given.close();
  }
});
