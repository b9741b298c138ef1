import { type Db, openDatabase } from '@pts/db/connection/client';
import { listAttempts } from '@pts/db/deliveries/log';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { type Figure, figure } from '../parts/figure.ts';

const STEP = 500_000;
const STEPS = 4;
const READS = 300;
const BUSY = '1'.repeat(24);
const QUIET = '2'.repeat(24);

/**
 * The time of a page of the delivery log, of an account with half of 2,000,000 attempts, against that of a bare read of one
 * record by its primary key. The first figure is taken at a quarter of the rows: it shows how the time grows with them.
 */
export async function benchDeliveryLog(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  try {
    const { account } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
    const list = (more: object) => () => listAttempts(db, { accountId: account.id, limit: 51, ...more });
    const figures: Figure[] = [];
    for (let step = 0; step < STEPS; step++) {
      await fill(db, account.id, step * STEP);
      if (step > 0 && step < STEPS - 1) continue;
      const count = (step + 1) * STEP;
      const one = (read: number) =>
        db.$queryRaw`SELECT * FROM delivery_attempts WHERE id = ${idOf((read * 7919) % count)}`;
      const bare = await millis(one);
      const name = `delivery-log-${count / 1e6}M`;
      figures.push(figure(name, await millis(list({})), bare, 'ms'));
      figures.push(figure(`${name}-old`, await millis(list({ before: idOf(count / 10) })), bare, 'ms'));
      figures.push(figure(`${name}-quiet`, await millis(list({ webhookId: QUIET })), bare, 'ms'));
      figures.push(figure(`${name}-failed`, await millis(list({ failed: true })), bare, 'ms'));
      figures.push(figure(`${name}-event`, await millis(list({ event: 'tracking_exception' })), bare, 'ms'));
    }
    return figures;
  } finally {
    await db.$disconnect();
    await database.close();
  }
}

const idOf = (n: number) => n.toString(16).padStart(24, '0');

/** Half of the attempts are the account's: at a busy endpoint, nine others, and a few at a quiet one; 1 in 100 has failed. */
async function fill(db: Db, accountId: string, from: number): Promise<void> {
  for (let at = from; at < from + STEP; at += STEP / 10) {
    await db.$executeRaw`
      INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code,
        error, duration_ms, response_excerpt)
      SELECT lpad(to_hex(n), 24, '0'), n, lpad(n::text, 24, '0'),
        CASE WHEN n % 100000 = 0 THEN ${QUIET} WHEN n % 4 = 0 THEN ${BUSY} ELSE lpad((n % 9)::text, 24, '3') END,
        CASE WHEN n % 2 = 0 THEN ${accountId} ELSE lpad((n % 1000)::text, 24, 'a') END,
        CASE WHEN n % 500 = 0 THEN 'tracking_exception' WHEN n % 20 = 2 THEN 'tracking_delivered' ELSE 'tracking_update' END,
        1, now(), 200, CASE WHEN n % 100 = 50 THEN 'the receiver answered 500' END, 12, 'ok'
      FROM generate_series(${at + 1}::int, ${at + STEP / 10}::int) n`;
  }
  await db.$executeRaw`VACUUM ANALYZE delivery_attempts`;
}

/** The median time of many reads, one after the other. */
async function millis(read: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < READS; index++) {
    const startedAt = performance.now();
    await read(index);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[READS / 2] ?? 0;
}
