import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { pushHeaders } from '@pts/core/webhook/push';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { startReceiver } from '@pts/testing/http-server';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import {
  addPending,
  attempted,
  FAILED,
  newMerchant,
  newRecord,
  newTestWebhook,
  type TestMerchant,
} from '../testing/test-deliveries.ts';

let database: TestDatabase;
let api: TestApi;
beforeAll(async () => {
  database = await testDatabase();
  const shared = { databaseUrl: database.url, secretCipher: createSecretCipher(randomBytes(32).toString('base64')) };
  api = await startTestApi(shared);
}, 60_000);
afterAll(async () => {
  await api.close();
  await database.close();
});

const list = async ({ key }: Pick<TestMerchant, 'key'>, query = '') =>
  (await api.call('GET', `/webhooks/deliveries${query}`, { key })).body;
const idsOf = async (merchant: TestMerchant, query: string) =>
  (await list(merchant, query)).data.items.map(({ id }: { id: string }) => id);

describe('GET /webhooks/deliveries', () => {
  test('pages of 50, newest first, to the end', async () => {
    const merchant = await newMerchant(api);
    const ids: string[] = [];
    for (const delivery of await addPending(api, merchant, 60)) ids.unshift(await attempted(api, delivery));
    const first = (await list(merchant)).data;
    expect([first.count, first.items.length, first.next_before]).toEqual([50, 50, ids[49]]);
    const second = (await list(merchant, `?before=${first.next_before}`)).data;
    expect([second.count, second.next_before]).toEqual([10, null]);
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids);
    const { data: short } = await list(merchant, `?limit=2&before=${ids[49]}`);
    expect([short.items.map(({ id }: { id: string }) => id), short.next_before]).toEqual([ids.slice(50, 52), ids[51]]);
    expect(Object.keys(first.items[0])).toEqual([
      ...['ts', 'event', 'status_code', 'attempt', 'error'],
      ...['id', 'message_id', 'webhook_id', 'duration_ms', 'next_attempt_at', 'response_excerpt', 'round'],
    ]);
  }, 30_000);

  test('with parcels=true, each record names its parcel, also after the parcel was deleted', async () => {
    const merchant = await newMerchant(api);
    const { id, delivery } = await newRecord(api, merchant);
    const parcel = JSON.parse(delivery.body).data;
    const named = { id, tracking_id: parcel.id, tracking_number: parcel.tracking_number };
    expect((await list(merchant, '?parcels=true')).data.items).toMatchObject([named]);
    await api.call('DELETE', `/trackings/${parcel.id}`, { key: merchant.key });
    const log = [
      await list(merchant, '?parcels=true'),
      await list(merchant, '?parcels=true&status_code=200'),
      await list(merchant, `?parcels=true&tracking_id=${parcel.id}`),
    ];
    for (const { data } of log) expect(data.items).toMatchObject([named]);
    expect((await api.call('GET', `/webhooks/deliveries/${id}`, merchant)).body.data).toMatchObject(named);
  });

  test('filters, alone and together', async () => {
    const merchant = await newMerchant(api);
    const other = await newTestWebhook(api, merchant.key);
    const first = await newRecord(api, merchant, { ...FAILED, state: 'owed', nextAttemptAt: new Date() });
    const again = await attempted(api, { ...first.delivery, attempt: 2 });
    const there = await newRecord(api, { ...merchant, webhook: other }, { ...FAILED, state: 'exhausted' });
    const message = first.delivery.messageId;
    expect(await idsOf(merchant, '')).toEqual([there.id, again, first.id]);
    const empty = '?webhook_id=&message_id=&tracking_id=&event=&failed=&outcome=&status_code=&since=&limit=&before=';
    expect(await idsOf(merchant, empty)).toEqual([there.id, again, first.id]);
    expect(await idsOf(merchant, `?webhook_id=${other.id}`)).toEqual([there.id]);
    expect(await idsOf(merchant, '?failed=true')).toEqual([there.id, first.id]);
    expect(await idsOf(merchant, '?failed=false')).toEqual([again]);
    expect(await idsOf(merchant, `?failed=true&webhook_id=${merchant.webhook.id}`)).toEqual([first.id]);
    expect(await idsOf(merchant, `?message_id=${message}`)).toEqual([there.id, again, first.id]);
    expect(await idsOf(merchant, `?message_id=${there.delivery.messageId}&failed=true`)).toEqual([there.id, first.id]);
    expect(await idsOf(merchant, `?message_id=${message}&before=${there.id}`)).toEqual([again, first.id]);
    expect(await idsOf(merchant, `?message_id=${message}&webhook_id=${other.id}`)).toEqual([there.id]);
    expect(await idsOf(merchant, `?message_id=${message}&event=tracking_delivered`)).toEqual([]);
    const parcel = first.delivery.trackingId;
    expect(await idsOf(merchant, `?tracking_id=${parcel}`)).toEqual([there.id, again, first.id]);
    expect(await idsOf(merchant, `?tracking_id=${parcel}&failed=false`)).toEqual([again]);
    expect(await idsOf(merchant, '?status_code=500')).toEqual([there.id, first.id]);
    expect(await idsOf(merchant, `?status_code=200&message_id=${message}`)).toEqual([again]);
    expect(await idsOf(merchant, '?status_code=0')).toEqual([]);
    expect(await idsOf(merchant, '?status_code=999')).toEqual([]);
    expect(await idsOf(merchant, '?outcome=failed')).toEqual([there.id, first.id]);
    expect(await idsOf(merchant, '?outcome=exhausted')).toEqual([there.id]);
    expect(await idsOf(merchant, `?outcome=delivered&message_id=${message}`)).toEqual([again]);
    expect(await idsOf(merchant, '?since=2020-01-01T00:00:00%2B08:00&until=2099-01-01T00:00:00Z')).toHaveLength(3);
    expect(await idsOf(merchant, '?until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf(merchant, `?since=2099-01-01T00:00:00Z&message_id=${message}`)).toEqual([]);
    expect(await idsOf(merchant, '?event=tracking_update')).toHaveLength(3);
    expect(await idsOf(merchant, '?event=tracking_delivered')).toEqual([]);
    const notSent = { statusCode: 0, error: '["attempt.superseded",{"message":"1"}]', state: 'superseded' } as const;
    const { id: superseded } = await newRecord(api, merchant, notSent);
    expect(await idsOf(merchant, '?outcome=failed')).toEqual([superseded, there.id, first.id]);
    expect(await idsOf(merchant, '?outcome=exhausted')).toEqual([there.id]);
    expect(await idsOf(merchant, '?status_code=0')).toEqual([]);
  });

  test.each([
    '?event=tracking_lost',
    '?failed=yes',
    '?outcome=lost',
    '?before=x',
    '?before=-1',
    '?limit=0',
    '?limit=201',
    '?webhook_id=a&webhook_id=b',
    '?webhook_id=x',
    '?message_id=evt_1',
    '?since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z',
  ])('%s is refused with 4130', async (query) => {
    expect((await list(await newMerchant(api), query)).code).toBe(4130);
  });

  test("another account's records are not found, whatever is requested", async () => {
    const [mine, other] = [await newMerchant(api), await newMerchant(api)];
    const { delivery } = await newRecord(api, other);
    const queries = [
      '',
      `?before=${'f'.repeat(24)}`,
      `?webhook_id=${other.webhook.id}`,
      `?message_id=${delivery.messageId}`,
      `?tracking_id=${delivery.trackingId}`,
    ];
    for (const query of queries) expect(await idsOf(mine, query)).toEqual([]);
  });
});

describe('GET /webhooks/deliveries/{id}', () => {
  const look = async ({ key }: Pick<TestMerchant, 'key'>, id: string) =>
    (await api.call('GET', `/webhooks/deliveries/${id}`, { key })).body;

  test('shows the request with its original URL and signature, the response, its timing, and the other attempts', async () => {
    const merchant = await newMerchant(api);
    const startedAt = new Date();
    const head = 'HTTP/1.1 500 Oops\nServer: x';
    const url = 'https://example.com/before';
    const trace = {
      url,
      address: '192.0.2.1',
      dnsMs: 1,
      connectMs: 2,
      tlsMs: 3.5,
      firstByteMs: 40,
      reused: false,
      head,
    };
    const { id, delivery } = await newRecord(api, merchant, {
      ...FAILED,
      startedAt,
      trace,
      responseExcerpt: 'oops',
      durationMs: 44,
      state: 'owed',
      nextAttemptAt: new Date('2099-01-01T00:00:00Z'),
    });
    const second = await attempted(api, { ...delivery, attempt: 2 });
    const { messageId, event, body } = delivery;
    const secrets = [merchant.webhook.secret];
    const { data } = await look(merchant, id);
    expect(data).toMatchObject({
      id,
      status_code: 500,
      attempt: 1,
      next_attempt_at: '2099-01-01T00:00:00Z',
      round: 0,
      delivery: { state: 'delivered', attempts: 2, round: 0, next_attempt_at: null },
      response: { status_code: 500, head, excerpt: 'oops' },
      timing: {
        dns_ms: 1,
        connect_ms: 2,
        tls_ms: 3.5,
        first_byte_ms: 40,
        total_ms: 44,
        address: '192.0.2.1',
        reused: false,
      },
      other_attempts: [{ id: second, status_code: 200, attempt: 2, round: 0 }],
    });
    expect(data.request).toMatchObject({
      method: 'POST',
      url,
      body,
      signed_string: `${Math.floor(startedAt.getTime() / 1000)}.${body}`,
      notes: [expect.stringMatching(/300 seconds/)],
    });
    expect(data.request.headers).toEqual(
      pushHeaders({ messageId, event, attempt: 1, body, secrets, sentAt: startedAt }),
    );
  });

  test('the command sends the same bytes under the same headers', async () => {
    const merchant = await newMerchant(api);
    const { id } = await newRecord(api, merchant);
    const { request } = (await look(merchant, id)).data;
    const print = `curl() { for word; do printf '%s\\0' "$word"; done; }; ${request.curl}`;
    const words = execFileSync('sh', ['-c', print], { encoding: 'utf8' }).split('\0');
    expect(words).toContain(request.url);
    expect(words[words.indexOf('--data-raw') + 1]).toBe(request.body);
    for (const [name, value] of Object.entries(request.headers)) expect(words).toContain(`${name}: ${value}`);
  });

  test('after a rotation both secrets sign; an attempt from before it shows no signature, and why', async () => {
    const merchant = await newMerchant(api);
    const record = (startedAt: Date) => newRecord(api, merchant, { startedAt });
    const past = await record(new Date());
    const { secret } = (await api.call('POST', `/webhooks/${merchant.webhook.id}/rotate-secret`, { key: merchant.key }))
      .body.data;
    const sentAt = new Date(Date.now() + 3_600_000);
    const during = await record(sentAt);
    const { messageId, event, body } = during.delivery;
    const secrets = [secret, merchant.webhook.secret];
    expect((await look(merchant, during.id)).data.request.headers).toEqual(
      pushHeaders({ messageId, event, attempt: 1, body, secrets, sentAt }),
    );
    const { headers, curl, notes } = (await look(merchant, past.id)).data.request;
    expect([headers['X-Webhook-Signature'], headers['webhook-signature']]).toEqual([null, null]);
    expect(headers['X-Webhook-Id']).toBe(past.delivery.messageId);
    expect(curl).not.toContain('Signature');
    expect(notes[0]).toMatch(/rotated/);
  });

  test('shows what is left of a ping to another URL, of a deleted webhook and of a deleted message', async () => {
    const merchant = await newMerchant(api);
    const receiver = await startReceiver();
    const pinged = await newTestWebhook(api, merchant.key, { url: receiver.url });
    await api.call('POST', '/webhooks/test', { key: merchant.key, body: { id: pinged.id } });
    const push = { id: pinged.id, kind: 'stale', event: 'tracking_delivered' };
    await api.call('POST', '/webhooks/test', { key: merchant.key, body: push });
    const [stale = ''] = await idsOf(merchant, '?event=ping');
    const { headers, body } = (await look(merchant, stale)).data.request;
    const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    expect(receiver.requests.at(-1)?.headers).toMatchObject(Object.fromEntries(sent));
    expect([headers['X-Webhook-Event'], body]).toEqual(['tracking_delivered', null]);
    const url = `${receiver.url}moved`;
    await api.call('PATCH', `/webhooks/${pinged.id}`, { key: merchant.key, body: { url } });
    const [, ping = ''] = await idsOf(merchant, '?event=ping');
    expect((await look(merchant, ping)).data).toMatchObject({
      event: 'ping',
      delivery: null,
      other_attempts: [],
      request: { url: receiver.url, body: null, curl: null, notes: [expect.stringMatching(/ping/)] },
    });
    const { id, delivery } = await newRecord(api, merchant);
    await api.db.message.delete({ where: { id: delivery.messageId } });
    await api.call('DELETE', `/webhooks/${merchant.webhook.id}`, { key: merchant.key });
    expect((await look(merchant, id)).data).toMatchObject({
      delivery: null,
      request: {
        url: null,
        body: null,
        signed_string: null,
        curl: null,
        notes: [/deleted/, /expired/].map(expect.stringMatching),
      },
    });
    await receiver.close();
  });

  test('a record that is unknown, or of another account, is 404', async () => {
    const { id } = await newRecord(api, await newMerchant(api));
    const merchant = await newMerchant(api);
    for (const unknown of [id, '0'.repeat(24)]) expect((await look(merchant, unknown)).code).toBe(404);
    expect(await look(merchant, 'x')).toMatchObject({ code: 4112, data: { errors: [{ field: 'id' }] } });
    expect((await api.call('GET', `/webhooks/deliveries/${id}`)).status).toBe(401);
  });
});
