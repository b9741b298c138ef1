import { feedReplays } from '@pts/db/deliveries/send-again';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { addPending, attempted, newMerchant, newTestWebhook, type TestMerchant } from '../testing/test-deliveries.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const text = (date: Date) => `${date.toISOString().slice(0, 19)}Z`;
const start = ({ key, webhook }: TestMerchant, body: object = { since: text(ago(60)) }) =>
  api.call('POST', `/webhooks/${webhook.id}/replay`, { key, body });
const list = async ({ key, webhook }: TestMerchant) =>
  (await api.call('GET', `/webhooks/${webhook.id}/replays`, { key })).body;
const cancel = ({ key, webhook }: TestMerchant, id: string) =>
  api.call('DELETE', `/webhooks/${webhook.id}/replays/${id}`, { key });

describe('POST /webhooks/{id}/replay', () => {
  test('responds at once with its plan, and is listed with its progress', async () => {
    const merchant = await newMerchant(api);
    for (const delivery of await addPending(api, merchant, 3, ago(30))) await attempted(api, delivery);
    const [since, until] = [text(ago(60)), text(ago(10))];
    const counted = await start(merchant, { since, until, dry_run: true });
    expect(counted.body.data).toEqual({ dry_run: true, webhook_id: merchant.webhook.id, since, until, total: 3 });
    expect((await list(merchant)).data.count).toBe(0);
    const { status, body } = await start(merchant, { since, until });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      webhook_id: merchant.webhook.id,
      since,
      state: 'running',
      total: 3,
      replayed: 0,
      finished_at: null,
    });
    await feedReplays(api.db, new Date());
    expect((await list(merchant)).data).toMatchObject({
      count: 1,
      replays: [{ id: body.data.id, state: 'done', total: 3, replayed: 3 }],
    });
  });

  test('only one runs at a time per webhook; another webhook has its own', async () => {
    const merchant = await newMerchant(api);
    const answers = await Promise.all(Array.from({ length: 4 }, () => start(merchant)));
    expect(answers.map(({ body }) => body.code).sort()).toEqual([200, 4130, 4130, 4130]);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused?.body.message).toMatch(/already has a running replay.*DELETE/);
    const webhook = await newTestWebhook(api, merchant.key);
    expect((await start({ ...merchant, webhook })).status).toBe(200);
  });

  test.each([
    ['since', {}],
    ['since', { since: 'yesterday' }],
    ['since', { since: '2031-02-30T00:00:00Z' }],
    ['since', { since: text(ago(31 * 24 * 60)) }],
    ['since', { since: text(ago(5)), until: text(ago(6)) }],
    ['until', { since: text(ago(5)), until: text(ago(-60)) }],
    ['until', { since: text(ago(5)), until: 7 }],
  ])('a wrong %s is refused with 4130 and named: %j', async (field, body) => {
    const merchant = await newMerchant(api);
    expect((await start(merchant, body)).body).toMatchObject({ code: 4130, data: { errors: [{ field }] } });
    expect((await list(merchant)).data.count).toBe(0);
  });

  test('a disabled webhook must be enabled first', async () => {
    const merchant = await newMerchant(api);
    const { key, webhook } = merchant;
    await api.call('PATCH', `/webhooks/${webhook.id}`, { key, body: { enabled: false } });
    expect((await start(merchant)).body).toMatchObject({
      code: 4130,
      message: expect.stringMatching(/enable it first/),
    });
  });

  test('it has a limit of its own: 1 a second', async () => {
    const limited = await startTestApi({ limits: [], limitWindowSeconds: 3600 });
    const { key } = await limited.account();
    const body = { since: text(ago(5)) };
    const path = `/webhooks/${'0'.repeat(24)}/replay`;
    const answers = await Promise.all([1, 2, 3].map(() => limited.call('POST', path, { key, body })));
    expect(answers.map(({ status }) => status)).toContain(429);
    expect(answers[0]?.headers.get('RateLimit-Limit')).toBe('1');
    await limited.close();
  });
});

describe('DELETE /webhooks/{id}/replays/{replay_id}', () => {
  test('ends a replay, after which another may begin; an ended one does not change', async () => {
    const merchant = await newMerchant(api);
    const { id } = (await start(merchant)).body.data;
    expect((await cancel(merchant, id)).body.data).toMatchObject({ id, state: 'cancelled' });
    const next = (await start(merchant)).body.data;
    await feedReplays(api.db, new Date());
    expect((await cancel(merchant, next.id)).body.data).toMatchObject({ id: next.id, state: 'done' });
    const { replays } = (await list(merchant)).data;
    expect(replays.map((replay: { id: string; state: string }) => [replay.id, replay.state])).toEqual([
      [next.id, 'done'],
      [id, 'cancelled'],
    ]);
  });

  test('an unknown one is 404', async () => {
    expect((await cancel(await newMerchant(api), '0'.repeat(24))).body.code).toBe(404);
  });
});

test("another account's webhook and replays are not found", async () => {
  const [mine, other] = [await newMerchant(api), await newMerchant(api)];
  const { id } = (await start(other)).body.data;
  const intruder = { ...mine, webhook: other.webhook };
  expect((await start(intruder)).body.code).toBe(404);
  expect((await list(intruder)).code).toBe(404);
  expect((await cancel(intruder, id)).body.code).toBe(404);
  expect((await list(other)).data.replays).toMatchObject([{ id, state: 'running' }]);
  expect(
    (await api.call('POST', `/webhooks/${other.webhook.id}/replay`, { body: { since: text(ago(5)) } })).status,
  ).toBe(401);
});
