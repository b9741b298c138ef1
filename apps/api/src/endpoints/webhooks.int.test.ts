import { createHmac } from 'node:crypto';
import { startReceiver } from '@pts/testing/http-server';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'];
const register = (key: string, url: string) => api.call('POST', '/webhooks', { key, body: { url, events } });

describe('POST /webhooks', () => {
  test('shows the secret, only this once, and stores it encrypted', async () => {
    const { key } = await api.account();
    const { status, body } = await register(key, 'https://example.com/hook');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      url: 'https://example.com/hook',
      events,
      enabled: true,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/),
      signature_header: expect.stringContaining('t=<unix_seconds>,v1='),
    });
    const { secret, id } = body.data;
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const listed = await api.call('GET', '/webhooks', { key });
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const stored = await api.db.webhook.findUniqueOrThrow({ where: { id } });
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test.each([
    ['not an address', 'hook'],
    ['another scheme', 'ftp://example.com/'],
    ['a user name', 'https://me:secret@example.com/'],
    ['localhost', 'https://localhost/hook'],
    ['a private address', 'https://10.0.0.1/hook'],
    ['a private address in disguise', 'https://0x0a000001/hook'],
    ['metadata', 'https://169.254.169.254/latest'],
    ['an internal name', 'https://hooks.internal/'],
    ['a fragment, which is never sent', 'https://example.com/hook#shop'],
    ['more than 2,048 characters', `https://example.com/${'a'.repeat(2048)}`],
  ])('%s is refused with 4130, the field named', async (_, url) => {
    const { id, key } = await api.account();
    const answer = await register(key, url);
    expect(answer).toMatchObject({ status: 400, body: { code: 4130, data: { errors: [{ field: 'url' }] } } });
    expect(await api.db.webhook.count({ where: { accountId: id } })).toBe(0);
  });

  test('an account has ten at most; a known URL gets a new secret instead', async () => {
    const { key } = await api.account();
    const first = await register(key, 'https://example.com/0');
    const ids = await Promise.all(Array.from({ length: 9 }, (_, i) => register(key, `https://example.com/${i + 1}`)));
    expect(ids.every(({ status }) => status === 200)).toBe(true);
    expect((await register(key, 'https://example.com/11')).body.code).toBe(4130);
    const again = await register(key, 'https://example.com/0');
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(again.body.data.secret).not.toBe(first.body.data.secret);
  });
});

describe('POST /webhooks/test', () => {
  test('sends a signed ping and lists it with the deliveries', async () => {
    const { key } = await api.account();
    const receiver = await startReceiver();
    const { secret, id } = (await register(key, receiver.url)).body.data;
    const { body } = await api.call('POST', '/webhooks/test', { key });
    expect(body.data).toEqual({ reachable: true, http_status: 200, response_ms: expect.any(Number) });
    const [ping] = receiver.requests;
    const timestamp = ping?.headers['x-webhook-timestamp'];
    const expected = createHmac('sha256', secret).update(`${timestamp}.${ping?.rawBody}`).digest('hex');
    expect(ping?.headers['x-webhook-signature']).toBe(`t=${timestamp},v1=${expected}`);
    expect(ping?.headers).toMatchObject({
      'x-webhook-event': 'ping',
      'x-webhook-attempt': '1',
      'user-agent': 'Service-Webhook/1.0',
    });
    expect(JSON.parse(ping?.rawBody ?? '')).toMatchObject({ event: 'ping', data: { webhook_id: id } });
    const log = await api.call('GET', '/webhooks/deliveries', { key });
    expect(log.body.data.count).toBe(1);
    expect(Object.keys(log.body.data.items[0]).slice(0, 5)).toEqual(['ts', 'event', 'status_code', 'attempt', 'error']);
    expect(log.body.data.items[0]).toMatchObject({ event: 'ping', status_code: 200, attempt: 1, error: null });
    await receiver.close();
  });

  test('a failing or missing receiver is an outcome, not an error', async () => {
    const { key } = await api.account();
    const receiver = await startReceiver({ respond: () => ({ status: 500 }) });
    await register(key, receiver.url);
    expect((await api.call('POST', '/webhooks/test', { key })).body.data).toMatchObject({
      reachable: true,
      http_status: 500,
    });
    await receiver.close();
    expect((await api.call('POST', '/webhooks/test', { key })).body.data).toMatchObject({
      reachable: false,
      http_status: 0,
    });
    const log = await api.call('GET', '/webhooks/deliveries', { key });
    expect(log.body.data.items.map((item: { status_code: number }) => item.status_code)).toEqual([0, 500]);
  });

  test('a webhook that is named wrongly is not confused with the newest', async () => {
    const { key } = await api.account();
    const [older, newest] = [await startReceiver(), await startReceiver()];
    const { id } = (await register(key, older.url)).body.data;
    await register(key, newest.url);
    const refused = await api.call('POST', '/webhooks/test', { key, body: { webhook_id: id } });
    expect(refused).toMatchObject({ status: 400, body: { code: 4130 } });
    expect(refused.body.data.errors).toEqual([{ field: 'webhook_id', message: 'is unknown: send it as id' }]);
    await api.call('POST', '/webhooks/test', { key, body: { id } });
    expect([older.requests.length, newest.requests.length]).toEqual([1, 0]);
    await Promise.all([older.close(), newest.close()]);
  });

  test('without a webhook, the test is refused', async () => {
    const { key } = await api.account();
    expect(await api.call('POST', '/webhooks/test', { key })).toMatchObject({ status: 404, body: { code: 404 } });
    const malformed = await api.call('POST', '/webhooks/test', { key, body: { id: 'x' } });
    expect(malformed).toMatchObject({ status: 400, body: { code: 4112, data: { errors: [{ field: 'id' }] } } });
  });
});

describe('managing webhooks', () => {
  test('events and enabled can be changed, and a webhook be deleted', async () => {
    const { key } = await api.account();
    const { id } = (await register(key, 'https://example.com/hook')).body.data;
    const changed = await api.call('PATCH', `/webhooks/${id}`, {
      key,
      body: { events: ['tracking_delivered'], enabled: false },
    });
    expect(changed.body.data).toMatchObject({
      id,
      events: ['tracking_delivered'],
      enabled: false,
      disabled_reason: null,
    });
    expect((await api.call('PATCH', `/webhooks/${id}`, { key, body: {} })).body.code).toBe(4130);
    const listed = (await api.call('GET', '/webhooks', { key })).body.data.webhooks;
    expect([(await api.call('GET', `/webhooks/${id}`, { key })).body.data]).toEqual(listed);
    expect((await api.call('DELETE', `/webhooks/${id}`, { key })).body.data).toEqual({ id });
    expect((await api.call('GET', '/webhooks', { key })).body.data).toEqual({ count: 0, webhooks: [] });
    expect((await api.call('DELETE', `/webhooks/${id}`, { key })).status).toBe(404);
  });

  test('a rotated secret is returned once, and the previous one signs for 24 hours', async () => {
    const { key } = await api.account();
    const before = (await register(key, 'https://example.com/hook')).body.data;
    const stored = await api.db.webhook.findUniqueOrThrow({ where: { id: before.id } });
    const after = await api.call('POST', `/webhooks/${before.id}/rotate-secret`, { key });
    expect(after.body.data.secret).toMatch(/^whsec_/);
    expect(after.body.data.secret).not.toBe(before.secret);
    const rotated = await api.db.webhook.findUniqueOrThrow({ where: { id: before.id } });
    expect(rotated.retiredSecrets).toEqual([stored.encryptedSecret]);
    const hours = ((rotated.retiredUntil[0]?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
  });

  test("another account's webhook is not found", async () => {
    const [mine, other] = [await api.account(), await api.account()];
    const { id } = (await register(other.key, 'https://example.com/hook')).body.data;
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
    ] as const) {
      const answer = await api.call(method, `/webhooks/${id}${path}`, {
        key: mine.key,
        ...(method === 'GET' ? {} : { body: { enabled: false } }),
      });
      expect(answer.status).toBe(404);
    }
    expect((await api.call('GET', '/webhooks', { key: other.key })).body.data.webhooks[0].enabled).toBe(true);
  });
});
