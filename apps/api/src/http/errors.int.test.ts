import { randomBytes } from 'node:crypto';
import type { Scope } from '@pts/core/account';
import { ERRORS, type ErrorName } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { ownTimeOf } from '@pts/testing/clock';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { cursorAhead } from '../testing/cursor-ahead.ts';
import { type ApiAnswer, startTestApi, type TestApi } from '../testing/test-api.ts';

const SANDBOX_NUMBER = 'PTS1DELIVERED';
const create = (body: unknown): Call => ['POST', '/trackings/create', { body }];
const items = (count: number) => Array.from({ length: count }, (_, i) => ({ tracking_number: `PTS${i}DELIVERED` }));

type Call = [method: string, path: string, more?: { body?: unknown; raw?: string; headers?: Record<string, string> }];
type Row = {
  /** If an API other than the usual one refuses it. */
  on?: 'limited' | 'without sandbox';
  quota?: number;
  /** Of the key, if not all. */
  scopes?: Scope[];
  /** The call to make first, which is not a side effect of the refusal. */
  before?: Call[];
  call: Call | ((api: TestApi, accountId: string) => Promise<Call>);
  number: number;
  http: number;
  message: RegExp;
  fields?: string[];
  headers?: Record<string, string | RegExp | null>;
  /** What `data` contains besides the fields. */
  data?: object;
};

// biome-ignore format: one error per line is readable as a table
const ROWS: Partial<Record<ErrorName, Row>> = {
  bad_request: { call: ['POST', '/trackings/create', { raw: '{"tracking_number":' }], number: 400, http: 400, message: /not valid JSON/ },
  unauthorized: { call: ['GET', '/account', { headers: { 'X-API-Key': `tk_${'0'.repeat(48)}` } }], number: 401, http: 401, message: /does not exist or was reset/ },
  forbidden: { scopes: ['read', 'webhooks'], call: create({ tracking_number: SANDBOX_NUMBER }), number: 403, http: 403, message: /needs the scope write/ },
  not_found: { call: ['GET', '/trackings/nothing/here'], number: 404, http: 404, message: /No such route: GET \/api\/v1\/trackings\/nothing\/here/ },
  method_not_allowed: { call: ['PUT', '/webhooks'], number: 405, http: 405, message: /supports only .*(GET|POST)/, headers: { Allow: /POST/ } },
  conflict: { call: async (api, id) => ['GET', `/events?after=${await cursorAhead(api, id)}`], number: 409, http: 409, message: /without a gap.*Continue after data\.next_cursor/, data: { next_cursor: expect.any(String) } },
  payload_too_large: { call: create({ tracking_number: SANDBOX_NUMBER, title: 'a'.repeat(1_100_000) }), number: 413, http: 413, message: /larger than 16 KiB, the limit of this endpoint/, headers: { Connection: 'close' } },
  unsupported_media_type: { call: ['POST', '/trackings/create', { raw: 'a=b', headers: { 'Content-Type': 'text/plain' } }], number: 415, http: 415, message: /Content-Type: application\/json/ },
  too_many_requests: { on: 'limited', before: [['GET', '/account']], call: ['GET', '/account'], number: 429, http: 429, message: /allows 1 request per second.* 120 seconds \(Retry-After\).* resets in 1 second \(RateLimit-Reset\)/, headers: { 'Retry-After': '120', 'RateLimit-Limit': '1', 'RateLimit-Remaining': '0' } },
  not_registered: { call: ['GET', '/trackings/get?tracking_numbers=NEVERSEEN1'], number: 4102, http: 400, message: /not registered under your account.*trackings\/create/ },
  batch_too_large: { call: ['POST', '/trackings/batch', { body: items(41) }], number: 4103, http: 400, message: /at most 40.*no quota was used/ },
  invalid_number: { call: create({ tracking_number: 'no', courier_code: 'nobody', title: 7 }), number: 4110, http: 400, message: /^Invalid: tracking_number must have 5 to 50 letters and digits.*; courier_code/, fields: ['tracking_number', 'courier_code', 'title'] },
  number_missing: { call: create({ courier_code: 'nobody' }), number: 4111, http: 400, message: /is missing/, fields: ['tracking_number', 'courier_code'] },
  invalid_id: { call: ['GET', '/trackings/XYZ'], number: 4112, http: 400, message: /24 lowercase hexadecimal/, fields: ['id'] },
  retrack_too_soon: { before: [create({ tracking_number: SANDBOX_NUMBER }), ['POST', '/trackings/retrack', { body: { tracking_number: SANDBOX_NUMBER } }]], call: ['POST', '/trackings/retrack', { body: { tracking_number: SANDBOX_NUMBER } }], number: 4113, http: 400, message: /Try again in \d+ seconds/, headers: { 'Retry-After': /^(3[56]\d\d)$/ } },
  unknown_courier: { call: create({ tracking_number: SANDBOX_NUMBER, courier_code: 'nobody', phone: 1 }), number: 4120, http: 400, message: /couriers\/all/, fields: ['courier_code', 'phone'] },
  carrier_undetected: { on: 'without sandbox', call: create({ tracking_number: 'QQQQ1' }), number: 4121, http: 400, message: /send the carrier in courier_code/, fields: ['courier_code'] },
  field_needed: { before: [create({ tracking_number: 'YT8962646785999', courier_code: 'yto' }), create({ tracking_number: 'YT8962646785999', courier_code: 'zto' })], call: ['POST', '/trackings/retrack', { body: { tracking_number: 'YT8962646785999' } }], number: 4122, http: 400, message: /^Missing: courier_code is required/, fields: ['courier_code'] },
  invalid_field: { call: ['POST', '/webhooks', { body: { url: 'https://localhost/hook', events: ['all'], supersede: 'no' } }], number: 4130, http: 400, message: /Invalid: events\.0 must be one of tracking_update/, fields: ['events.0', 'supersede', 'url'] },
  quota_exhausted: { quota: 1, before: [create({ tracking_number: SANDBOX_NUMBER })], call: create({ tracking_number: 'PTS2DELIVERED' }), number: 4190, http: 400, message: /1st of next month.*larger plan/ },
};
const rows = Object.entries(ROWS) as [ErrorName, Row][];

let database: TestDatabase;
let apis: Record<'usual' | NonNullable<Row['on']>, TestApi>;
beforeAll(async () => {
  database = await testDatabase();
  const shared = { databaseUrl: database.url };
  apis = {
    usual: await startTestApi(shared),
    limited: await startTestApi({ ...shared, limits: ['account=1'] }),
    'without sandbox': await startTestApi({ ...shared, sandbox: false }),
  };
}, 60_000);
afterAll(async () => {
  await Promise.all(Object.values(apis).map((api) => api.close()));
  await database.close();
});

test('every error of the table is provoked here', () => {
  expect([...rows.map(([name]) => name), 'internal', 'unavailable'].sort()).toEqual(Object.keys(ERRORS).sort());
});

test.each(rows)('%s', async (name, { on = 'usual' as const, quota, scopes, before = [], call, ...expected }) => {
  const api = apis[on];
  const { id, key: first } = await api.account(quota === undefined ? {} : { quota });
  const key = scopes ? (await api.key(id, { scopes })).apiKey : first;
  for (const [method, path, more] of before) expect((await api.call(method, path, { key, ...more })).status).toBe(200);
  const counted = await countAll(api);
  const answer = await refusedBy(api, key, typeof call === 'function' ? await call(api, id) : call);
  expect(await countAll(api)).toEqual(counted);
  expect([ERRORS[name].number, answer.status]).toEqual([expected.number, expected.http]);
  expectEnvelope(answer, expected.number);
  expect(answer.body.message).toMatch(expected.message);
  const fields = (answer.body.data.errors ?? []) as { field: string; message: string }[];
  expect(fields.map(({ field }) => field)).toEqual(expected.fields ?? []);
  const errors = fields.length === 0 ? {} : { errors: fields };
  expect(answer.body.data).toEqual({ ...errors, ...expected.data, ...helpOf(expected.number) });
  expect(answer.headers.get('Link')).toBe(`<${answer.body.data.docs_url}>; rel="help"`);
  for (const { message } of fields) expect(message).toMatch(/^(must|is|has|contains|belongs|exceeds) /);
  const headers: Row['headers'] = { 'Retry-After': null, ...expected.headers };
  for (const [header, value] of Object.entries(headers)) {
    if (value instanceof RegExp) expect(answer.headers.get(header)).toMatch(value);
    else expect(answer.headers.get(header)).toBe(value);
  }
});

/** Where to read about an error. */
function helpOf(number: number) {
  return { docs_url: expect.stringContaining(`/docs/errors/${number}`) };
}

test('internal: an internal error is an opaque 500 whose cause is in the log, under the id that the client got', async () => {
  const lines: string[] = [];
  const secret = 'SELECT secret FROM drawer';
  const now = () => {
    throw new Error(secret);
  };
  const faulty = await startTestApi({ databaseUrl: database.url, now, log: (line) => lines.push(line) });
  const { key } = await faulty.account();
  const counted = await countAll(faulty);
  const answer = await faulty.call('POST', '/trackings/create', { key, body: { tracking_number: SANDBOX_NUMBER } });
  expect(answer.status).toBe(500);
  expectEnvelope(answer, 500);
  expect(answer.body).toEqual({ code: 500, meta: 500, message: `${message('error.internal')}`, data: helpOf(500) });
  expect(await countAll(faulty)).toEqual(counted);
  const logged = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'error');
  expect(logged.err.message).toBe(secret);
  expect(logged.requestId).toBe(answer.headers.get('X-Request-Id'));
  expect(lines.join('')).not.toContain(key);
  await faulty.close();
});

test('unavailable: without its database the API answers within six seconds, with the time to retry', async () => {
  const alone = await startTestApi({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
  const key = `tk_${randomBytes(24).toString('hex')}`;
  const asking = alone.call('POST', '/trackings/create', { key, body: { tracking_number: SANDBOX_NUMBER } });
  expect(await ownTimeOf(() => asking)).toBeLessThan(6000);
  const answer = await asking;
  expect(answer.status).toBe(503);
  expectEnvelope(answer, 503);
  expect(answer.body).toEqual({ code: 503, meta: 503, message: `${message('error.unavailable')}`, data: helpOf(503) });
  expect(answer.headers.get('Retry-After')).toBe('5');
  await alone.close();
});

function expectEnvelope({ headers, body }: ApiAnswer, number: number): void {
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(body).toEqual({ code: number, meta: number, message: expect.any(String), data: expect.any(Object) });
}

/** A limit's window may end between two requests; then the request is repeated. */
async function refusedBy(api: TestApi, key: string, [method, path, more]: Call): Promise<ApiAnswer> {
  for (let tries = 0; ; tries++) {
    const answer = await api.call(method, path, { key, ...more });
    if (answer.status !== 200 || tries > 20) return answer;
  }
}

async function countAll({ db }: TestApi): Promise<number[]> {
  const used = await db.quotaUsage.aggregate({ _sum: { used: true } });
  const counts = [
    db.tracking.count(),
    db.check.count(),
    db.quotaUsage.count(),
    db.webhook.count(),
    db.delivery.count(),
  ];
  return [...(await Promise.all(counts)), used._sum.used ?? 0];
}
