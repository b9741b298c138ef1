import { createHmac } from 'node:crypto';
import { eventually } from '@pts/testing/eventually';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

const days = (count: number) => count * 86_400_000;

describe('an endpoint', () => {
  let given: TestDispatch;
  beforeEach(async () => {
    given = await startTestDispatch('redis');
  }, 30_000);
  afterEach(() => given.close(), 30_000);
  const endpoint = ({ webhook }: { webhook: { id: string } }) =>
    given.db.webhook.findUniqueOrThrow({ where: { id: webhook.id } });

  test('that answers 410 is disabled at once, with the reason, and its pending deliveries are dropped', async () => {
    const merchant = await given.merchant(() => ({ status: 410 }));
    await given.owe(merchant, 20);
    given.dispatch();
    await eventually(async () =>
      expect(await endpoint(merchant)).toMatchObject({
        enabled: false,
        disabledReason: '["endpoint.gone"]',
        disabledAt: expect.any(Date),
      }),
    );
    await eventually(async () => expect(await given.states(merchant)).toEqual({ cancelled: 20 }));
    expect(merchant.receiver.requests.length).toBeLessThanOrEqual(4);
  });

  test('that has been failing for five days is disabled by its next failure, not by a success', async () => {
    const [bad, well] = [await given.merchant(() => ({ status: 500 })), await given.merchant()];
    for (const { webhook } of [bad, well]) {
      const at = { failingSince: new Date(Date.now() - days(5)), lastFailedAt: new Date(Date.now() - days(1)) };
      await given.db.webhook.update({ where: { id: webhook.id }, data: at });
    }
    await given.owe(bad);
    await given.owe(well);
    given.dispatch();
    await eventually(async () =>
      expect(await endpoint(bad)).toMatchObject({
        enabled: false,
        disabledReason: expect.stringContaining('endpoint.gave_up'),
      }),
    );
    await eventually(async () => expect(await endpoint(well)).toMatchObject({ enabled: true, failingSince: null }));
  });

  test('that sends Retry-After gets nothing before that time, including later deliveries', async () => {
    const retryAfter = { status: 429, headers: { 'Retry-After': '2' } };
    const merchant = await given.merchant(() =>
      merchant.receiver.requests.length === 1 ? retryAfter : { status: 200 },
    );
    given.dispatch({ retryTimeScale: 0.001 });
    await given.producer.deliver(await given.owe(merchant));
    const { accountId } = merchant;
    await eventually(() => given.db.deliveryAttempt.findFirstOrThrow({ where: { accountId, statusCode: 429 } }));
    await given.producer.deliver(await given.owe(merchant, 2));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 3 }));
    const [first, ...others] = merchant.receiver.requests.map(({ at }) => at.getTime());
    for (const at of others) expect(at - (first ?? 0)).toBeGreaterThanOrEqual(1990);
  });

  test('with static headers gets them with each attempt; the log has none of their values, though the receiver repeats them', async () => {
    const key = 'gateway-key-7Q';
    const merchant = await given.merchant(({ headers }) => ({
      status: merchant.receiver.requests.length === 1 ? 500 : 200,
      headers: { 'x-echo': String(headers['x-api-key']) },
      body: JSON.stringify(headers),
    }));
    const { accountId, webhook } = merchant;
    await given.change(merchant, { headers: { 'X-Api-Key': key } });
    given.dispatch({ retryTimeScale: 0.001 });
    await given.producer.deliver(await given.owe(merchant));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    expect(merchant.receiver.requests.map(({ headers }) => headers['x-api-key'])).toEqual([key, key]);
    const attempts = await given.db.deliveryAttempt.findMany({ where: { accountId, webhookId: webhook.id } });
    expect(JSON.stringify(attempts.map(({ deliveryId: _number, ...attempt }) => attempt))).not.toContain(key);
    for (const { trace, responseExcerpt } of attempts) {
      expect(trace).toMatchObject({
        staticHeaders: { 'X-Api-Key': '****7Q' },
        head: expect.stringContaining('****7Q'),
      });
      expect(responseExcerpt).toContain('****7Q');
    }
  });

  test('of the form v4 gets the record of the API family and its signature, the same bytes on each attempt', async () => {
    const merchant = await given.merchant(() => ({ status: merchant.receiver.requests.length === 1 ? 500 : 200 }));
    await given.change(merchant, { format: 'v4' });
    given.dispatch({ retryTimeScale: 0.001 });
    await given.producer.deliver(await given.owe(merchant));
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    const [first, second] = merchant.receiver.requests;
    expect(second?.rawBody).toBe(first?.rawBody);
    const { timestamp = '', signature } = second?.headers ?? {};
    expect(signature).toBe(createHmac('sha256', merchant.secret).update(String(timestamp)).digest('hex'));
    expect(JSON.parse(second?.rawBody ?? '')).toMatchObject({
      meta: { code: 200 },
      data: {
        courier_code: 'yto',
        delivery_status: 'transit',
        latest_event: expect.stringMatching(/^已取件,云溪市,/),
        origin_info: { courier_code: 'yto', courier_phone: '95554', trackinfo: [{ tracking_detail: '已取件' }] },
      },
    });
  });

  test('that supersedes is sent only the newest state of each parcel after an outage', async () => {
    let isDown = true;
    const merchant = await given.merchant(() => ({ status: isDown ? 500 : 200 }));
    await given.db.webhook.update({ where: { id: merchant.webhook.id }, data: { supersede: true } });
    await given.owe(merchant, 3);
    // All three are of one parcel.
    const messages = await given.db.message.findMany({ orderBy: { id: 'asc' } });
    for (const [index, { id }] of messages.entries())
      await given.db.message.update({ where: { id }, data: { trackingId: 'a'.repeat(24), seq: index + 1 } });
    given.dispatch({ retryTimeScale: 0.02 });
    await eventually(async () => expect((await given.states(merchant)).superseded).toBe(2));
    isDown = false;
    await eventually(async () => expect(await given.states(merchant)).toEqual({ superseded: 2, delivered: 1 }));
    expect(merchant.receiver.requests.at(-1)?.headers['x-webhook-id']).toBe(messages.at(-1)?.id);
    const log = await given.db.deliveryAttempt.findMany({ where: { error: { startsWith: '["attempt.superseded"' } } });
    expect(log).toHaveLength(2);
  });
});
