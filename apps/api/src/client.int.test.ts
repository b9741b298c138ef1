import { type Client, createClient } from '@pts/client/client';
import { isRetrackTooSoon } from '@pts/client/errors';
import { testDatabase } from '@pts/testing/database';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { startTestApi, type TestApi } from './testing/test-api.ts';

let api: TestApi;
let receiver: Receiver;

beforeAll(async () => {
  api = await startTestApi();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

type More = Partial<Parameters<typeof createClient>[0]>;

async function merchant({ quota, ...more }: More & { quota?: number } = {}): Promise<Client> {
  const { key } = await api.account(quota === undefined ? {} : { quota });
  return createClient({ baseUrl: api.url, apiKey: key, ...more });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const thrownBy = (call: Promise<unknown>): Promise<unknown> => call.then(() => null).catch((error: unknown) => error);

test('a parcel is registered, read and retracked', async () => {
  const { trackings } = await merchant();
  const created = await trackings.create({ tracking_number: 'sbx express 1', title: '书', metadata: { shop: '7' } });
  expect(created).toMatchObject({ tracking_number: 'SBXEXPRESS1', status: '查询中', carrier: 'sandbox' });
  expect(await trackings.create('SBXEXPRESS1')).toMatchObject({ id: created.id });
  const { success, rejected } = await trackings.get(['SBXEXPRESS1', 'SBXEXPRESS2']);
  expect(success).toMatchObject([{ id: created.id, title: '书', sub_status: 'pending', events: [] }]);
  expect(rejected).toMatchObject([{ tracking_number: 'SBXEXPRESS2', rejectedCode: 4102 }]);
  expect(await trackings.retrack(created.id)).toMatchObject({ id: created.id });
  const again = await thrownBy(trackings.retrackNumber({ tracking_number: 'SBXEXPRESS1' }));
  expect(isRetrackTooSoon(again)).toBe(true);
  expect(again).toMatchObject({ retryAfterSeconds: expect.any(Number), requestId: expect.any(String) });
});

test('many are registered at once, polled at their poll_url, and listed page by page', async () => {
  const { track, trackings, shipments, account } = await merchant();
  const { accepted, poll_url, error } = await track.async(['SBXA0001', 'SBXA0002', '!']);
  expect([accepted, error]).toMatchObject([2, [{ errorCode: 4110 }]]);
  expect(await trackings.batch(['SBXB0001', { tracking_number: 'SBXB0002', order_id: '9' }])).toMatchObject({
    success: [{}, {}],
    error: [],
  });
  expect((await all(shipments.poll(poll_url))).map((one) => one.tracking_number).sort()).toEqual([
    'SBXA0001',
    'SBXA0002',
  ]);
  expect(await all(shipments.iterate({ limit: 1, status: 'pending' }))).toHaveLength(4);
  expect(await all(shipments.iterate({ status: '已签收' }))).toEqual([]);
  expect(await account.get()).toMatchObject({ quota_used: 4 });
});

test('a parcel that changes while the pages are read is still among them', async () => {
  const { track, shipments } = await merchant();
  await track.async(['SBXMOVE1', 'SBXMOVE2', 'SBXMOVE3']);
  const seen: string[] = [];
  for await (const { id } of shipments.iterate({ limit: 1 })) {
    if (seen.length === 0)
      await api.db.$executeRaw`UPDATE trackings SET updated_at = now() + interval '1 minute' WHERE id <> ${id}`;
    seen.push(id);
  }
  expect(new Set(seen).size).toBe(3);
  // A cursor of a list belongs to its order, with which the pages go on.
  const { next_cursor: cursor } = await shipments.list({ limit: 1 });
  expect(await all(shipments.iterate({ cursor: cursor ?? '' }))).toHaveLength(2);
});

test('the delivery log is read page after page, as far back as it goes', async () => {
  const { webhooks } = await merchant();
  const hook = await webhooks.register({ url: receiver.url, events: ['tracking_update'] });
  const { accountId } = await api.db.webhook.findUniqueOrThrow({ where: { id: hook.id } });
  const messageId = '69a463e0a1b2c3d4e5f60718';
  const attempt = {
    webhookId: hook.id,
    accountId,
    messageId,
    event: 'ping',
    attempt: 1,
    statusCode: 200,
    durationMs: 1,
  };
  const startedAt = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
  await api.db.deliveryAttempt.createMany({
    data: Array.from({ length: 120 }, (_, n) => ({ ...attempt, startedAt: startedAt(n) })),
  });
  const times = (await all(webhooks.iterateDeliveries({ webhook_id: hook.id }))).map(({ ts }) => Date.parse(ts));
  expect(times).toEqual(Array.from({ length: 120 }, (_, n) => startedAt(119 - n).getTime()));
  await webhooks.delete(hook.id);
});

test('a 429 is waited out, as long as the service says', async () => {
  const database = await testDatabase();
  const shared = { databaseUrl: database.url, limitWindowSeconds: 3600 };
  const [limited, later] = [await startTestApi({ ...shared, limits: ['account=1'] }), await startTestApi(shared)];
  const waits: number[] = [];
  const { key: apiKey } = await limited.account();
  const { auth } = createClient({
    baseUrl: limited.url,
    apiKey,
    random: () => 0,
    pace: false,
    sleep: async (ms) => void waits.push(ms),
    // After the wait, the limit has reset, too.
    fetch: (url, init) => fetch(waits.length > 0 ? String(url).replace(limited.url, later.url) : url, init),
  });
  for (let n = 0; n < 2; n += 1) expect(await auth.me()).toMatchObject({ status: 'active' });
  expect(waits).toEqual([120_000]);
  await Promise.all([limited.close(), later.close()]);
  await database.close();
});
