import { sign } from '@pts/core/webhook/push';
import { type ReceivedRequest, startReceiver } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

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

  test.each<[string, Respond, string[], RegExp]>([
    ['verifies nothing', () => 200, ['stale', 'tampered'], /does not verify pushes/],
    [
      'takes old pushes',
      ({ headers, rawBody }, secret) => (verify(headers, rawBody, secret, { toleranceSeconds: 1e9 }).ok ? 200 : 401),
      ['stale'],
      /signed 7 minutes ago/,
    ],
    [
      'checks only the timestamp',
      (request, secret) => (right(request, secret) === 400 ? 400 : 200),
      ['tampered'],
      /anyone can forge events/,
    ],
    [
      'verifies a body that it parsed and serialized again',
      ({ headers, rawBody, ...rest }, secret) =>
        right({ ...rest, headers, rawBody: JSON.stringify(JSON.parse(rawBody)) }, secret),
      ['valid', 'duplicate'],
      /raw bytes/,
    ],
    ['has another secret', (request) => right(request, 'whsec_other'), ['valid', 'duplicate'], /whole secret/],
    ['refuses a duplicate', onceEach(right), ['duplicate'], /message that it already has/],
    ['redirects', () => 302, ['valid', 'stale', 'tampered', 'duplicate'], /never followed/],
    ['is broken', () => 500, ['valid', 'stale', 'tampered', 'duplicate'], /failed with 500/],
  ])('one that %s gets advice', async (_what, respond, failing, advice) => {
    const answer = await check(respond);
    expect(answer.passed).toBe(false);
    expect(answer.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(failing);
    expect(answer.advice).toMatch(advice);
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
      ['ping', 401, 1, 'check, tampered push: the receiver responded with 401, as expected'],
      ['ping', 400, 1, 'check, stale push: the receiver responded with 400, as expected'],
      ['ping', 200, 1, null],
    ]);
  });

  test('a webhook that is disabled can be checked, and stays disabled', async () => {
    const { key } = await api.account();
    const receiver = await startReceiver();
    const body = { url: receiver.url, events: ['tracking_update'] };
    const { id } = (await api.call('POST', '/webhooks', { key, body })).body.data;
    await api.call('PATCH', `/webhooks/${id}`, { key, body: { enabled: false } });
    expect((await api.call('POST', `/webhooks/${id}/check`, { key })).body.data.checks[0].http_status).toBe(200);
    expect((await api.call('GET', '/webhooks', { key })).body.data.webhooks[0].enabled).toBe(false);
    await receiver.close();
    const gone = (await api.call('POST', `/webhooks/${id}/check`, { key })).body.data;
    expect(gone.checks.map(({ http_status }: Check) => http_status)).toEqual([0, 0, 0, 0]);
    expect(gone.checks[0].advice).toMatch(/nothing is listening/);
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

  test('a webhook of another account, and an unknown one, are 404', async () => {
    const { webhook } = await check(right);
    const { key } = await api.account();
    for (const id of [webhook.id, '0'.repeat(24)])
      expect((await api.call('POST', `/webhooks/${id}/check`, { key })).body.code).toBe(404);
    expect((await api.call('POST', `/webhooks/${webhook.id}/check`)).status).toBe(401);
  });
});

/** A receiver that answers 409 to known messages. */
function onceEach(respond: Respond): Respond {
  const seen = new Set<unknown>();
  return (request, secret) => {
    const status = respond(request, secret);
    const id = request.headers['x-webhook-id'];
    if (status !== 200 || !seen.has(id)) {
      if (status === 200) seen.add(id);
      return status;
    }
    return 409;
  };
}

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
