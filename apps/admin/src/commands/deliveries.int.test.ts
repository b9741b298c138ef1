import type { Db } from '@pts/db/connection';
import { loadDue, recordAttempts, takeLeases } from '@pts/db/deliveries/attempts';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import { readDepths } from '@pts/queue/operate';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { admin } from '../testing/run.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

describe('with a queue', () => {
  let database: OpenTestDatabase;
  let db: Db;
  let queue: TestQueue;
  beforeEach(async () => {
    database = await openTestDatabase(2);
    db = database.db;
    queue = await testQueue('redis', database.url);
  });
  afterEach(async () => {
    await queue.close();
    await database.close();
  });

  const run = (argv: string[], now = NOW) => {
    const { redisUrl = '', prefix } = queue.options;
    const env = { DATABASE_URL: database.url, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix };
    return admin(argv, env, () => now);
  };
  const json = async <T>(argv: string[], now = NOW) => JSON.parse((await run([...argv, '--json'], now)).stdout) as T;

  type Pending = { webhooks: { id: string; pending: number; state: string; overdue_seconds: number }[] };

  /** An endpoint with a delivery whose next attempt is an hour away. @returns its id and its account. */
  async function retrying() {
    const accountId = await newAccount(db, NOW);
    const { id } = await newWebhook(db, accountId, NOW);
    await newDeliveries(db, accountId, NOW);
    const [due] = await loadDue(db, [allDue({ id, accountId })], NOW);
    if (!due) throw new Error('nothing is due');
    const failed = {
      startedAt: NOW,
      statusCode: 500,
      error: 'HTTP 500',
      state: 'owed',
      nextAttemptAt: later(3600),
    } as const;
    await recordAttempts(db, [attemptOf(due, failed)]);
    return { id, accountId };
  }

  test('what is pending is listed, and counts as stuck once it has been due for long at a healthy receiver', async () => {
    expect((await run(['deliveries', 'pending'])).stdout).toBe('No deliveries are pending.\n');
    const accountId = await newAccount(db, NOW);
    const { id } = await newWebhook(db, accountId, NOW);
    await newDeliveries(db, accountId, NOW);
    const { webhooks } = await json<Pending>(['deliveries', 'pending', '--account', accountId], later(30));
    expect(webhooks).toEqual([expect.objectContaining({ id, pending: 1, state: 'healthy', overdue_seconds: 30 })]);
    const other = await newAccount(db, NOW);
    expect(await json(['deliveries', 'pending', '--account', other])).toEqual({ webhooks: [] });
    expect(await run(['deliveries', 'stuck'], later(30))).toMatchObject({
      code: 0,
      stdout: 'No delivery is overdue by 60 s.\n',
    });
    expect(await run(['deliveries', 'stuck'], later(61))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(id),
    });
    await db.webhook.update({ where: { id }, data: { failingSince: NOW } });
    expect(await run(['deliveries', 'stuck'], later(61))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(id),
    });
  });

  test('a requeued delivery is due now, as the same attempt, and its dispatcher is woken; a dry run only counts', async () => {
    const { id, accountId } = await retrying();
    expect(await json(['deliveries', 'requeue', '--webhook', id, '--dry-run'])).toEqual({
      webhooks: [{ webhook_id: id, deliveries: 1 }],
      woken: false,
      dry_run: true,
    });
    expect(await loadDue(db, [allDue({ id, accountId })], later(1))).toEqual([]);
    expect(await json(['deliveries', 'requeue', '--account', accountId])).toMatchObject({
      webhooks: [{ webhook_id: id, deliveries: 1 }],
      woken: true,
    });
    expect(await loadDue(db, [allDue({ id, accountId })], later(1))).toMatchObject([{ attempt: 2, round: 0 }]);
    expect(await readDepths(queue, [DELIVER_QUEUE])).toMatchObject([{ waiting: 1 }]);
    expect((await json<{ webhooks: object[] }>(['deliveries', 'requeue', '--webhook', id])).webhooks).toEqual([
      { webhook_id: id, deliveries: 0 },
    ]);
    const [entry] = await db.auditEntry.findMany({ where: { action: 'deliveries requeue' }, take: 1 });
    expect(entry?.accountId).toBe(accountId);
  });

  test('what its receiver has put off with Retry-After is sent now, unless it is a dry run', async () => {
    const { id, accountId } = await retrying();
    await newDeliveries(db, accountId, NOW);
    await db.webhook.update({ where: { id }, data: { notBefore: later(86_400) } });
    const due = () => loadDue(db, [allDue({ id, accountId })], later(1));
    await run(['deliveries', 'requeue', '--webhook', id, '--dry-run']);
    expect(await due()).toEqual([]);
    await run(['deliveries', 'requeue', '--webhook', id]);
    expect(await due()).toHaveLength(2);
  });

  test('why the push of a parcel was late: its attempts, and what holds it back now', async () => {
    const { id, accountId } = await retrying();
    const { id: parcel, trackingNumber } = await db.tracking.findFirstOrThrow();
    type Shown = { parcels: { webhooks: { messages: { held_back_by: object | null }[] }[] }[] };
    const shown = async (seconds: number) =>
      (await json<Shown>(['deliveries', 'of', parcel], later(seconds))).parcels[0]?.webhooks[0]?.messages[0];
    expect(await shown(10)).toMatchObject({
      event: 'tracking_update',
      stored_at: '2031-04-05T06:00:00Z',
      state: 'owed',
      held_back_by: { kind: 'backing_off', until: '2031-04-05T07:00:00Z' },
      attempts: [{ attempt: 1, late_seconds: 0, status_code: 500, error: 'HTTP 500', duration_ms: expect.any(Number) }],
    });
    // An hour is longer than the schedule's 30 s: the receiver asked for it.
    expect((await run(['deliveries', 'of', trackingNumber])).stdout).toMatch(/500 HTTP 500 .* asked for it/);
    const due = async () => (await shown(3601))?.held_back_by;
    expect(await due()).toMatchObject({ kind: 'lease' });
    await takeLeases(db, 'another', [id]);
    expect(await due()).toMatchObject({ kind: 'in_line' });
    await run(['queues', 'pause', DELIVER_QUEUE]);
    expect(await due()).toMatchObject({ kind: 'queue_paused' });
    await db.webhook.update({ where: { id }, data: { notBefore: later(9000) } });
    expect(await due()).toMatchObject({ kind: 'retry_after', until: '2031-04-05T08:30:00Z' });
    await db.webhook.update({ where: { id }, data: { enabled: false } });
    expect(await due()).toMatchObject({ kind: 'webhook_disabled' });
    await db.webhook.update({ where: { id }, data: { enabled: true, notBefore: null } });
    const [second] = await loadDue(db, [allDue({ id, accountId })], later(3601));
    if (!second) throw new Error('nothing is due');
    await recordAttempts(db, [attemptOf(second, { startedAt: later(3612), state: 'delivered' })]);
    expect(await shown(4000)).toMatchObject({
      state: 'delivered',
      held_back_by: null,
      attempts: [{ attempt: 1 }, { attempt: 2, due_at: '2031-04-05T07:00:00Z', late_seconds: 12, error: null }],
    });
    expect((await run(['deliveries', 'of', 'YT404'])).stderr).toContain('No tracking has the id or number YT404');
  });

  test.each(['pending', 'requeue'])('%s refuses an account that does not exist', async (name) => {
    const { code, stdout, stderr } = await run(['deliveries', name, '--account', 'none']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('No such account: none.')]);
  });

  test('a disabled webhook is not requeued, and it must be said whose deliveries', async () => {
    const { id } = await retrying();
    await db.webhook.update({ where: { id }, data: { enabled: false } });
    const disabled = await run(['deliveries', 'requeue', '--webhook', id]);
    expect([disabled.code, disabled.stderr]).toEqual([1, expect.stringContaining('webhooks enable')]);
    const nobody = await run(['deliveries', 'requeue']);
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('--webhook ID or --account ID')]);
  });

  test('a queue is paused, resumed and drained by its name; what it held is only counted by a dry run', async () => {
    const { id } = await retrying();
    await run(['queues', 'pause', 'deliver']);
    await run(['deliveries', 'requeue', '--webhook', id]);
    const depths = async () => (await json<{ queues: object[] }>(['queues', 'depth'])).queues;
    expect(await depths()).toEqual([
      { queue: 'deliver', waiting: 1, active: 0, oldest_at: expect.stringMatching(/Z$/), paused: true },
      { queue: 'background', waiting: 0, active: 0, oldest_at: null, paused: false },
    ]);
    expect(await json(['queues', 'drain', 'deliver', '--dry-run'])).toEqual({
      queue: 'deliver',
      jobs: 1,
      dry_run: true,
    });
    expect(await json(['queues', 'drain', 'deliver'])).toEqual({ queue: 'deliver', jobs: 1, dry_run: false });
    await run(['queues', 'resume', 'deliver']);
    expect(await depths()).toContainEqual({ queue: 'deliver', waiting: 0, active: 0, oldest_at: null, paused: false });
    expect(await db.delivery.count({ where: { state: 'owed' } })).toBe(1);
    const wrong = await run(['queues', 'pause', 'query-nobody']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Unknown queue "query-nobody"')]);
  });
});

test('a queue that cannot be reached is named', async () => {
  const database = await openTestDatabase(1);
  try {
    const env = { DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, stderr } = await admin(['queues', 'depth'], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('The queue in Redis 127.0.0.1:1 cannot be reached: connect ECONNREFUSED'),
    ]);
  } finally {
    await database.close();
  }
});
