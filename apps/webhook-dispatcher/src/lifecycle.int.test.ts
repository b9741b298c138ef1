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
        disabledReason: expect.stringContaining('410 Gone'),
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
      expect(await endpoint(bad)).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('5 days') }),
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
    const log = await given.db.deliveryAttempt.findMany({ where: { error: { startsWith: 'superseded: ' } } });
    expect(log).toHaveLength(2);
  });
});
