import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import type { Db } from '../connection.ts';
import { endLeases, loadDue, recordAttempts, renewLeases, takeAndLoad, takeLeases } from './attempts.ts';
import { prune } from './retention.ts';

const NOW = new Date();
let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(10);
  db = database.db;
  // Their processes are not paused for as long as a lease lasts. One that has ended has no holder.
  await db.$executeRaw`CREATE FUNCTION public.lengthen() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.expires_at = NEW.expires_at + interval '1 hour'; RETURN NEW; END $$`;
  await db.$executeRaw`CREATE TRIGGER lengthen BEFORE INSERT OR UPDATE ON public.endpoint_turns
    FOR EACH ROW WHEN (NEW.holder <> '') EXECUTE FUNCTION public.lengthen()`;
});
afterEach(() => database.close());

/** An endpoint with pending deliveries whose lease was taken before, and ended. */
const accounts = new Map<string, string>();
async function endpoint(count = 1) {
  const account = await newAccount(db, NOW);
  const { id } = await newWebhook(db, account, NOW);
  accounts.set(id, account);
  for (let n = 0; n < count; n++) await newDeliveries(db, account, NOW);
  await takeLeases(db, 'earlier', [id]);
  await endLeases(db, 'earlier', [id]);
  return { id, account };
}
const all = (id: string) => allDue({ id, accountId: accounts.get(id) ?? '' });
const take = (holder: string, ...ids: string[]) => takeAndLoad(db, holder, ids.map(all), NOW);
/** Records everything that is due to an endpoint as delivered, and ends the lease with it. */
async function finish(holder: string, id: string) {
  const due = await loadDue(db, [all(id)], NOW);
  const outcomes = due.map((delivery) => attemptOf(delivery, { startedAt: NOW }));
  await recordAttempts(db, outcomes, { holder, webhookIds: [id] });
}

test('one statement takes a lease and loads what is due, for many endpoints', async () => {
  const [one, two] = [await endpoint(2), await endpoint(1)];
  const { endpoints, due } = await take('a', one.id, two.id);
  expect(endpoints.toSorted()).toEqual([one.id, two.id].sort());
  expect(due.map(({ webhookId }) => webhookId).sort()).toEqual([one.id, one.id, two.id].sort());
  expect(await takeLeases(db, 'b', [one.id, two.id])).toEqual([]);
});

test('a lease that another process holds is neither taken nor loaded', async () => {
  const { id } = await endpoint();
  await takeLeases(db, 'b', [id]);
  expect(await take('a', id)).toEqual({ endpoints: [], due: [] });
});

test('a lease that was refused to another process says so once, at its end: there may be more to send', async () => {
  const { id } = await endpoint();
  await take('a', id);
  expect(await takeLeases(db, 'b', [id])).toEqual([]);
  expect(await endLeases(db, 'a', [id])).toEqual([id]);
  await take('b', id);
  expect(await recordAttempts(db, [], { holder: 'b', webhookIds: [id] })).toEqual([]);
  await take('c', id);
  await takeLeases(db, 'a', [id]);
  expect(await recordAttempts(db, [], { holder: 'c', webhookIds: [id] })).toEqual([id]);
});

test('the lease of a disabled endpoint is taken, and nothing is loaded for it', async () => {
  const { id } = await endpoint();
  await db.webhook.update({ where: { id }, data: { enabled: false } });
  expect(await take('a', id)).toEqual({ endpoints: [id], due: [] });
});

test('the record of the last attempt ends the lease: any process can take it at once', async () => {
  const { id } = await endpoint();
  await take('a', id);
  await finish('a', id);
  expect(await take('b', id)).toEqual({ endpoints: [id], due: [] });
  await renewLeases(db, 'a', [id]);
  await recordAttempts(db, [], { holder: 'a', webhookIds: [id] });
  expect(await takeLeases(db, 'c', [id])).toEqual([]);
});

test.each([
  ['ends', true],
  ['begins and ends', false],
])(
  'a lease that %s while a statement runs is not taken by it: it would load again what that lease has delivered',
  async (_what, isBefore) => {
    const { id } = await endpoint();
    if (isBefore) await take('a', id);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('SELECT pg_advisory_lock(7)');
    // The statement waits, with its snapshot, before it looks at the lease as it is by then.
    const $hot = (text: string, values: readonly unknown[]) =>
      db.$hot(text.replace('SELECT webhook_id, xmin', 'SELECT pg_advisory_xact_lock(7), webhook_id, xmin'), values);
    const late = takeAndLoad({ $hot }, 'b', [all(id)], NOW);
    await eventually(async () => {
      // Others wait for locks of the same kind, in their databases.
      const { rowCount } = await blocker.query(`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`);
      expect(rowCount).toBe(1);
    });
    if (!isBefore) await take('a', id);
    await finish('a', id);
    await blocker.query('SELECT pg_advisory_unlock(7)');
    expect(await late).toEqual({ endpoints: [], due: [] });
    await blocker.end();
  },
);

test('of processes that work for the same endpoints at once, no two load the same delivery', async () => {
  const { id, account } = await endpoint();
  const loaded: string[] = [];
  let isOver = false;
  const work = async (holder: string) => {
    while (!isOver) {
      const { due } = await take(holder, id);
      loaded.push(...due.map(({ deliveryId }) => deliveryId));
      const outcomes = due.map((delivery) => attemptOf(delivery, { startedAt: NOW }));
      await recordAttempts(db, outcomes, { holder, webhookIds: [id] });
    }
  };
  const working = ['a', 'b', 'c'].map(work);
  for (let n = 0; n < 40; n++) await newDeliveries(db, account, NOW);
  await eventually(async () => expect(await db.delivery.count({ where: { state: 'owed' } })).toBe(0));
  isOver = true;
  await Promise.all(working);
  expect(loaded).toHaveLength(41);
  expect(new Set(loaded).size).toBe(41);
});

test('leases that nobody has taken for a day are removed', async () => {
  const [old, recent] = [await endpoint(), await endpoint()];
  await db.endpointLease.update({
    where: { webhookId: old.id },
    data: { expiresAt: new Date(Date.now() - 90_000_000) },
  });
  await prune(db, { before: new Date(0), overdue: new Date(0), batch: 10 });
  expect(await db.endpointLease.findMany({ select: { webhookId: true } })).toEqual([{ webhookId: recent.id }]);
});
