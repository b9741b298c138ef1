import type { ServerResponse } from 'node:http';
import { newSecret, pingBody, pushHeaders } from '@pts/core/webhook/push';
import { serve } from '@pts/testing/http-server';
import {
  createSmokeClient,
  deadlineIn,
  expectAnswer,
  type Receiver,
  type ReceiverOptions,
  runSmoke,
  type StepReport,
  startReceiver,
} from './smoke.ts';
import { type Fault, startFakeService } from './testing/fake-service.ts';

type Outcome = { ok: boolean; steps: StepReport[]; lines: string[]; hasWebhook: boolean };

async function outcomeOf(fault?: Fault, change: { webhook?: boolean; isFresh?: boolean } = {}): Promise<Outcome> {
  const { webhook = true, isFresh = true } = change;
  const service = await startFakeService(fault);
  const lines: string[] = [];
  try {
    const report = await runSmoke({
      baseUrl: service.url,
      apiKey: 'tk_fake',
      timeoutSeconds: fault === 'never-delivered' || fault === 'no-delivered-push' ? 1 : 60,
      receiver: webhook ? { host: '127.0.0.1', port: 0, url: null } : null,
      parcel: { number: 'SBXEXPRESS1', isFresh },
      pollMs: 10,
      graceMs: 200,
      out: (line) => lines.push(line),
    });
    const { ok, steps } = report.json as { ok: boolean; steps: StepReport[] };
    expect(report.failed).toBe(!ok);
    return { ok, steps, lines: [...lines, ...report.lines], hasWebhook: service.hasWebhook() };
  } finally {
    await service.close();
  }
}

test('on a healthy deployment, every step passes', async () => {
  const { ok, steps, lines } = await outcomeOf();
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(steps.map(({ name }) => name)).toEqual([
    'API key',
    'webhook registered',
    'signed ping',
    'parcel registered',
    'parcel delivered',
    'signed pushes',
    'delivery log',
    'quota',
  ]);
  expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(8);
  expect(lines.at(-1)).toMatch(/^All 8 steps passed in \d/);
});

test.each<[Fault, string, RegExp]>([
  ['refuses-key', 'API key', /rejected with 401/],
  ['refuses-loopback', 'webhook registered', /rejected with 4130/],
  ['unreachable', 'signed ping', /cannot reach/],
  ['wrong-signature', 'signed ping', /does not verify/],
  ['no-sandbox', 'parcel registered', /rejected with 4121/],
  ['never-delivered', 'parcel delivered', /still .* at the timeout/],
  ['no-delivered-push', 'signed pushes', /tracking_delivered did not arrive/],
  ['push-of-another-secret', 'signed pushes', /does not verify/],
  ['empty-log', 'delivery log', /^2 of 2 accepted pushes are missing$/],
  ['log-says-500', 'delivery log', /^2 of 2 accepted pushes are missing$/],
  ['no-charge', 'quota', /the same as before/],
])('a faulty service (%s) fails at the step "%s"', async (fault, name, said) => {
  const { ok, steps, lines } = await outcomeOf(fault);
  expect(ok).toBe(false);
  expect(steps.at(-1)).toMatchObject({ name, ok: false, said: expect.stringMatching(said) });
  expect(steps.slice(0, -1).every((step) => step.ok)).toBe(true);
  expect(lines.at(-1)).toBe(`Failed at: ${name}`);
});

test.each<[string, Fault | undefined]>([
  ['a story that held', undefined],
  ['one that failed', 'wrong-signature'],
])('after %s the webhook is removed', async (_story, fault) => {
  expect((await outcomeOf(fault)).hasWebhook).toBe(false);
});

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } as const;
const answer = (code: number, data: object, message = '请求响应成功。') =>
  JSON.stringify({ code, meta: code, message, data });

type Respond = (response: ServerResponse, nth: number) => void;

/** Short waits so far. */
let moments = 0;
beforeEach(() => {
  moments = 0;
});

/** The result of an operation if the server responds like this. */
async function ask(respond: Respond): Promise<object> {
  let requests = 0;
  const server = await serve((_request, response) => respond(response, ++requests));
  try {
    const deadline = deadlineIn(30_000);
    const client = createSmokeClient({
      baseUrl: server.url,
      apiKey: 'tk_1',
      deadline,
      moment: async () => void moments++,
    });
    return await expectAnswer(client.auth.me(), SCHEMA);
  } finally {
    await server.close();
  }
}

test.each<[string, Respond, RegExp]>([
  [
    'a 429 that lasts beyond the timeout',
    (response) => response.writeHead(429, { 'retry-after': '120' }).end(answer(429, {}, 'Too many.')),
    /429; the next try would be in 120 s, after the timeout/,
  ],
  [
    'an error of the API',
    (response) => response.writeHead(400).end(answer(4190, {}, 'No units left.')),
    /^rejected with 4190: No units left\.$/,
  ],
  [
    'a fault, which is not retried',
    (response, nth) => response.writeHead(500).end(answer(500, {}, `Fault ${nth}.`)),
    /^rejected with 500: Fault 1\.$/,
  ],
  ['another schema', (response) => response.end(answer(200, { n: 'one' })), /does not match its schema: body\/data\/n/],
  ['another envelope', (response) => response.end('{"n":1}'), /not a response of the service: {"n":1}/],
  [
    'a page',
    (response) => response.writeHead(502).end('<h1>Bad\n gateway</h1>'),
    /HTTP 502, not JSON: <h1>Bad gateway/,
  ],
  [
    'a redirect',
    (response) => response.writeHead(301, { location: 'https://x.test/' }).end(),
    /a redirect to https:\/\/x/,
  ],
  ['a hang-up', (response) => response.destroy(), /no response from http:\/\/127/],
])('%s fails, and says so', async (_name, respond, message) => {
  await expect(ask(respond)).rejects.toThrow(message);
});

const SECRET = newSecret(new Uint8Array(32).fill(1));
const body = pingBody(new Date(), 'webhook-1');

async function withReceiver(use: (receiver: Receiver) => Promise<void>, change: Partial<ReceiverOptions> = {}) {
  const receiver = await startReceiver({ host: '127.0.0.1', port: 0, url: null, ...change });
  await use(receiver).finally(receiver.close);
}

function pushSigned(url: string, secret = SECRET, sentAt = new Date()): Promise<Response> {
  const headers = pushHeaders({ messageId: 'm-1', event: 'ping', attempt: 2, body, secrets: [secret], sentAt });
  return fetch(url, { method: 'POST', headers, body });
}

test('a correctly signed push is answered 200 and recorded as verified', () =>
  withReceiver(async ({ url, pushes, trust }) => {
    trust(SECRET);
    expect((await pushSigned(url)).status).toBe(200);
    expect(pushes).toMatchObject([
      {
        verdict: { ok: true, event: 'ping', attempt: 2, messageId: 'm-1' },
        body: { data: { webhook_id: 'webhook-1' } },
      },
    ]);
  }));

test('a wrong signature is answered 401, a stale one 400, and both are recorded as such', () =>
  withReceiver(async ({ url, pushes, trust }) => {
    trust(SECRET);
    const stale = new Date(Date.now() - 400_000);
    expect([(await pushSigned(url, 'whsec_other')).status, (await pushSigned(url, SECRET, stale)).status]).toEqual([
      401, 400,
    ]);
    expect(pushes.map(({ verdict }) => verdict.ok)).toEqual([false, false]);
  }));
