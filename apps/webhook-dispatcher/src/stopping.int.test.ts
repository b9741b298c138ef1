import { eventually } from '@pts/testing/eventually';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

describe('with a queue', () => {
  let given: TestDispatch;
  beforeEach(async () => {
    given = await startTestDispatch('redis');
  }, 30_000);
  afterEach(() => given.close(), 30_000);

  test('a stopping dispatcher does not wait for a silent receiver; another one makes the same attempt', async () => {
    let isSilent = true;
    const merchant = await given.merchant(() => (isSilent ? new Promise(() => {}) : { status: 200 }));
    await given.owe(merchant);
    const dispatcher = given.dispatch({ timeoutMs: 3_600_000, sendGraceMs: 0 });
    await eventually(() => expect(merchant.receiver.requests).toHaveLength(1));
    await dispatcher.stop();
    expect(await given.states(merchant)).toEqual({ owed: 1 });
    expect(await given.db.deliveryAttempt.count()).toBe(0);
    expect(await given.db.webhook.findUniqueOrThrow({ where: { id: merchant.webhook.id } })).toMatchObject({
      failingSince: null,
    });
    isSilent = false;
    given.dispatch();
    await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: 1 }));
    const [first, second] = merchant.receiver.requests.map(({ headers }) => [
      headers['x-webhook-id'],
      headers['x-webhook-attempt'],
    ]);
    expect(second).toEqual(first);
  }, 60_000);
});
