import type { RequestListener } from 'node:http';
import { startServer, stopServers } from '../testing/local-server.ts';
import { tokensInMemory } from '../testing/tokens.ts';
import { type HttpOutcome, httpClient } from './http.ts';
import { type OAuthConfig, oauth } from './oauth.ts';

afterEach(stopServers);

const ACCOUNT = {
  provider: 'acme',
  title: 'ACME',
  clientId: 'client',
  clientSecret: 'secret',
  style: 'basic',
} as const;

/**
 * A provider that issues tokens `token.1`, `token.2`, … and accepts the newest; `life` is their `expires_in`. The dot
 * cannot occur by chance in what is sealed, which is base64.
 */
async function startProvider({ life = '3600' as unknown, answer = null as RequestListener | null } = {}) {
  const seen = { tokens: 0, calls: [] as string[], requests: [] as unknown[] };
  const url = await startServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    if (req.url === '/token') {
      seen.requests.push({ type: req.headers['content-type'], body, authorization: req.headers.authorization });
      if (answer) return answer(req, res);
      seen.tokens += 1;
      return void res.end(JSON.stringify({ access_token: `token.${seen.tokens}`, expires_in: life }));
    }
    seen.calls.push(String(req.headers.authorization));
    res.writeHead(req.headers.authorization === `Bearer token.${seen.tokens}` ? 200 : 401).end();
  });
  const send = httpClient({ timeoutMs: 60_000 });
  const open = (more: Partial<OAuthConfig> = {}) => {
    const client = oauth({ ...ACCOUNT, tokenUrl: `${url}/token`, store: tokensInMemory(), pauseMs: 1, ...more });
    return {
      prepare: client.prepare,
      call: (signal?: AbortSignal) => client.call((bearer) => send(`${url}/call`, { bearer }), signal),
    };
  };
  return { url, seen, open };
}

const statusOf = (outcome: HttpOutcome | { kind: 'failed' }) =>
  outcome.kind === 'response' ? outcome.status : outcome;

test('one token serves all calls, also simultaneous ones, and the store is read once', async () => {
  const { seen, open } = await startProvider();
  const store = tokensInMemory();
  let taken = 0;
  const take: typeof store.take = (...args) => {
    taken += 1;
    return store.take(...args);
  };
  const client = open({ store: { ...store, take } });
  const outcomes = await Promise.all([client.call(), client.call(), client.call()]);
  expect([...outcomes, await client.call()].map(statusOf)).toEqual([200, 200, 200, 200]);
  expect([seen.tokens, taken]).toEqual([1, 1]);
});

test('processes that share a store share the token, and none of them fetches a second one', async () => {
  const { seen, open } = await startProvider();
  const store = tokensInMemory();
  const processes = [open({ store }), open({ store }), open({ store })];
  const outcomes = await Promise.all(processes.map((process) => process.call()));
  expect(outcomes.map(statusOf)).toEqual([200, 200, 200]);
  expect(seen.tokens).toBe(1);
});

test('a prepared token is used by the call, and a failed one is not requested again', async () => {
  const { seen, open } = await startProvider();
  const one = open({ store: tokensInMemory() });
  await one.prepare();
  expect([seen.tokens, statusOf(await one.call())]).toEqual([1, 200]);
  const refusing = await startProvider({ answer: (_, res) => res.writeHead(503).end() });
  const other = refusing.open({ store: tokensInMemory() });
  await other.prepare();
  expect(await other.call()).toMatchObject({ kind: 'failed', failure: 'transient' });
  expect(refusing.seen.requests).toHaveLength(1);
});

test('the token is not stored in plain text', async () => {
  const { open } = await startProvider();
  const store = tokensInMemory();
  await open({ store }).call();
  const stored = JSON.stringify([...store.stored]);
  expect(stored).not.toContain('token.1');
  expect(stored).not.toContain('secret');
});

test('a token of other credentials, or a tampered one, is not used', async () => {
  const { seen, open } = await startProvider();
  const store = tokensInMemory();
  await open({ store }).call();
  await open({ store, clientSecret: 'another' }).call();
  expect(seen.tokens).toBe(2);
  for (const [key, token] of store.stored) store.stored.set(key, { ...token, sealed: 'AAAA' });
  expect(statusOf(await open({ store }).call())).toBe(200);
  expect(seen.tokens).toBe(3);
});

test('a token is replaced before it expires, with its lifetime as text or as a number', async () => {
  for (const life of ['14399', 14_399]) {
    const { open } = await startProvider({ life });
    const store = tokensInMemory();
    await open({ store }).call();
    const [token] = [...store.stored.values()];
    expect(token).toMatchObject({ refreshInSeconds: expect.closeTo(12_959.1), expiresInSeconds: 14_399 });
  }
});

test('while an expiring token still works, trouble at the token endpoint fails no call', async () => {
  let isWell = true;
  const { seen, open } = await startProvider({
    answer: (_, res) => {
      seen.tokens = 1;
      if (isWell) res.end('{"access_token":"token.1","expires_in":3600}');
      else res.writeHead(503).end();
    },
  });
  const store = tokensInMemory();
  await open({ store }).call();
  isWell = false;
  for (const [key, token] of store.stored) store.stored.set(key, { ...token, refreshInSeconds: 0 });
  expect(statusOf(await open({ store }).call())).toBe(200);
  expect(seen.requests).toHaveLength(2);
});

test('a call refused with 401 is repeated once with a new token', async () => {
  const { seen, open } = await startProvider();
  const client = open();
  await client.call();
  seen.tokens += 1; // the provider forgot the first one
  expect(statusOf(await client.call())).toBe(200);
  expect(seen.calls).toEqual(['Bearer token.1', 'Bearer token.1', 'Bearer token.3']);
});

test('a call refused with a token that was fetched for it is not repeated', async () => {
  const { url, seen, open } = await startProvider({
    answer: (_, res) => res.end('{"access_token":"no-rights","expires_in":60}'),
  });
  expect(statusOf(await open({ tokenUrl: `${url}/token` }).call())).toBe(401);
  expect(seen.calls).toEqual(['Bearer no-rights']);
});

test('a token longer than any other text is not truncated', async () => {
  const long = 'x'.repeat(3_000);
  const { seen, open } = await startProvider({ answer: (_, res) => res.end(`{"access_token":"${long}"}`) });
  await open().call();
  expect(seen.calls).toEqual([`Bearer ${long}`]);
});

test.each([
  [
    'basic',
    'application/x-www-form-urlencoded',
    'grant_type=client_credentials&scope=tracking',
    'Basic Y2xpZW50OnNlY3JldA==',
  ],
  [
    'form',
    'application/x-www-form-urlencoded',
    'grant_type=client_credentials&scope=tracking&client_id=client&client_secret=secret',
    undefined,
  ],
  [
    'json',
    'application/json',
    '{"grant_type":"client_credentials","scope":"tracking","client_id":"client","client_secret":"secret"}',
    undefined,
  ],
] as const)('credentials are sent as %s', async (style, type, body, authorization) => {
  const { seen, open } = await startProvider();
  await open({ style, params: { scope: 'tracking' } }).call();
  expect(seen.requests).toEqual([{ type, body, authorization }]);
});

test.each([
  [401, '{"error":"invalid_client","error_description":"unknown client"}', 'auth', 'invalid_client, unknown client'],
  [400, '{"response":{"errors":[]}}', 'auth', 'HTTP 400'],
  [403, 'forbidden', 'auth', 'HTTP 403'],
  [403, '<html><title>Access Denied</title></html>', 'rate_limited', 'HTTP 403'],
  [429, '', 'rate_limited', 'HTTP 429'],
  [500, '', 'transient', 'HTTP 500'],
  [200, '<html>', 'transient', 'without one'],
  [200, '{"access_token":"line\\nbreak"}', 'transient', 'without one'],
])('HTTP %i %j for a token is the failure %s', async (status, body, failure, words) => {
  const { seen, open } = await startProvider({ answer: (_, res) => res.writeHead(status).end(body) });
  const outcome = await open().call();
  expect(outcome).toMatchObject({ kind: 'failed', failure, message: expect.stringContaining(words) });
  expect(seen.calls).toEqual([]);
});

test('a 403 of an endpoint that blocks addresses with it is no refusal of the credentials', async () => {
  const { open } = await startProvider({ answer: (_, res) => res.writeHead(403).end('{}') });
  const outcome = await open({ blocksForSeconds: 600 }).call();
  expect(outcome).toMatchObject({ kind: 'failed', failure: 'rate_limited', retryAfterSeconds: 600 });
});

test('after a failure the next call tries again', async () => {
  let isWell = false;
  const { open } = await startProvider({
    answer: (_, res) => (isWell ? res.end('{"access_token":"token.0","expires_in":60}') : res.writeHead(500).end()),
  });
  const client = open();
  expect(await client.call()).toMatchObject({ failure: 'transient' });
  isWell = true;
  expect(statusOf(await client.call())).toBe(200);
});

test('an abort ends the wait for a token that another process fetches', async () => {
  const { open } = await startProvider();
  const store = { ...tokensInMemory(), take: async () => ({ hasLease: false, token: null }) };
  const controller = new AbortController();
  const waiting = open({ store }).call(controller.signal);
  setImmediate(() => controller.abort());
  expect(await waiting).toMatchObject({ kind: 'failed', failure: 'transient' });
});
