import { createHmac } from 'node:crypto';
import { delayBeforeAttempt, MAX_ATTEMPTS } from '@pts/core/webhook/retry';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import type { ReceivedRequest, ReceiverAnswer } from '@pts/testing/http-server';
import { stores } from '@pts/testing/stores';
import { Webhook } from 'standardwebhooks';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

/** Compresses the schedule's 245,730 seconds into about 4. */
const SCALE = 1 / 60_000;

describe.each(stores())('deliveries over %s', (store) => {
  let given: TestDispatch;
  beforeEach(async () => {
    given = await startTestDispatch(store);
  }, 30_000);
  afterEach(() => given.close(), 30_000);

  test('a pending delivery arrives once, signed for two kinds of verifiers, and is recorded', async () => {
    given.dispatch();
    const merchant = await given.merchant();
    const pending = await given.owe(merchant);
    await given.producer.deliver([...pending, ...pending]);
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    const { requests } = merchant.receiver;
    expect(requests).toHaveLength(1);
    const [{ headers, rawBody }] = requests as [ReceivedRequest];
    const timestamp = headers['x-webhook-timestamp'];
    const expected = createHmac('sha256', merchant.secret).update(`${timestamp}.${rawBody}`).digest('hex');
    expect(headers['x-webhook-signature']).toBe(`t=${timestamp},v1=${expected}`);
    expect(new Webhook(merchant.secret).verify(rawBody, headers as Record<string, string>)).toMatchObject({
      event: 'tracking_update',
    });
    const { accountId } = merchant;
    const [attempt] = await given.db.deliveryAttempt.findMany({ where: { accountId } });
    expect(attempt).toMatchObject({ attempt: 1, statusCode: 200, error: null, nextAttemptAt: null });
  });

  test('while attempts cannot be stored, as on a full disk, each process sends a delivery once, and stores it afterwards', async () => {
    const PROCESSES = 2;
    const [accepting, failing] = [await given.merchant(), await given.merchant(() => ({ status: 503 }))];
    const merchants = [accepting, failing];
    const ask = <Row extends object>(sql: string) =>
      queryOnce<Row & { [name: string]: unknown }>(given.databaseUrl, sql);
    await ask(`
      CREATE SEQUENCE refused;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM nextval('refused');
        RAISE 'could not extend file' USING ERRCODE = 'disk_full';
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON delivery_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
    for (let n = 0; n < PROCESSES; n++) given.dispatch();
    for (const merchant of merchants) await given.owe(merchant, 5);
    await eventually(async () => {
      const { rows } = await ask<{ count: string }>('SELECT last_value AS count FROM refused');
      expect(Number(rows[0]?.count)).toBeGreaterThan(12);
    });
    for (const { receiver } of merchants) {
      const times = new Map<unknown, number>();
      for (const { headers } of receiver.requests)
        times.set(headers['x-webhook-id'], (times.get(headers['x-webhook-id']) ?? 0) + 1);
      expect(times.size).toBeGreaterThan(0);
      expect(Math.max(...times.values())).toBeLessThanOrEqual(PROCESSES);
    }
    await ask('DROP TRIGGER refuse ON delivery_attempts');
    await eventually(async () => {
      expect(await given.states(accepting)).toEqual({ delivered: 5 });
      const attempts = await given.db.deliveryAttempt.findMany({ where: { accountId: failing.accountId } });
      expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    });
  });

  test('a job of a deleted endpoint is done, and those of others are delivered', async () => {
    given.dispatch({ sweepIntervalMs: 600_000 });
    const [merchant, gone] = [await given.merchant(), await given.merchant()];
    await given.owe(merchant);
    await given.db.webhook.delete({ where: { id: gone.webhook.id } });
    for (const { webhook, accountId } of [gone, merchant])
      await given.producer.deliver([{ webhookId: webhook.id, accountId, isFailing: false }]);
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    await eventually(async () => expect(await given.queue.waiting('deliver')).toBe(0));
  });

  test('the fourteen attempts of the retry schedule are on time by the real clock, none early', async () => {
    given.dispatch({ retryTimeScale: SCALE });
    const merchant = await given.merchant(() => ({ status: 503 }));
    await given.producer.deliver(await given.owe(merchant));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ exhausted: 1 }));
    const { accountId } = merchant;
    const attempts = await given.db.deliveryAttempt.findMany({ where: { accountId }, orderBy: { attempt: 'asc' } });
    expect(attempts.map((row) => row.attempt)).toEqual(Array.from({ length: MAX_ATTEMPTS }, (_, i) => i + 1));
    expect(merchant.receiver.requests.map(({ headers }) => Number(headers['x-webhook-attempt']))).toEqual(
      attempts.map((row) => row.attempt),
    );
    for (const row of attempts.slice(0, -1)) {
      const wanted = (delayBeforeAttempt(row.attempt + 1) ?? 0) * 1000 * SCALE;
      const planned = (row.nextAttemptAt?.getTime() ?? 0) - row.startedAt.getTime() - row.durationMs;
      // Times are stored with millisecond precision.
      expect(planned).toBeGreaterThanOrEqual(wanted - 2);
      const next = attempts[row.attempt];
      expect(next?.startedAt.getTime()).toBeGreaterThanOrEqual(
        row.nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY,
      );
    }
    expect(attempts.at(-1)?.nextAttemptAt).toBeNull();
  }, 90_000);

  test('a delivery whose wake-up was lost is found by the sweep', async () => {
    const merchant = await given.merchant();
    await given.owe(merchant);
    given.dispatch();
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
  });

  test.each(['disabled', 'deleted'])('pending deliveries of a %s webhook are dropped', async (how) => {
    const merchant = await given.merchant();
    const pending = await given.owe(merchant, 3);
    const where = { id: merchant.webhook.id };
    if (how === 'disabled') await given.db.webhook.update({ where, data: { enabled: false } });
    else await given.db.webhook.delete({ where });
    given.dispatch();
    await given.producer.deliver(pending);
    await eventually(async () => expect(await given.states(merchant)).toEqual({ cancelled: 3 }));
    expect(merchant.receiver.requests).toHaveLength(0);
  });

  test('a private address is not connected to, and the log says why', async () => {
    given.dispatch({ allowed: [] });
    const merchant = await given.merchant();
    await given.producer.deliver(await given.owe(merchant));
    const { accountId } = merchant;
    const attempt = await eventually(() => given.db.deliveryAttempt.findFirstOrThrow({ where: { accountId } }));
    expect(attempt).toMatchObject({ statusCode: 0, error: expect.stringContaining('no_answer.blocked') });
    expect(merchant.receiver.requests).toHaveLength(0);
  });

  test('a redelivery is sent again under the same id, as a first attempt', async () => {
    given.dispatch();
    const merchant = await given.merchant();
    await given.producer.deliver(await given.owe(merchant));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    const again = { state: 'owed', attempts: 0, round: 1, fresh: false, nextAttemptAt: new Date() };
    await given.db.delivery.updateMany({ where: { accountId: merchant.accountId }, data: again });
    await eventually(() => expect(merchant.receiver.requests).toHaveLength(2));
    const [first, second] = merchant.receiver.requests;
    expect(second?.headers['x-webhook-id']).toBe(first?.headers['x-webhook-id']);
    expect(second?.headers['x-webhook-attempt']).toBe('1');
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
  });

  test('a process works once for an endpoint, even if the queue forgets that it does', async () => {
    given.dispatch({ timeoutMs: 3_600_000 });
    let answer = () => {};
    const answered = new Promise<ReceiverAnswer>((resolve) => {
      answer = () => resolve({ status: 200 });
    });
    const [busy, other] = [await given.merchant(() => answered), await given.merchant()];
    const pending = await given.owe(busy);
    await given.producer.deliver(pending);
    await eventually(() => expect(busy.receiver.requests).toHaveLength(1));
    await given.queue.forget();
    await given.producer.deliver(pending);
    // A later wake-up of another endpoint has been served, so this one has been taken.
    await given.producer.deliver(await given.owe(other));
    await eventually(async () => expect(await given.states(other)).toEqual({ delivered: 1 }));
    expect(busy.receiver.requests).toHaveLength(1);
    answer();
    await eventually(async () => expect(await given.states(busy)).toEqual({ delivered: 1 }));
    expect(busy.receiver.requests).toHaveLength(1);
  });

  test('two processes at once send every event once, those of one parcel in their order', async () => {
    const merchant = await given.merchant(() => ({ status: 200, delayMs: 3 }));
    await given.owe(merchant, 60);
    // Of six parcels, whose updates arrive one after another.
    const messages = await given.db.message.findMany({ orderBy: { createdAt: 'asc' } });
    const deliveries = await given.db.delivery.findMany({ orderBy: { id: 'asc' } });
    const parcelOf = new Map(deliveries.map(({ messageId }, index) => [messageId, `${index % 6}`.repeat(24)]));
    for (const { id } of messages)
      await given.db.message.update({ where: { id }, data: { trackingId: parcelOf.get(id) ?? null } });
    for (let n = 0; n < 2; n++) given.dispatch();
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 60 }));
    const received = merchant.receiver.requests.map(({ headers }) => String(headers['x-webhook-id']));
    expect(received).toHaveLength(60);
    const inOrder = (ids: string[], parcel: string) => ids.filter((id) => parcelOf.get(id) === parcel);
    for (const parcel of new Set(parcelOf.values())) {
      const emitted = deliveries.map(({ messageId }) => messageId);
      expect(inOrder(received, parcel)).toEqual(inOrder(emitted, parcel));
    }
  }, 60_000);
});
