import { createHmac, randomBytes } from 'node:crypto';
import { parseAllowList } from '@pts/core/webhook/address-policy';
import { delayBeforeAttempt, MAX_ATTEMPTS } from '@pts/core/webhook/backoff';
import { newSecret } from '@pts/core/webhook/signature';
import { type Db, openDatabase } from '@pts/db/client';
import type { OwedDelivery } from '@pts/db/messages';
import { createSender } from '@pts/egress/send';
import type { QueueConnection } from '@pts/queue/connection';
import { createProducer, type Producer } from '@pts/queue/producer';
import { createLogger } from '@pts/runtime/logger';
import { createSecretBox } from '@pts/runtime/secret-box';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { testQueue } from '@pts/testing/queue';
import { type ReceivedRequest, type Receiver, startReceiver } from '@pts/testing/receiver';
import { stores } from '@pts/testing/stores';
import { Webhook } from 'standardwebhooks';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';
import { createDispatcherMetrics } from './metrics.ts';

const secretBox = createSecretBox(randomBytes(32).toString('base64'));
/** The ladder's 245,730 seconds in about 20. */
const SCALE = 1 / 12_000;

describe.each(stores())('deliveries over %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: Db;
  let queue: QueueConnection;
  let producer: Producer;
  let receiver: Receiver;
  let running: Dispatcher[] = [];
  let secret: string;
  let accountId: string;
  let answerWith = 200;

  beforeEach(async () => {
    database = await testDatabase();
    db = openDatabase({ url: database.url, poolSize: 5 });
    queue = await testQueue(store, database.url);
    producer = createProducer(queue, () => {});
    answerWith = 200;
    receiver = await startReceiver({ respond: () => ({ status: answerWith }) });
    secret = newSecret(randomBytes(32));
    accountId = await newAccount(db, new Date());
    await newWebhook(db, accountId, new Date(), { url: receiver.url, secretBox: secretBox.seal(secret) });
  }, 30_000);

  afterEach(async () => {
    await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop()));
    await producer.close();
    await Promise.all([queue.close(), receiver.close(), db.$disconnect()]);
    await database.close();
  }, 30_000);

  function dispatch(more: { allowed?: string[]; ladderTimeScale?: number; db?: Db } = {}): Dispatcher {
    const { allowed = ['127.0.0.1'], ladderTimeScale = SCALE, ...rest } = more;
    const policy = { allowHttp: true, allowed: parseAllowList(allowed) };
    const { send } = createSender({ policy, timeoutMs: 2000 });
    const logger = createLogger({ app: 'webhook-dispatcher', level: 'silent', format: 'json' });
    const deps = {
      db,
      producer,
      send,
      secretBox,
      logger,
      metrics: createDispatcherMetrics(),
      ladderTimeScale,
      now: () => new Date(),
      ...rest,
    };
    const dispatcher = startDispatcher({ queue, deps, concurrency: 10, sweepIntervalMs: 50 });
    running.push(dispatcher);
    return dispatcher;
  }

  const wake = (owed: readonly OwedDelivery[]) =>
    producer.deliver(owed.map((delivery) => ({ ...delivery, delayMs: 0 })));
  const stateOf = async (owed: readonly OwedDelivery[]) =>
    (await db.delivery.findUniqueOrThrow({ where: { id: BigInt(owed[0]?.deliveryId ?? 0) } })).state;

  test('an owed delivery arrives once, signed for two kinds of verifiers, and is recorded', async () => {
    dispatch();
    const owed = await newDeliveries(db, accountId, new Date());
    await wake([...owed, ...owed]);
    await eventually(async () => expect(await stateOf(owed)).toBe('delivered'));
    expect(receiver.requests).toHaveLength(1);
    const [{ headers, rawBody }] = receiver.requests as [ReceivedRequest];
    const timestamp = headers['x-webhook-timestamp'];
    const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex');
    expect(headers['x-webhook-signature']).toBe(`t=${timestamp},v1=${expected}`);
    expect(new Webhook(secret).verify(rawBody, headers as Record<string, string>)).toMatchObject({
      event: 'tracking_update',
    });
    const [attempt] = await db.deliveryAttempt.findMany({ where: { accountId } });
    expect(attempt).toMatchObject({ attempt: 1, statusCode: 200, error: null, nextAttemptAt: null });
  });

  test('the ladder has fourteen attempts at the delays of the spec, and no fifteenth', async () => {
    answerWith = 503;
    dispatch();
    const owed = await newDeliveries(db, accountId, new Date());
    await wake(owed);
    await eventually(async () => expect(await stateOf(owed)).toBe('exhausted'), { deadlineMs: 60_000 });
    const attempts = await db.deliveryAttempt.findMany({ where: { accountId }, orderBy: { attempt: 'asc' } });
    expect(attempts.map((row) => row.attempt)).toEqual(Array.from({ length: MAX_ATTEMPTS }, (_, i) => i + 1));
    expect(receiver.requests.map((request) => Number(request.headers['x-webhook-attempt']))).toEqual(
      attempts.map((row) => row.attempt),
    );
    for (const row of attempts.slice(0, -1)) {
      const wanted = (delayBeforeAttempt(row.attempt + 1) ?? 0) * 1000 * SCALE;
      const planned = (row.nextAttemptAt?.getTime() ?? 0) - row.startedAt.getTime() - row.durationMs;
      // Times are kept to the millisecond, and a few pass between the answer and its record.
      expect(planned).toBeGreaterThanOrEqual(wanted - 2);
      if (wanted > 5000) expect(planned / wanted).toBeLessThan(1.01);
      const next = attempts[row.attempt];
      expect(next?.startedAt.getTime()).toBeGreaterThanOrEqual(
        row.nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY,
      );
    }
    expect(attempts.at(-1)?.nextAttemptAt).toBeNull();
    expect(await db.delivery.count({ where: { accountId, state: 'owed' } })).toBe(0);
  }, 90_000);

  test('our own faults use up no attempt: the database away, then the worker gone', async () => {
    let isAway = true;
    const faulty = new Proxy(db, {
      get: (target, name) => {
        if (isAway && name === '$queryRaw') return () => Promise.reject(new Error('ECONNREFUSED'));
        return Reflect.get(target, name);
      },
    });
    const first = dispatch({ db: faulty });
    const owed = await newDeliveries(db, accountId, new Date());
    await wake(owed);
    await eventually(async () => expect(await producer.waiting('deliver')).toBe(0));
    expect(receiver.requests).toHaveLength(0);
    isAway = false;
    running = [];
    await first.stop();
    dispatch();
    await eventually(async () => expect(await stateOf(owed)).toBe('delivered'), { deadlineMs: 60_000 });
    expect(receiver.requests.map((request) => request.headers['x-webhook-attempt'])).toEqual(['1']);
  }, 90_000);

  test('a delivery whose wake-up was lost is found by the sweep', async () => {
    const owed = await newDeliveries(db, accountId, new Date());
    await db.delivery.updateMany({ where: { accountId }, data: { wakeAt: new Date() } });
    dispatch();
    await eventually(async () => expect(await stateOf(owed)).toBe('delivered'));
  });

  test('what is owed to a webhook that was disabled is dropped', async () => {
    const owed = await newDeliveries(db, accountId, new Date());
    await db.webhook.updateMany({ where: { accountId }, data: { enabled: false } });
    dispatch();
    await wake(owed);
    await eventually(async () => expect(await stateOf(owed)).toBe('cancelled'));
    expect(receiver.requests).toHaveLength(0);
  });

  test('a private address is not connected to, and the log says why', async () => {
    dispatch({ allowed: [], ladderTimeScale: 1 });
    const owed = await newDeliveries(db, accountId, new Date());
    await wake(owed);
    const attempt = await eventually(() => db.deliveryAttempt.findFirstOrThrow({ where: { accountId } }));
    expect(attempt).toMatchObject({ statusCode: 0, error: expect.stringMatching(/^blocked: /) });
    expect(receiver.requests).toHaveLength(0);
  });
});
