import type { Db } from '@pts/db/connection';
import { eventually } from '@pts/testing/eventually';
import { stores } from '@pts/testing/stores';
import { startTestDispatch, type TestDispatch } from '../testing/test-dispatcher.ts';

/** No sweep wakes an endpoint during the test, except for the first one. */
const NEVER_MS = 600_000;

describe.each(stores())('an event alone over %s', (store) => {
  let given: TestDispatch;
  const sent: string[] = [];
  beforeAll(async () => {
    given = await startTestDispatch(store);
    const { db } = given;
    const $hot: Db['$hot'] = (text, values) => {
      sent.push(text.trim().replace(/\s+/g, ' '));
      return db.$hot(text, values);
    };
    const watched = new Proxy(db, { get: (target, key) => (key === '$hot' ? $hot : Reflect.get(target, key)) });
    given.dispatch({ db: watched, sweepIntervalMs: NEVER_MS });
  }, 60_000);
  afterAll(() => given.close());

  test('costs two statements: the lease begins with the load, and ends with the record', async () => {
    const merchant = await given.merchant();
    const deliver = async (count: number) => {
      sent.length = 0;
      await given.producer.deliver(await given.owe(merchant));
      await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: count }));
      await eventually(async () => expect(await given.producer.waiting('deliver')).toBe(0));
      const { holder } = await given.db.endpointLease.findFirstOrThrow({ where: { webhookId: merchant.webhook.id } });
      expect(holder).toBe('');
    };
    // The first lease of an endpoint is taken in another way.
    await deliver(1);
    expect(sent.some((text) => text.startsWith('INSERT INTO public.endpoint_turns'))).toBe(true);
    await deliver(2);
    // A lease that takes long on a busy machine is renewed.
    const needed = sent.filter((text) => !text.startsWith('UPDATE public.endpoint_turns SET expires_at'));
    expect(needed).toEqual([expect.stringMatching(/^WITH seen AS/), expect.stringMatching(/^WITH ended AS/)]);
  });
});
