import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { serve, startReceiver } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import { envelope } from '../testing/local-api.ts';
import { newUser } from './testing/pts.ts';

const KEY = `tk_${'0'.repeat(48)}`;
const ME = {
  name: 'merchant',
  plan: 'pro',
  key: { hint: 'tk_0000…0000', scopes: ['read'], expires_at: null },
};
const EVENT = {
  id: 'm1',
  event: 'tracking_delivered',
  created_at: '2031-04-05T06:00:00Z',
  data: { id: 'p1', tracking_number: 'SBXEXPRESS1', status: '已签收', sub_status: 'delivered', seq: 4, events: [] },
};

let user: ReturnType<typeof newUser>;
beforeEach(() => {
  user = newUser();
});
afterEach(() => user.close());

/** A service whose feed has one event, and then nothing. */
function fakeService(requested: string[] = []) {
  return serve((request, response) => {
    const { url = '', headers } = request;
    requested.push(url);
    if (headers['x-api-key'] !== KEY)
      return void response.writeHead(401).end(envelope(401, {}, 'The API key is invalid.'));
    if (url.startsWith('/api/v1/auth/me')) return void response.end(envelope(200, ME));
    if (url === '/api/v1/events?after=latest')
      return void response.end(envelope(200, { events: [], next_cursor: 'c0' }));
    if (!url.startsWith('/api/v1/events/stream')) return void response.writeHead(400).end(envelope(4102));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: c1\nevent: ${EVENT.event}\ndata: ${JSON.stringify(EVENT)}\n\n`);
  });
}

/** Where nothing listens: no program gets such a low port by chance. */
const NOWHERE = 'http://127.0.0.1:2';

/** Listens until an event was shown. */
async function listenOnce(args: string[], env: Record<string, string>) {
  const leaving = new AbortController();
  const onOut = (all: string) => /^(?!.*"ready").*\n/m.test(all.replace(/^.*"ready".*\n/, '')) && leaving.abort();
  return await user.pts(['listen', ...args], { env, signal: leaving.signal, onOut });
}

test('login tries the key, and stores only one that works', async () => {
  const service = await fakeService();
  const wrong = await user.pts(['login', '--url', service.url], { input: `tk_${'1'.repeat(48)}\n` });
  expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('401: The API key is invalid.')]);
  expect((await user.pts(['whoami'])).code).toBe(3);
  // Also as the shells of Windows write it.
  const { code, out } = await user.pts(['login', '--url', service.url], { input: `\uFEFF${KEY}\r\n` });
  expect([code, out]).toEqual([0, expect.stringContaining('Signed in as merchant (pro)')]);
  const notFound = await user.pts(['track', 'A1234', '--no-register']);
  expect([notFound.code, notFound.err]).toEqual([5, 'A1234 is not registered under your account.\n']);
  await service.close();
});

test('shipments --all reads every page in an order in which none moves meanwhile', async () => {
  const requested: string[] = [];
  const service = await serve(({ url = '' }, response) => {
    requested.push(url);
    const next_cursor = url.includes('cursor=') ? null : 'c1';
    response.end(envelope(200, { shipments: [], next_cursor }));
  });
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  await user.pts(['shipments', '--all'], { env });
  await user.pts(['shipments', '--all', '--sort', 'updated_at'], { env });
  await user.pts(['shipments'], { env });
  const queries = requested.map((url) => Object.fromEntries(new URL(url, service.url).searchParams));
  expect(queries).toEqual([
    { sort: '-created_at', limit: '200' },
    { sort: '-created_at', limit: '200', cursor: 'c1' },
    { sort: 'updated_at', limit: '200' },
    { sort: 'updated_at', limit: '200', cursor: 'c1' },
    {},
  ]);
  await service.close();
});

test('notices lists a page with what is resolved, and how to continue', async () => {
  const requested: string[] = [];
  const [since, until] = ['2031-04-05T04:00:00Z', '2031-04-05T05:00:00Z'];
  const notice = {
    kind: 'provider_out',
    id: 'n1',
    subject: 'ups',
    details: {},
    since,
    until,
    text: 'UPS is unavailable.',
  };
  const service = await serve(({ url = '' }, response) => {
    requested.push(url);
    const isLast = url.includes('before=');
    response.end(
      envelope(200, { count: isLast ? 0 : 1, notices: isLast ? [] : [notice], next_before: isLast ? null : 'n1' }),
    );
  });
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  const first = await user.pts(['notices', '--limit', '1'], { env });
  expect([first.code, first.out, first.err]).toEqual([
    0,
    `${since}  provider_out  UPS is unavailable.  resolved ${until}\n`,
    'For the next page, add --before n1\n',
  ]);
  expect((await user.pts(['notices', '--before', 'n1'], { env })).err).toBe('There are no more notices.\n');
  expect(requested).toEqual(['/api/v1/account/notices?limit=1', '/api/v1/account/notices?before=n1']);
  await service.close();
});

test('webhooks add asks for the value of a header, and sends filter, form and state; enable --replay asks for what was missed', async () => {
  const bodies: unknown[] = [];
  const service = await serve(async (request, response) => {
    bodies.push(await json(request));
    const webhook = {
      id: 'w1',
      url: 'https://a.example/',
      events: [],
      status: 'healthy',
      pending: 0,
      secret: 'whsec_x',
    };
    response.end(envelope(200, { ...webhook, disabled_reason: null, failing_since: null, replay_id: 'r1' }));
  });
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  const filter = ['--carriers', 'yto, sf', '--sub-statuses', 'delivered', '--problems', 'customs'];
  const metadata = ['--metadata', 'shop=hz', '--metadata', 'shop=kiel', '--metadata', 'note=a=b'];
  const options = ['--header', 'X-Api-Key', '--format', 'v4', '--disabled', '--events', 'tracking_update'];
  const add = ['webhooks', 'add', 'https://a.example/', ...filter, ...metadata, ...options];
  expect((await user.pts(add, { env, input: 'gateway-key\n' })).code).toBe(0);
  await user.pts(['webhooks', 'add', 'https://b.example/', '--events', 'tracking_update'], { env });
  const enabled = await user.pts(['webhooks', 'enable', 'w1', '--replay'], { env });
  expect(enabled.out).toContain('Replay r1 is sending the missed events.');
  expect(bodies).toEqual([
    {
      url: 'https://a.example/',
      events: ['tracking_update'],
      supersede: false,
      headers: { 'X-Api-Key': 'gateway-key' },
      filter: {
        carriers: ['yto', 'sf'],
        sub_statuses: ['delivered'],
        problems: ['customs'],
        metadata: { shop: ['hz', 'kiel'], note: ['a=b'] },
      },
      format: 'v4',
      enabled: false,
    },
    { url: 'https://b.example/', events: ['tracking_update'], supersede: false },
    { enabled: true, replay: true },
  ]);
  await service.close();
});

test('a wrong address, and one where something else answers, end with 4 and say so', async () => {
  const env = { PTS_URL: NOWHERE, PTS_API_KEY: KEY };
  const login = await user.pts(['login', '--url', env.PTS_URL], { input: KEY });
  expect([login.code, login.err]).toEqual([4, expect.stringMatching(/ECONNREFUSED[\s\S]*Check the address/)]);
  const other = await serve((_request, response) => void response.setHeader('x-request-id', 'r1').end('<html>'));
  const { code, err } = await user.pts(['shipments', '--json'], { env: { ...env, PTS_URL: other.url } });
  const problem = { reason: 'not_the_api', request_id: 'r1' };
  expect([code, JSON.parse(err).error]).toEqual([4, expect.objectContaining(problem)]);
  await other.close();
});

test.each([
  ['cancelled', /^The import was cancelled after 2 rows/],
  ['done', /^ENOENT: no such file or directory, open '.*rejected\.csv'$/],
])('an import that is %s without its rejected rows ends with 1 and the reason', async (state, reason) => {
  const rows = { read: 2, registered: 1, known: 0, updated: 0, rejected: 1 };
  const service = await serve(({ url = '' }, response) => {
    const isDry = url.includes('dry_run=true');
    const about = {
      dry_run: isDry,
      state: isDry ? 'done' : state,
      columns: [],
      units: 1,
      quota_remaining: 9,
      faults: [],
    };
    response.end(envelope(200, { id: 'i1', rows, ...about }));
  });
  const [file, rejected] = [join(user.home, 'orders.csv'), join(user.home, 'no-such-folder', 'rejected.csv')];
  writeFileSync(file, 'SBX1\n!\n');
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  const { code, err } = await user.pts(['import', file, '--yes', '--rejected', rejected, '--json'], { env });
  expect([code, JSON.parse(err).error]).toEqual([1, { message: expect.stringMatching(reason) }]);
  await service.close();
});

test('bulk acts on what was counted, when the count is exact; the end of the command ends the counting', async () => {
  const sent: unknown[] = [];
  const [leaving, reasons] = [new AbortController(), [{ count: 1, message: 'It was deleted.' }]];
  let state = 'done';
  const counted = { id: 'd1', dry_run: true, state: 'queued', matched: 10_000 };
  const acted = {
    id: 'a1',
    dry_run: false,
    state: 'done',
    matched: 10_001,
    done: 10_000,
    skipped: 1,
    failed: 0,
    reasons,
  };
  const service = await serve(async (request, response) => {
    const { method = '', url = '' } = request;
    sent.push([method, url, ...(method === 'POST' ? [await json(request)] : [])]);
    if (method === 'GET' && state === 'running') leaving.abort();
    const data = method === 'GET' ? { ...counted, state, matched: 10_001 } : url.endsWith('/delete') ? acted : counted;
    response.end(envelope(200, data));
  });
  const filter = { q: 'scarf', needs_attention: 'true' };
  const args = ['bulk', 'delete', '--q', 'scarf', '--attention', 'any', '--yes'];
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  const { code, out } = await user.pts(args, { env });
  expect([code, out]).toEqual([0, '10000 done, 1 skipped, 0 failed\n  1: It was deleted.\n']);
  expect(sent.splice(0)).toEqual([
    ['POST', '/api/v1/bulk/retrack', { filter, dry_run: true }],
    ['GET', '/api/v1/bulk/d1'],
    ['POST', '/api/v1/bulk/delete', { filter, expected_count: 10_001, dry_run_id: 'd1' }],
  ]);
  state = 'running';
  expect((await user.pts(args, { env, signal: leaving.signal })).code).toBe(130);
  expect(sent.at(-1)).toEqual(['DELETE', '/api/v1/bulk/d1']);
  await service.close();
});

test('listen forwards an event as the service pushes it, with its secret, and shows the answer', async () => {
  const requested: string[] = [];
  const service = await fakeService(requested);
  const receiver = await startReceiver({ respond: () => ({ status: 401, body: 'wrong signature' }) });
  const env = { PTS_URL: `${service.url}/api/v1/`, PTS_API_KEY: KEY };
  const { code, out } = await listenOnce(['--forward-to', receiver.url, '--replay', '3', '--json'], env);
  expect(code).toBe(0);
  const [ready, shown] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(requested).toContain('/api/v1/events/stream?last=3');
  const [push] = receiver.requests;
  if (!push) throw new Error('nothing was forwarded');
  expect(verify(push.headers, push.rawBody, ready.secret)).toMatchObject({
    ok: true,
    event: EVENT.event,
    messageId: 'm1',
  });
  expect(verify(push.headers, push.rawBody, 'whsec_other')).toMatchObject({ ok: false, reason: 'signature_mismatch' });
  const { id: _, ...body } = EVENT;
  expect(push.rawBody).toBe(JSON.stringify(body));
  expect(push.headers).toMatchObject({
    'x-webhook-attempt': '1',
    'webhook-id': 'm1',
    'content-type': 'application/json',
  });
  expect(shown).toMatchObject({
    message_id: 'm1',
    forwarded: { status_code: 401, error: 'the service would retry', response_excerpt: 'wrong signature' },
  });
  const guide = `${service.url}/docs/receivers#why-a-push-is-refused`;
  expect(shown.forwarded.docs_url).toBe(guide);
  const asText = await listenOnce(['--forward-to', receiver.url], env);
  expect(asText.out).toContain(`: the service would retry\n          wrong signature\n          See ${guide}\n`);
  await Promise.all([service.close(), receiver.close()]);
});

test('listen says when the receiver is down, and goes on', async () => {
  const service = await fakeService();
  const env = { PTS_URL: service.url, PTS_API_KEY: KEY };
  const { code, out, err } = await listenOnce(['--forward-to', NOWHERE], env);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /SBXEXPRESS1 {2}已签收 \(delivered\) {2}-> no response: .*nothing is listening there. Start your receiver/,
    ),
  ]);
  expect(err).toMatch(/Signing secret: whsec_/);
  await service.close();
});
