import { eventually } from '@pts/testing/eventually';
import type { ReceiverAnswer } from '@pts/testing/http-server';
import { type Merchant, startTestDispatch, type TestDispatch } from '../testing/test-dispatcher.ts';

const HOUR_MS = 3_600_000;

describe('with a queue', () => {
  let given: TestDispatch;
  beforeEach(async () => {
    given = await startTestDispatch('redis');
  }, 30_000);
  afterEach(() => given.close(), 30_000);

  /** A receiver that accepts every push and never answers, and the most that it held at once. */
  async function hanging(): Promise<Merchant & { maxConcurrency(): number }> {
    let open = 0;
    const merchant = await given.merchant(() => {
      open += 1;
      return { status: 200, delayMs: HOUR_MS };
    });
    return { ...merchant, maxConcurrency: () => open };
  }
  const delivered = (merchant: Merchant, count: number) =>
    eventually(async () => expect((await given.states(merchant)).delivered).toBe(count));

  test('a hanging receiver with many pending pushes does not delay others and is sent few at once', async () => {
    const bad = await hanging();
    const well = await given.merchant();
    await given.owe(bad, 150);
    // Fewer places than the bad one would fill.
    given.dispatch({ concurrency: 8, timeoutMs: HOUR_MS });
    await eventually(() => expect(bad.maxConcurrency()).toBeGreaterThan(0));
    await given.producer.deliver(await given.owe(well, 40));
    await delivered(well, 40);
    expect((await given.states(bad)).owed).toBe(150);
    expect(bad.maxConcurrency()).toBeLessThanOrEqual(4);
    expect(well.receiver.requests).toHaveLength(40);
  }, 300_000);

  test('retries and failing endpoints never take the last place of first attempts', async () => {
    const failing = await Promise.all([1, 2, 3].map(() => hanging()));
    for (const merchant of failing) {
      await given.db.webhook.update({ where: { id: merchant.webhook.id }, data: { failingSince: new Date() } });
      await given.owe(merchant, 5);
    }
    const well = await given.merchant();
    given.dispatch({ concurrency: 2, timeoutMs: HOUR_MS });
    await eventually(() => expect(failing.some((merchant) => merchant.maxConcurrency() > 0)).toBe(true));
    await given.producer.deliver(await given.owe(well, 10));
    await delivered(well, 10);
    // They may use one of two places, and all of them together used no more.
    expect(failing.reduce((sum, merchant) => sum + merchant.maxConcurrency(), 0)).toBe(1);
  }, 300_000);

  test('an endpoint that recovers is ramped up', async () => {
    const underWay: number[] = [];
    const waiting: (() => void)[] = [];
    const back = await given.merchant((): Promise<ReceiverAnswer> => {
      const answered = new Promise<ReceiverAnswer>((resolve) => waiting.push(() => resolve({ status: 200 })));
      underWay.push(waiting.length);
      // The first ten are answered as they arrive. The next wait until more are in flight than at the beginning.
      if (underWay.length <= 10 || Math.max(...underWay) > 4) for (const answer of waiting.splice(0)) answer();
      return answered;
    });
    await given.db.webhook.update({ where: { id: back.webhook.id }, data: { failingSince: new Date() } });
    await given.owe(back, 60);
    given.dispatch({ concurrency: 100 });
    await delivered(back, 60);
    expect(Math.max(...underWay.slice(0, 2))).toBeLessThanOrEqual(2);
    expect(Math.max(...underWay)).toBeGreaterThan(4);
    expect(await given.db.webhook.findUniqueOrThrow({ where: { id: back.webhook.id } })).toMatchObject({
      failingSince: null,
    });
  }, 300_000);
});
