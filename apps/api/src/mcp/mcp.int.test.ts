import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { revokeKey } from '@pts/contract/account';
import type { Scope } from '@pts/core/account';
import { findKeyHolder, type KeyHolder } from '@pts/db/accounts/accounts';
import { readPrimary } from '@pts/db/replica';
import { startReceiver } from '@pts/testing/http-server';
import fc from 'fast-check';
import type { ApiDeps } from '../deps.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { forAccounts } from '../http/call.ts';
import { fitting, hostileValue, nearlyFitting } from '../testing/arbitrary.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { newRecord, newTestWebhook } from '../testing/test-deliveries.ts';
import { callable, inToolTerms, MAX_ANSWER } from './mcp-server.ts';
import { TOOLS, tool, WRITES } from './tools.ts';

const VERSION = '2025-06-18';

let api: TestApi;
const log: string[] = [];
beforeAll(async () => {
  api = await startTestApi({ log: (line) => line.includes('"level":"error"') && log.push(line) });
}, 60_000);
afterAll(() => api.close());

/** The SDK's own client, as agents have it. */
async function connect(key: string) {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { Authorization: `Bearer ${key}` };
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const [content] = result.content;
    if (content?.type !== 'text') throw new Error('a tool answers with text');
    return { isError: result.isError === true, text: content.text };
  };
  const read = async (name: string, args?: Record<string, unknown>) => {
    const { isError, text } = await call(name, args);
    expect([isError, text]).toEqual([false, expect.anything()]);
    return JSON.parse(text);
  };
  return { client, call, read, close: () => client.close() };
}

const keyOf = async (accountId: string, scopes: Scope[]) => (await api.key(accountId, { scopes })).apiKey;

/** One message, as it goes over the wire. */
async function post(key: string | null, body: unknown, headers: Record<string, string> = {}, url = api.url) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: unknown) => message('tools/call', { name, arguments: args });

test('an agent checks what a registration costs, registers, finds, explains and retracks a parcel', async () => {
  const { key } = await api.account();
  const agent = await connect(key);
  expect(agent.client.getServerVersion()).toMatchObject({ name: 'parcel-tracking' });
  expect(agent.client.getInstructions()).toContain('Only register_parcels costs quota');
  expect((await agent.client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));

  const parcels = [{ tracking_number: 'SBXMCP1', title: 'Blue jacket' }, { tracking_number: '!' }];
  expect(await agent.read('detect_carrier', { tracking_number: 'SBXMCP1' })).toMatchObject({ carrier: 'sandbox' });
  expect(await agent.read('register_parcels', { parcels, dry_run: true })).toMatchObject({ would_charge: 1 });
  expect((await agent.read('get_quota')).quota_used).toBe(0);
  const registered = await agent.read('register_parcels', { parcels });
  expect(registered.error).toMatchObject([{ index: 1, errorCode: 4110 }]);
  const [{ id }] = registered.success;
  expect((await agent.read('get_quota')).quota_used).toBe(1);

  expect(await agent.read('get_parcels', { tracking_numbers: ['SBXMCP1', 'SBXNONE'] })).toMatchObject({
    parcels: [{ id, status: '查询中', events: [] }],
    not_registered: ['SBXNONE'],
  });
  expect(await agent.read('search_shipments', { q: 'jacket' })).toMatchObject({ total: 1, shipments: [{ id }] });
  expect(await agent.read('explain_parcel', { id })).toMatchObject({ tracking_number: 'SBXMCP1' });
  expect(await agent.read('explain_parcel', { tracking_number: 'sbx-mcp1' })).toMatchObject({ id });
  expect(await agent.read('explain_parcel', { tracking_number: 'SBXMCP1', courier_code: 'sandbox' })).toMatchObject({
    id,
  });
  expect(await agent.read('retrack_parcel', { tracking_number: 'SBXMCP1' })).toMatchObject({ id });
  expect(await agent.call('retrack_parcel', { id })).toEqual({
    isError: true,
    text: expect.stringMatching(/^Error 4113: (?!.*seconds.*seconds).* \d+ seconds\. See http.*\/docs\/errors\/4113$/),
  });
  expect(await agent.read('what_needs_attention')).toBeDefined();
  await agent.close();
});

test('an agent finds a failed delivery and sends it again', async () => {
  const { id: accountId, key } = await api.account();
  const receiver = await startReceiver();
  const webhook = await newTestWebhook(api, key, { url: receiver.url });
  await newRecord(api, { accountId, key, webhook });
  const agent = await connect(await keyOf(accountId, ['webhooks']));
  expect(await agent.read('webhook_health')).toMatchObject({ webhooks: [{ status: 'healthy' }] });
  const { items } = await agent.read('list_deliveries', { webhook_id: '', message_id: '' });
  expect(await agent.read('get_delivery', { id: items[0].id })).toMatchObject({ id: items[0].id });
  expect(await agent.read('redeliver', { id: items[0].id })).toMatchObject({ state: 'owed', round: 1 });
  await Promise.all([agent.close(), receiver.close()]);
});

test('a key with the scope read sees only tools that read, and the others refuse', async () => {
  const { id } = await api.account();
  const agent = await connect(await keyOf(id, ['read']));
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'what_needs_attention',
    'search_shipments',
    'get_parcels',
    'explain_parcel',
    'detect_carrier',
    'get_quota',
    'list_notices',
  ]);
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(await agent.call('register_parcels', { parcels: [{ tracking_number: 'SBXMCP2' }] })).toEqual({
    isError: true,
    text: expect.stringContaining('Error 403: This operation needs the scope write'),
  });
  await agent.close();
});

test('a key with the scope write registers and retracks, and reads nothing', async () => {
  const { id } = await api.account();
  const agent = await connect(await keyOf(id, ['write']));
  expect((await agent.client.listTools()).tools.map(({ name }) => name)).toEqual([
    'register_parcels',
    'retrack_parcel',
  ]);
  const parcels = [{ tracking_number: 'SBXMCP3' }];
  expect(await agent.read('register_parcels', { parcels })).toMatchObject({ success: [{ carrier: 'sandbox' }] });
  expect((await agent.call('get_parcels', { tracking_numbers: ['SBXMCP3'] })).text).toContain('needs the scope read');
  await agent.close();
});

test.each(TOOLS.map(({ name, description }) => [name, description]))(
  '%s says when to use it, and what it costs',
  (_name, description) => {
    expect(description).toMatch(/\b(Use it|Start here|Look here)\b/i);
    expect(description).toMatch(/ Free\b|COSTS one unit/);
  },
);

test.each(['docs/agents.md', 'docs/zh/agents.md'])('%s lists every tool with the scope that it needs', (page) => {
  const text = readFileSync(join(import.meta.dirname, '../../../..', page), 'utf8');
  const rows = Array.from(text.matchAll(/^\| ((?:`\w+`[,、]? ?)+) \| `(\w+)` \|/gm), ([, tools = '', scope]) =>
    Array.from(tools.matchAll(/\w+/g), ([name]) => [name, scope]),
  );
  expect(rows.flat().sort()).toEqual(TOOLS.map(({ name, contract: { scope } }) => [name, scope]).sort());
});

test('arguments that do not fit are refused with what to send instead', async () => {
  const agent = await connect((await api.account()).key);
  const refused: [string, Record<string, unknown>, string][] = [
    ['search_shipments', { state: 'delivered' }, 'Error 4130: Invalid: state is unknown: send it as status'],
    ['search_shipments', { limit: 51 }, 'limit must be at most 50'],
    ['get_parcels', {}, 'tracking_numbers is missing'],
    ['get_parcels', { tracking_numbers: ['SBXNONE'] }, 'Error 4102'],
    ['explain_parcel', { id: 'x' }, 'Error 4112'],
    ['explain_parcel', { id: null }, 'Error 4111: Invalid: tracking_number is missing: send it, or send id'],
    ['explain_parcel', { tracking_number: 'SBXMCP-404' }, 'Register it with register_parcels'],
    ['explain_parcel', { tracking_number: 'NUMBER' }, 'Error 4110'],
    ['explain_parcel', { id: '0123456789abcdef01234567' }, 'search_shipments lists the ids'],
    ['retrack_parcel', { tracking_number: 'SBXMCP-404' }, 'Error 4102'],
    ['get_delivery', { id: '0123456789abcdef01234567' }, 'list_deliveries lists your records'],
    ['search_shipments', { carrier: 'nobody' }, 'detect_carrier lists them'],
  ];
  for (const [name, args, text] of refused)
    expect(await agent.call(name, args)).toEqual({ isError: true, text: expect.stringContaining(text) });
  const { key } = await api.account();
  for (const args of ['{}', [], 7])
    expect((await post(key, callOf('get_quota', args))).text).toContain('Invalid: arguments must be an object');
  await expect(agent.call('delete_everything')).rejects.toThrow(
    /^MCP error -32602: There is no such tool\. tools\/list lists the tools\.$/,
  );
  await agent.close();
});

test.each(['application/json', '*/*'])('a client that accepts %s gets its answer', async (accept) => {
  const { key } = await api.account();
  expect(await post(key, message('ping'), { Accept: accept })).toMatchObject({ status: 200 });
});

test.each([
  ['tools/call', { name: 'get_quota', arguments: null, _meta: null }],
  ['tools/call', { name: 'search_shipments', arguments: { q: null, carrier: null, limit: 5 } }],
  [
    'tools/call',
    { name: 'register_parcels', arguments: { parcels: [{ tracking_number: 'SBXMCP5', title: null }], dry_run: true } },
  ],
  ['tools/list', { cursor: null }],
  ['ping', null],
])('%s: what a client leaves out with null is absent', async (method, params) => {
  const { key } = await api.account();
  const { status, text } = await post(key, { ...message(method), params });
  const result = expect.not.objectContaining({ isError: true });
  expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result }]);
});

describe('a request is refused', () => {
  test('without a key, or with a wrong one', async () => {
    for (const key of [null, 'x', `tk_${'0'.repeat(48)}`]) {
      const { status, headers, text } = await post(key, message('ping'));
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(JSON.parse(text)).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: {
          code: 401,
          message: expect.stringMatching(/^The API key is /),
          data: { docs_url: expect.any(String) },
        },
      });
      await expect(connect(key ?? '')).rejects.toThrow(/The API key is /);
    }
  });

  test('from a network that the key is not for', async () => {
    const { id } = await api.account();
    const { apiKey } = await api.key(id, { scopes: ['read'], networks: ['192.0.2.0/24'] });
    expect((await post(apiKey, message('ping'))).status).toBe(403);
  });

  test('from a page of another origin', async () => {
    const { key } = await api.account();
    expect((await post(key, message('ping'), { Origin: 'https://evil.example' })).status).toBe(403);
    // An empty header counts as absent.
    expect((await post(key, message('ping'), { Origin: api.url, 'X-API-Key': '' })).status).toBe(200);
  });

  test('that is a batch, is no message, or has another method', async () => {
    const { key } = await api.account();
    expect((await post(key, [message('ping')])).status).toBe(400);
    expect((await post(key, { hello: 1 })).status).toBe(400);
    expect((await post(key, '{')).status).toBe(400);
    const get = await fetch(`${api.url}/mcp`, { headers: { Authorization: `Bearer ${key}` } });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    await get.text();
  });
});

test('calls that come together wait for the next second, and each gets its answer', async () => {
  const limited = await startTestApi({ limits: ['account=1', 'mcp=4'] });
  try {
    const { key } = await limited.account();
    const calls = Array.from({ length: 3 }, () => post(key, callOf('get_quota', {}), {}, limited.url));
    for (const { status, text } of await Promise.all(calls))
      expect([status, text]).toEqual([200, expect.stringContaining('quota_used')]);
    const pings = Array.from({ length: 9 }, () => post(key, message('ping'), {}, limited.url));
    expect((await Promise.all(pings)).map(({ status }) => status)).toEqual(pings.map(() => 200));
  } finally {
    await limited.close();
  }
});

test.each([
  ['Register it with POST /api/v1/trackings/create.', 'Register it with register_parcels.'],
  ['GET /api/v1/shipments?q= with the number returns the id', 'search_shipments with the number returns the id'],
  ['it is POST /trackings/retrack/{id}, or GET /trackings/{id}', 'it is retrack_parcel, or get_parcels'],
  ['with PATCH /api/v1/trackings/{id}.', 'with updateTracking of the REST API (not a tool).'],
  ['GET /docs is its first one; GET /api/v2/shipments', 'GET /docs is its first one; GET /api/v2/shipments'],
])('%s: an agent reads of its tools', (text, shown) => {
  expect(inToolTerms(text)).toBe(shown);
});

test('tools share the limits of their operations, and messages have one of their own', async () => {
  const limited = await startTestApi({ limits: ['trackings.get=1', 'mcp=3'], limitWindowSeconds: 600 });
  try {
    const { key } = await limited.account();
    const tell = async (body: object) => {
      const response = await fetch(`${limited.url}/mcp`, {
        method: 'POST',
        headers: {
          'X-API-Key': key,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    await limited.call('GET', '/trackings/get?tracking_numbers=SBXNONE', { key });
    const { text } = await tell(callOf('get_parcels', { tracking_numbers: ['SBXNONE'] }));
    expect(text).toMatch(
      /Error 429: Too many calls at once\. Each account is allowed 1 per second\..* after 4 seconds\. See /,
    );
    expect([(await tell(message('ping'))).status, (await tell(message('ping'))).status]).toEqual([200, 200]);
    const refused = await tell(message('ping'));
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { jsonrpc: '2.0', error: { code: 429 } }]);
  } finally {
    await limited.close();
  }
});

test('an operation that needs the scope admin is kept in the audit log, as over REST', async () => {
  const { id, key } = await api.account();
  const [admin, other] = [await api.key(id, { scopes: ['admin'] }), await api.key(id, { scopes: ['read'] })];
  const revoke = callable(
    tool({
      name: 'revoke_key',
      title: 'Revoke a key',
      description: 'No tool of the server needs this scope.',
      hints: WRITES,
      inputSchema: { type: 'object', required: ['key_id'], properties: { key_id: { type: 'string' } } },
      contract: revokeKey,
      toInput: ({ key_id }) => ({ id: key_id }),
    }),
    {
      deps: {
        db: api.db,
        reads: readPrimary(api.db),
        now: () => new Date(),
        providers: [],
      } as Partial<ApiDeps> as ApiDeps,
      limiter: {
        take: async () => null,
        takeAuthFailure: async () => true,
        takeLookup: async () => true,
        close: async () => {},
      },
      audience: forAccounts({} as Authenticator),
      checkResponses: true,
      onFault: (error) => expect(error).toBeUndefined(),
    },
  );
  const holder = (await findKeyHolder(api.db, admin.apiKey)) as KeyHolder;
  const caller = {
    ...holder,
    baseUrl: api.url,
    query: {},
    ip: '192.0.2.7',
    language: null,
    include: [],
    request: { requestId: null, span: null, trackingIds: [] },
  };
  expect((await revoke(caller, { key_id: other.id })).isError).toBeUndefined();
  expect((await api.call('GET', '/keys', { key })).body.data.count).toBe(2);
  expect(await api.db.auditEntry.findMany({ where: { accountId: id } })).toMatchObject([
    { actor: `key ${admin.id}`, action: 'DELETE /keys/:id', details: { id: other.id, ip: '192.0.2.7' } },
  ]);
});

test('hostile arguments get a bounded answer or a clean refusal', async () => {
  const { key } = await api.account({ plan: 'enterprise' });
  const calls = fc.oneof(
    ...TOOLS.map(({ name, inputSchema }) =>
      fc
        .oneof(fitting(inputSchema), nearlyFitting(inputSchema), hostileValue)
        .map((args) => ({ body: callOf(name, args), isTool: true })),
    ),
    hostileValue.map((value) => ({ body: message('tools/call', { params: value }), isTool: false })),
    hostileValue.map((value) => ({ body: value, isTool: false })),
  );
  await fc.assert(
    fc.asyncProperty(calls, async ({ body }) => {
      const { status, text } = await post(key, body ?? null);
      expect(status).toBeLessThan(500);
      expect(text.length).toBeLessThan(3 * MAX_ANSWER);
      if (status === 200) expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0' });
    }),
    { numRuns: 300 },
  );
  expect(log).toEqual([]);
});
