import { sign } from '@pts/core/webhook/signature';
import { type ReceivedRequest, startReceiver } from '@pts/testing/receiver';
import { verify } from '@pts/webhook-verifier/verify';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

type Respond = (request: ReceivedRequest, secret: string) => number;
type Check = { name: string; http_status: number; passed: boolean; advice: string | null };

/** The result of checking a receiver with a new account. */
async function check(respond: Respond) {
  const { key } = await api.account();
  let secret = '';
  const receiver = await startReceiver({ respond: (request) => ({ status: respond(request, secret) }) });
  try {
    const body = { url: receiver.url, events: ['tracking_update'] };
    const webhook = (await api.call('POST', '/webhooks', { key, body })).body.data;
    secret = webhook.secret;
    const { status, body: answer } = await api.call('POST', `/webhooks/${webhook.id}/check`, { key });
    expect(status).toBe(200);
    const checks: Check[] = answer.data.checks;
    const advice = checks.find(({ passed }) => !passed)?.advice ?? null;
    return { key, webhook, passed: answer.data.passed, checks, advice, requests: receiver.requests };
  } finally {
    await receiver.close();
  }
}

const right: Respond = ({ headers, rawBody }, secret) => {
  const verdict = verify(headers, rawBody, secret);
  return verdict.ok ? 200 : verdict.status;
};

describe('POST /webhooks/{id}/check', () => {
  test('a receiver that verifies passes all four', async () => {
    const { passed, checks, requests } = await check(right);
    expect(passed).toBe(true);
    expect(checks.map(({ name, http_status }) => [name, http_status])).toEqual([
      ['valid', 200],
      ['stale', 400],
      ['tampered', 401],
      ['duplicate', 200],
    ]);
    const ids = requests.map(({ headers }) => headers['x-webhook-id']);
    expect([new Set(ids).size, ids[3] === ids[0]]).toEqual([3, true]);
  });

  test('the delivery log has all four, and expected refusals are marked as such', async () => {
    const { key } = await check(right);
    const { items } = (await api.call('GET', '/webhooks/deliveries', { key })).body.data;
    expect(
      items.map(({ event, status_code, attempt, error }: Record<string, unknown>) => [
        event,
        status_code,
        attempt,
        error,
      ]),
    ).toEqual([
      ['ping', 200, 2, null],
      ['ping', 401, 1, 'check, tampered push: the receiver answered 401, as it should'],
      ['ping', 400, 1, 'check, stale push: the receiver answered 400, as it should'],
      ['ping', 200, 1, null],
    ]);
  });

  test('after a rotation a receiver passes with either secret', async () => {
    const { key } = await api.account();
    let secret = '';
    const receiver = await startReceiver({ respond: (request) => ({ status: right(request, secret) }) });
    const body = { url: receiver.url, events: ['tracking_update'] };
    const old = (await api.call('POST', '/webhooks', { key, body })).body.data;
    const { secret: fresh } = (await api.call('POST', `/webhooks/${old.id}/rotate-secret`, { key })).body.data;
    for (secret of [old.secret, fresh])
      expect((await api.call('POST', `/webhooks/${old.id}/check`, { key })).body.data.passed).toBe(true);
    await receiver.close();
  });
});

describe('POST /webhooks/test, of a kind and an event', () => {
  test.each([
    ['valid', 'tracking_delivered', 200],
    ['stale', 'tracking_update', 400],
    ['tampered', 'tracking_exception', 401],
    ['duplicate', 'ping', 200],
  ])('a %s %s gets the response of a correct receiver', async (kind, event, status) => {
    const { key } = await api.account();
    let secret = '';
    const receiver = await startReceiver({ respond: (request) => ({ status: right(request, secret) }) });
    try {
      const registration = { url: receiver.url, events: ['tracking_update'] };
      const webhook = (await api.call('POST', '/webhooks', { key, body: registration })).body.data;
      secret = webhook.secret;
      const body = { id: webhook.id, kind, event };
      const { data } = (await api.call('POST', '/webhooks/test', { key, body })).body;
      const sent = receiver.requests.at(-1);
      expect(data).toMatchObject({
        reachable: true,
        http_status: status,
        push: { kind, event, passed: true, message_id: sent?.headers['x-webhook-id'], body: sent?.rawBody.toString() },
      });
      expect(receiver.requests).toHaveLength(kind === 'duplicate' ? 2 : 1);
      expect(sent?.headers['x-webhook-event']).toBe(event);
      const { items } = (await api.call('GET', '/webhooks/deliveries', { key })).body.data;
      expect(items[0]).toMatchObject({ event: 'ping', status_code: status });
    } finally {
      await receiver.close();
    }
  });

  test.each([
    ['valid', 'tracking_delivered', 200],
    ['stale', 'tracking_update', 400],
    ['tampered', 'ping', 401],
    ['duplicate', undefined, 200],
  ])('with dry_run, a %s %s is shown with what is signed, and nothing is sent', async (kind, event, verdict) => {
    const { key } = await api.account();
    const receiver = await startReceiver();
    try {
      const registration = { url: receiver.url, events: ['tracking_update'] };
      const { id, url, secret } = (await api.call('POST', '/webhooks', { key, body: registration })).body.data;
      const body = { id, kind, event, dry_run: true };
      const { status, body: answer } = await api.call('POST', '/webhooks/test', { key, body });
      expect([status, answer.data.dry_run]).toEqual([200, true]);
      const { push } = answer.data;
      expect(push).toMatchObject({ kind, event: event ?? 'ping', url });
      const headers = Object.fromEntries(
        Object.entries(push.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const request = { headers, rawBody: push.body } as ReceivedRequest;
      expect(right(request, secret)).toBe(verdict);
      const [, seconds, signed] = /^(\d+)\.(.*)$/s.exec(push.signed_string) ?? [];
      expect(seconds).toBe(push.headers['X-Webhook-Timestamp']);
      expect(sign(secret, Number(seconds), signed ?? '')).toBe(push.headers['X-Webhook-Signature'].split('v1=')[1]);
      expect(receiver.requests).toEqual([]);
      expect((await api.call('GET', '/webhooks/deliveries', { key })).body.data.items).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
});
