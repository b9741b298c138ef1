import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createLogger } from '@pts/runtime/logger';
import { eventually } from '@pts/testing/eventually';
import { type HttpServer, listen } from '@pts/testing/http-server';
import express from 'express';
import { compatV4 } from '../compat-v4.ts';
import { operations } from '../endpoints/index.ts';
import { sendRaw } from '../testing/raw-http.ts';
import { checkPrivate, startBareApi } from '../testing/test-api.ts';
import { checkAgainstDocument, checkFieldsNamed } from '../testing/test-contract.ts';
import { createJsonReader } from './body.ts';
import { respondError } from './errors.ts';
import type { Route, StreamOperation } from './operation.ts';
import { createApiServer } from './server.ts';

const CREATE = 'POST /api/v1/trackings/create';
const BATCH = 'POST /api/v1/trackings/batch';
const STREAM = 'POST /api/v1/track/batch-stream';
const HOOKS = 'POST /api/v1/webhooks';
const NUMBER = '"tracking_number":"PTS1DELIVERED"';
const JSON_TYPE = 'Content-Type: application/json';
const BODY = `{${NUMBER},"title":7}`;
const KEY = `tk_${'0'.repeat(48)}`;
const deep = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const fields = (count: number) => `{${Array.from({ length: count - 1 }, (_, i) => `"${i}":1`)}}`;

type Sent = { body?: string | Buffer; type?: string | null; headers?: string[]; host?: string | null };
type Row = [what: string, request: string, sent: Sent, code: number, reported?: string | RegExp];

// biome-ignore format: one request per line is readable as a table
const ROWS: Row[] = [
  // Invalid JSON
  ['JSON that ends too early', CREATE, { body: '{"tracking_number":' }, 400, /valid JSON at line 1, column 20: the body ends here; expected a value/],
  ['JSON with trailing text', CREATE, { body: `{${NUMBER}}\n x` }, 400, /valid JSON at line 2, column 2: expected the end of the body/],
  ['JSON with a comment', CREATE, { body: `{${NUMBER} /* */}` }, 400, /valid JSON/],
  ['single quotes', CREATE, { body: "{'tracking_number':'A'}" }, 400, /valid JSON at line 1, column 2: expected a name in double quotes/],
  ['NaN', CREATE, { body: '{"tracking_number":NaN}' }, 400, /valid JSON/],
  ['a bare NUL in JSON', CREATE, { body: '{"tracking_number":"A\u0000"}' }, 400, /valid JSON/],
  ['no body', CREATE, {}, 4111],
  ['an empty body that says it is JSON', CREATE, { body: '' }, 4111],
  ['white space alone', CREATE, { body: '   ' }, 400, /column 4: the body ends here/],
  ['null', CREATE, { body: 'null' }, 400, /must be a JSON object, not null/],
  ['a number', CREATE, { body: '7' }, 400, /must be a JSON object/],
  ['a text', CREATE, { body: '"PTS1DELIVERED"' }, 400, /must be a JSON object/],
  ['a list', CREATE, { body: '[]' }, 400, /JSON object, not a list/],
  ['null in place of a list', BATCH, { body: 'null' }, 4111, /send \{"tracking_numbers": \["\.\.\."\]\}/],
  ['33 lists within each other', CREATE, { body: deep(33) }, 400, /nested more than 32 levels/],
  ['8,000 unclosed lists', CREATE, { body: '['.repeat(8000) }, 400, /nested more than 32 levels/],
  ['100,000 lists within each other', BATCH, { body: deep(100_000) }, 400, /nested more than 32 levels/],
  ['100,000 lists side by side', BATCH, { body: `[${'[],'.repeat(80_000)}1]` }, 400, /more than 4,000 fields/],
  ['4,001 fields', BATCH, { body: fields(4001) }, 400, /more than 4,000 fields/],
  ['4,000 fields, none of which is known', BATCH, { body: fields(4000) }, 4111, 'tracking_numbers'],
  // Content types, encodings, sizes
  ['a form', CREATE, { body: 'a=b', type: 'application/x-www-form-urlencoded' }, 415],
  ['no content type', CREATE, { body: `{${NUMBER}}`, type: null }, 415],
  ['a malformed content type', CREATE, { body: `{${NUMBER}}`, type: ';;;' }, 415],
  ['a type that only looks like JSON', CREATE, { body: `{${NUMBER}}`, type: 'application/jsonp' }, 415],
  ['Latin-1', CREATE, { body: `{${NUMBER}}`, type: 'application/json; charset=iso-8859-1' }, 415, /UTF-8/],
  ['UTF-16', CREATE, { body: Buffer.from(`{${NUMBER}}`, 'utf16le'), type: 'application/json; charset=utf-16' }, 415, /UTF-8/],
  ['an unknown character set', CREATE, { body: `{${NUMBER}}`, type: 'application/json; charset="nonsense"' }, 415],
  ['an unknown encoding', CREATE, { body: `{${NUMBER}}`, headers: ['Content-Encoding: zstd'] }, 415],
  ['bytes that are not what their encoding says', CREATE, { body: `{${NUMBER}}`, headers: ['Content-Encoding: gzip'] }, 400],
  ['more than 16 KiB', CREATE, { body: `{"tracking_number":"${'A'.repeat(16_400)}"}` }, 413, /larger than 16 KiB/],
  ['more than 256 KiB', BATCH, { body: `["${'A'.repeat(262_200)}"]` }, 413, /larger than 256 KiB/],
  ['more than 640 KiB of JSON for a stream', STREAM, { body: `["${'A'.repeat(655_400)}"]` }, 413, /larger than 640 KiB.*ndjson/],
  ['a small body that decompresses to 50 MB', CREATE, { body: gzipSync(Buffer.alloc(50_000_000, 32)), headers: ['Content-Encoding: gzip'] }, 413],
  ['a small body that brotli decompresses to 50 MB', CREATE, { body: brotliCompressSync(Buffer.alloc(50_000_000, 32)), headers: ['Content-Encoding: br'] }, 413],
  ['a body that is compressed twice', CREATE, { body: gzipSync(gzipSync(`{${NUMBER}}`)), headers: ['Content-Encoding: gzip, gzip'] }, 415],
  ['compressed bytes that break off', CREATE, { body: gzipSync(`{${NUMBER}}`).subarray(0, -12), headers: ['Content-Encoding: gzip'] }, 400],
  ['invalid UTF-8', CREATE, { body: Buffer.from([...Buffer.from(`{${NUMBER},"title":"`), 0xff, 0xfe, ...Buffer.from('"}')]) }, 400, /UTF-8/],
  ['an overlong NUL', CREATE, { body: Buffer.from([...Buffer.from(`{${NUMBER},"title":"`), 0xc0, 0x80, ...Buffer.from('"}')]) }, 400, /UTF-8/],
  // Values
  ['a number instead of a text', CREATE, { body: '{"tracking_number":123456789012}' }, 4110, 'tracking_number'],
  ['a list instead of a text', CREATE, { body: '{"tracking_number":["PTS1DELIVERED"]}' }, 4110, 'tracking_number'],
  ['an object instead of a text', CREATE, { body: '{"tracking_number":{"$ne":null}}' }, 4110, 'tracking_number'],
  ['31 levels instead of a text', CREATE, { body: `{"tracking_number":${deep(31)}}` }, 4110, 'tracking_number'],
  ['32 levels instead of a text', CREATE, { body: `{"tracking_number":${deep(32)}}` }, 400, /32 levels/],
  ['an absurdly long number', CREATE, { body: `{"tracking_number":"${'A'.repeat(16_000)}"}` }, 4110, 'tracking_number'],
  ['SQL instead of a number', CREATE, { body: `{"tracking_number":"'; DROP TABLE trackings; --"}` }, 4110, 'tracking_number'],
  ['an escaped NUL in a number', CREATE, { body: '{"tracking_number":"PTS1DELIVERED\\u0000"}' }, 4110, 'tracking_number'],
  ['an escaped NUL in a text', CREATE, { body: `{${NUMBER},"title":"a\\u0000b"}` }, 4130, 'title'],
  ['an escaped NUL in metadata', CREATE, { body: `{${NUMBER},"metadata":{"a":"\\u0000"}}` }, 4130, 'metadata.a'],
  ['an escaped NUL in a name of metadata', CREATE, { body: `{${NUMBER},"metadata":{"\\u0000":"a"}}` }, 4130, 'metadata'],
  ['half a character', CREATE, { body: `{${NUMBER},"title":"\\ud83d"}` }, 4130, 'title'],
  ['half a character in metadata', CREATE, { body: `{${NUMBER},"metadata":{"a":"\\udc00"}}` }, 4130, 'metadata'],
  ['the other half in a name of metadata', CREATE, { body: `{${NUMBER},"metadata":{"\\udc00":"a"}}` }, 4130, 'metadata'],
  ['a line break in a text', CREATE, { body: `{${NUMBER},"order_id":"a\\r\\nSet-Cookie: b"}` }, 4130, 'order_id'],
  ['31 levels of metadata', CREATE, { body: `{${NUMBER},"metadata":${deepObject(31)}}` }, 4130, 'metadata.a'],
  ['2,000 levels of metadata', CREATE, { body: `{${NUMBER},"metadata":${deepObject(2000)}}` }, 400, /32 levels/],
  ['1,500 entries of metadata', CREATE, { body: `{${NUMBER},"metadata":{${Array.from({ length: 1500 }, (_, i) => `"k${i}":""`)}}}` }, 4130, 'metadata'],
  ['a list as metadata', CREATE, { body: `{${NUMBER},"metadata":["a"]}` }, 4130, 'metadata'],
  ['too large a number in metadata', CREATE, { body: `{${NUMBER},"metadata":{"a":1e999}}` }, 4130, 'metadata.a'],
  ['a prototype instead of fields', CREATE, { body: `{"__proto__":{${NUMBER}}}` }, 4111],
  ['a constructor instead of fields', CREATE, { body: `{"constructor":{"prototype":{${NUMBER}}}}` }, 4111],
  ['a prototype as metadata, not a text', CREATE, { body: `{${NUMBER},"metadata":{"__proto__":{"a":"b"}}}` }, 4130],
  ['a courier_code that every object has', CREATE, { body: `{${NUMBER},"courier_code":"constructor"}` }, 4120, 'courier_code'],
  ['a courier_code of its prototype', CREATE, { body: `{${NUMBER},"courier_code":"__proto__"}` }, 4120, 'courier_code'],
  // Lists
  ['12,000 numbers', BATCH, { body: `[${'1,'.repeat(11_999)}1]` }, 4103],
  ['100,000 numbers', BATCH, { body: `[${'1,'.repeat(100_000)}1]` }, 400, /more than 12,000 values\. Split it/],
  ['no numbers', BATCH, { body: '[]' }, 4111],
  ['an object in place of a list', BATCH, { body: '{"trackings":{"length":1}}' }, 4130],
  ['a dry run that is neither true nor false', `${BATCH}?dry_run=maybe`, { body: `[{${NUMBER}}]` }, 4130, 'dry_run'],
  ['a dry run twice', `${BATCH}?dry_run=true&dry_run=false`, { body: `[{${NUMBER}}]` }, 4130, 'dry_run'],
  ['4,000 kinds of event', HOOKS, { body: `{"url":"https://example.com/","events":[${'"x",'.repeat(4000)}"x"]}` }, 4130],
  ['a NUL in an address', HOOKS, { body: '{"url":"https://example.com/\\u0000","events":["tracking_update"]}' }, 4130, 'url'],
  ['a stream of JSON that ends too early', STREAM, { body: '{"tracking_numbers":["PTS1"' }, 400, /line 1, column 28: the body ends here; expected a comma or ]/],
  ['a stream that is not UTF-8', STREAM, { body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]) }, 400, /UTF-8/],
  ['a stream that is not a list', STREAM, { body: '{"tracking_numbers":{"0":"PTS1DELIVERED"}}' }, 4130, 'tracking_numbers'],
  ['a stream of 2,000 objects in one JSON body', STREAM, { body: `[${Array(2000).fill(`{${NUMBER}}`)}]` }, 400, /more than 4,000 fields, objects and lists\. Use application\/x-ndjson/],
  ['a stream of too many numbers', STREAM, { body: `[${'1,'.repeat(10_000)}1]` }, 4103],
  ['a compressed stream', STREAM, { body: gzipSync('["PTS1DELIVERED"]'), headers: ['Content-Encoding: gzip'] }, 415],
  ['a stream of another type', STREAM, { body: 'PTS1DELIVERED', type: 'text/plain' }, 415],
  ['an absurdly long address', HOOKS, { body: `{"url":"https://example.com/${'a'.repeat(16_000)}","events":["tracking_update"]}` }, 4130, 'url'],
  // Addresses
  ['bytes in the path that are not UTF-8', 'GET /api/v1/trackings/%FF', {}, 400, /write %25/],
  ['percent signs in the path that encode nothing', 'GET /api/v1/trackings/%ZZ', {}, 400, /write %25/],
  ['a NUL in the path', 'GET /api/v1/trackings/%00', {}, 4112, 'id'],
  ['a NUL in the path of a webhook', 'DELETE /api/v1/webhooks/%00', {}, 4112, 'id'],
  ['a NUL in the path of a retrack', 'POST /api/v1/trackings/retrack/%00', {}, 4112],
  ['encoded slashes', 'GET /api/v1/trackings%2Fget', {}, 404],
  ['encoded slashes in an id', 'GET /api/v1/trackings/..%2F..%2Faccount', {}, 4112],
  ['a path that climbs', 'GET /api/v1/../../etc/passwd', {}, 404],
  ['two slashes', 'GET //api/v1/account', {}, 404],
  ['an unknown path', 'GET /api/v1/nothing', {}, 404],
  ['a path in upper case', 'GET /api/v1/ACCOUNT', {}, 404],
  ['a whole address instead of a path', 'GET http://example.com/api/v1/nothing', {}, 404],
  ['a path of 12 KiB', `GET /api/v1/${'a'.repeat(12_000)}`, {}, 404],
  ['a NUL in the query', 'GET /api/v1/trackings/get?tracking_numbers=%00', {}, 4110, 'tracking_numbers'],
  ['a NUL in a filter', 'GET /api/v1/webhooks/deliveries?webhook_id=%00', {}, 4130, 'webhook_id'],
  ['a NUL in a message id', 'GET /api/v1/webhooks/deliveries?message_id=%00', {}, 4130, 'message_id'],
  ['a NUL in a cursor', 'GET /api/v1/shipments?cursor=%00', {}, 4130, 'cursor'],
  ['a meaningless cursor', 'GET /api/v1/shipments?cursor=OTk5OTk5OTk5OTk5OTk5LjY5MWYwYTNjNWQyYjRlNmY4YTljMGQxZQ', {}, 4130, 'cursor'],
  ['a page before all numbers', 'GET /api/v1/webhooks/deliveries?before=99999999999999999999', {}, 4130, 'before'],
  ['a parameter twice', 'GET /api/v1/trackings/get?tracking_numbers=A&tracking_numbers=B', {}, 4110, 'tracking_numbers'],
  ['a limit twice', 'GET /api/v1/shipments?limit=1&limit=2', {}, 4130, 'limit'],
  ['a parameter with brackets', 'GET /api/v1/trackings/get?tracking_numbers[$ne]=A', {}, 4111],
  ['a parameter that every object has', 'GET /api/v1/trackings/get?__proto__[tracking_numbers]=A&constructor=B', {}, 4111],
  ['a limit of nothing', 'GET /api/v1/shipments?limit=0', {}, 4130, 'limit'],
  ['a limit beyond all numbers', `GET /api/v1/shipments?limit=${'9'.repeat(400)}`, {}, 4130, 'limit'],
  ['a query of 12 KiB', `GET /api/v1/trackings/get?tracking_numbers=${'A'.repeat(12_000)}`, {}, 4110, 'tracking_numbers'],
  ['an address in UTF-8 that is not percent-encoded', 'GET /api/v1/shipments?status=派送中', {}, 400, /not percent-encoded.*: \/api\/v1\/shipments\?status=%E6%B4%BE%E9%80%81%E4%B8%AD \(/],
  ['an unknown sub-status', 'GET /api/v1/shipments?status=lost&cursor=x', {}, 4130, /status must be one of 查询中, .*, returned, expired.*; cursor/],
  ['a status in another encoding', 'GET /api/v1/shipments?status=%C5%C9%CB%CD%D6%D0', {}, 4130, 'status'],
  ['a query of 60 KiB', `GET /api/v1/trackings/get?tracking_numbers=${'A'.repeat(60_000)}`, {}, 400, /16 KiB/],
  ['a header of 60 KiB', 'GET /api/v1/account', { headers: [`X-Long: ${'a'.repeat(60_000)}`] }, 400, /16 KiB/],
  // Methods
  ['a method that the path does not support', 'DELETE /api/v1/account', {}, 405],
  ['OPTIONS', 'OPTIONS /api/v1/trackings/create', {}, 405],
  ['TRACE', 'TRACE /api/v1/account', {}, 405],
  ['GET where only POST is', 'GET /api/v1/trackings/create', { body: `{${NUMBER}}` }, 405],
  ['an unknown method', 'BREW /api/v1/account', {}, 400, /HTTP/],
  ['CONNECT', 'CONNECT example.com:443', {}, 405],
  // Hosts and framing
  ['no Host', 'POST /api/v1/track/async', { body: `[{${NUMBER}}]`, host: null }, 400, /Host/],
  ['a malformed Host', 'POST /api/v1/track/async', { body: `[{${NUMBER}}]`, host: 'a b<script>' }, 400, /Host/],
  ['a Host with a path', 'POST /api/v1/track/async', { body: `[{${NUMBER}}]`, host: 'example.com/evil?' }, 400, /Host/],
  ['a Host with a port beyond all ports', 'POST /api/v1/track/async', { body: `[{${NUMBER}}]`, host: 'example.com:99999' }, 400, /Host/],
  ['a length and chunks', CREATE, { body: '0\r\n\r\n', headers: ['Transfer-Encoding: chunked'] }, 400, /HTTP/],
  ['two lengths', CREATE, { body: '{}', headers: ['Content-Length: 5'] }, 400, /HTTP/],
  ['a negative length', CREATE, { headers: ['Content-Length: -1', JSON_TYPE] }, 400, /HTTP/],
  ['an old version of HTTP', 'GET /api/v1/nothing', { headers: ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'] }, 404],
  ['a header with a NUL', 'GET /api/v1/account', { headers: ['X-Bad: a\u0000b'] }, 400, /HTTP/],
  ['a header without a name', 'GET /api/v1/account', { headers: [': a'] }, 400, /HTTP/],
];

let api: Awaited<ReturnType<typeof startBareApi>>;
const lines: string[] = [];
beforeAll(async () => {
  api = await startBareApi((line) => lines.push(line));
}, 60_000);
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => api.close());

function toBytes(request: string, { body, type, headers = [], host }: Sent): Buffer {
  const head = [
    `${request} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host ?? 'api.example.com'}`]),
    `X-API-Key: ${KEY}`,
    'Connection: close',
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...(body === undefined || type === null ? [] : [`Content-Type: ${type ?? 'application/json'}`]),
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body ?? '')]);
}

/** What is touched answers with an internal error, which is logged as one. */
const expectNoFault = () =>
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')).toEqual([]);

// A row that is shorter than its function would get jest's `done` in the missing place.
const rows = ROWS.map(
  ([what, request, sent, code, reported]): Required<Row> => [what, request, sent, code, reported ?? /./],
);

test.each(rows)('%s is a clean refusal', async (_what, request, sent, code, reported) => {
  const answer = await sendRaw(api.url, toBytes(request, sent));
  expect([answer.status, answer.text]).toEqual([code > 599 ? 400 : code, expect.stringMatching(/^\{.*\}$/s)]);
  const body = JSON.parse(answer.text);
  expect(body).toEqual({ code, meta: code, message: expect.any(String), data: expect.any(Object) });
  expect(body.data.docs_url).toMatch(new RegExp(`/docs/errors/${code}$`));
  expect(answer.headers.get('link')).toBe(`<${body.data.docs_url}>; rel="help"`);
  checkFieldsNamed(body);
  // The reference of the operation also lists what the HTTP parser refuses before there is a request.
  const [method = '', target = ''] = request.split(' ');
  const answered = { status: answer.status, headers: new Headers([...answer.headers]), body };
  if (URL.canParse(target, api.url)) checkAgainstDocument(method, new URL(target, api.url), answered);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  if (reported instanceof RegExp) expect(body.message).toMatch(reported);
  else expect((body.data.errors as { field: string }[]).map(({ field }) => field)).toContain(reported);
  expectNoFault();
});

// biome-ignore format: one request per line is readable as a table
const V4_ROWS: [what: string, request: string, sent: Sent, code: number][] = [
  ['malformed JSON', 'POST /v4/trackings/create', { body: '{' }, 400],
  ['a list', 'POST /v4/trackings/create', { body: '[]' }, 400],
  ['a prototype instead of fields', 'POST /v4/trackings/create', { body: `{"__proto__":{${NUMBER}}}` }, 4111],
  ['a NUL in a title', 'POST /v4/trackings/create', { body: `{${NUMBER},"title":"\\u0000"}` }, 4130],
  ['half a character in a field that is kept along', 'POST /v4/trackings/create', { body: `{${NUMBER},"customer_name":"\\ud83d"}` }, 4130],
  ['another charset', 'POST /v4/trackings/create', { body: `{${NUMBER}}`, type: 'application/json; charset=gbk' }, 415],
  ['41 numbers', 'POST /v4/trackings/batch', { body: `[${'1,'.repeat(40)}1]` }, 4103],
  ['a NUL in an id', 'DELETE /v4/trackings/delete/%00', {}, 4112],
  ['a NUL in the id of a change', 'PUT /v4/trackings/update/%00', { body: '{"title":"a"}' }, 4112],
  ['bytes in the path that are not UTF-8', 'POST /v4/trackings/retrack/%FF', {}, 400],
  ['a NUL in the query', 'GET /v4/trackings/get?courier_code=%00', {}, 4130],
  ['an unknown path', 'GET /v4/nothing', {}, 404],
];

test.each(V4_ROWS)('version 4 of the family: %s is a clean refusal', async (_what, request, sent, code) => {
  const answer = await sendRaw(api.url, toBytes(request, sent));
  checkFieldsNamed(JSON.parse(answer.text));
  const { meta, data } = JSON.parse(answer.text);
  expect([answer.status, meta]).toEqual([code > 599 ? 400 : code, { code, message: expect.any(String) }]);
  expect(data).toBeInstanceOf(Object);
  expect(answer.headers.get('link')).toMatch(new RegExp(`^<.*/docs/errors/${code}>; rel="help"$`));
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expectNoFault();
});

test.each([
  ['a body compressed with gzip', { body: gzipSync(BODY), headers: ['Content-Encoding: gzip'] }],
  ['a body compressed with brotli', { body: brotliCompressSync(BODY), headers: ['Content-Encoding: br'] }],
  ['a body with a byte order mark', { body: `\ufeff${BODY}` }],
  ['the character set that JSON has anyway', { body: BODY, type: 'application/json; charset="UTF-8"' }],
  ['of a field that comes twice the last', { body: `{"title":"a",${BODY.slice(1)}` }],
])('%s is read: only another field is refused', async (_what, sent) => {
  const answer = await sendRaw(api.url, toBytes(CREATE, sent));
  expect(JSON.parse(answer.text)).toMatchObject({ code: 4130, data: { errors: [{ field: 'title' }] } });
});

test('endless chunks are refused once they exceed the endpoint’s limit', async () => {
  const head = toBytes(CREATE, { headers: [JSON_TYPE, 'Transfer-Encoding: chunked'] });
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  const answer = await sendRaw(api.url, [head, ...Array.from({ length: 20 }, () => chunk), '0\r\n\r\n']);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([413, 413]);
  expectNoFault();
});

test('invalid chunks are a clean refusal', async () => {
  const head = toBytes(CREATE, { headers: [JSON_TYPE, 'Transfer-Encoding: chunked'] });
  const answer = await sendRaw(api.url, [head, 'ZZ\r\n{}\r\n']);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 400]);
  expectNoFault();
});

test.each([
  ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
  ['only a word and line breaks', 'hello\r\n\r\n'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
])('%s instead of HTTP/1.1 is a clean refusal', async (_what, bytes) => {
  const answer = await sendRaw(api.url, bytes);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 400]);
});

test('a body that breaks off stores nothing and is not an internal error', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const head = toBytes(CREATE, { headers: [JSON_TYPE, 'Content-Length: 100'] });
  socket.write(Buffer.concat([head, Buffer.from(`{${NUMBER}`)]), () => socket.destroy());
  await eventually(() => expect(lines.length).toBeGreaterThan(0));
  expectNoFault();
});

describe('slow clients', () => {
  const logger = createLogger({ app: 'api', level: 'silent', format: 'json' });
  const app = express();
  const readJson = createJsonReader({ timeoutMs: 100 });
  app.post('/', async (request, response) => {
    await readJson(request, response, { maxBytes: 100, accountId: 'a' });
    response.json({});
  });
  app.use(respondError({ logger }));
  const servers: HttpServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  async function serve(headersMs: number, stalledMs = 60_000): Promise<string> {
    const times = { headersMs, requestMs: 60_000, checkEveryMs: 20, stalledMs };
    const server = await listen(createApiServer(app, logger, times));
    servers.push(server);
    return server.url;
  }

  test('headers that do not end are refused', async () => {
    const answer = await sendRaw(await serve(100), 'POST / HTTP/1.1\r\nHost: a\r\n');
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([400, expect.stringMatching(/in time/)]);
  });

  test('a body that does not end is refused, and its connection closed', async () => {
    const slow = `POST / HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}\r\nContent-Length: 9\r\n\r\n{`;
    const answer = await sendRaw(await serve(60_000), slow);
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([400, expect.stringMatching(/0.1 seconds/)]);
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('a response that is not read does not hold its connection', async () => {
    const { hostname, port } = new URL(await serve(60_000, 100));
    const large = Buffer.alloc(64 * 1024 * 1024);
    const closed = new Promise<void>((resolve) => {
      app.get('/large', (_request, response) => void response.on('close', resolve).end(large));
    });
    const client = connect(Number(port), hostname).pause();
    client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed;
    client.destroy();
    expect(client.bytesRead).toBeLessThan(large.length);
  });
});

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path'>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ID = '691f0a3c5d2b4e6f8a9c0d1e';
/** Ids of a wrong form: too short, too long, upper case, of another alphabet, pasted with their braces. */
const WRONG_IDS = ['691f0a3c', `${ID}0`, ID.toUpperCase(), 'g'.repeat(24), '%7Bid%7D', 'order-1001', '-1'];

const TABLES: readonly { prefix: string; routes: readonly AnyRoute[] }[] = [
  { prefix: '/api/v1', routes: operations },
  { prefix: '/v4', routes: compatV4 },
];

/** Each answer is private, and nothing that a browser would run or frame. */
async function ask(method: string, path: string, key: string | null = KEY) {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
  const headers = { ...(key === null ? {} : { 'X-API-Key': key }), 'Content-Type': 'application/json' };
  const response = await fetch(api.url + path, { method, headers, ...body });
  checkPrivate(response.headers);
  expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  const answer = (await response.json()) as { code?: number; meta: number | { code: number } };
  const number = typeof answer.meta === 'number' ? answer.meta : answer.meta.code;
  return { number, allow: response.headers.get('Allow'), answer };
}

const filled = (path: string) => path.replaceAll(/:\w+/g, ID);
const cases = TABLES.flatMap(({ prefix, routes }) => {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return paths.map((path) => ({
    name: prefix + path,
    prefix,
    path,
    paths,
    methods: routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase()),
  }));
});

/** Whether a changed path belongs to another route. */
function isThere(path: string, paths: readonly string[]): boolean {
  return paths.some((known) => {
    const pattern = known.replaceAll(/:\w+/g, '[0-9a-f]{24}');
    const isParentOfIds =
      filled(known.replace(/\/:\w+$/, '/')) === path.replace(/[^/]+$/, '') && !hasWords(known, paths);
    return new RegExp(`^${pattern}$`).test(path) || isParentOfIds;
  });
}

/** Whether words may replace the id at the end of a path. */
function hasWords(path: string, paths: readonly string[]): boolean {
  const parent = path.replace(/:\w+$/, '');
  return paths.some((other) => other.startsWith(parent) && !other.startsWith(path));
}

describe.each(cases)('$name', ({ prefix, path, paths, methods }) => {
  test('refuses other methods with 405 and Allow', async () => {
    const allow = methods.join(', ').replace('GET', 'GET, HEAD');
    for (const method of METHODS.filter((other) => !methods.includes(other)))
      expect(await ask(method, prefix + filled(path))).toMatchObject({ number: 405, allow });
  });

  const wrong = [
    `${path}/unknown`,
    `${path}/${ID}/unknown`,
    path.replace(/([a-z]+)(\/:\w+)?$/, '$1x$2'),
    path.replace(/([a-z]+)$/, (word) => word.toUpperCase()),
  ].filter((changed) => changed !== path && !isThere(filled(changed), paths));
  test('refuses paths like it with 404, whatever the method', async () => {
    for (const changed of wrong.map(filled))
      for (const method of METHODS)
        expect({ changed, method, ...(await ask(method, prefix + changed)) }).toMatchObject({ number: 404 });
  });

  test('needs a key, refuses ids of a wrong form with 4112, and ignores no parameter', async () => {
    for (const method of methods) {
      expect((await ask(method, prefix + filled(path), null)).number).toBe(401);
      for (const id of path.includes(':') ? WRONG_IDS : [])
        expect([method, id, (await ask(method, prefix + path.replaceAll(/:\w+/g, id))).number]).toEqual([
          method,
          id,
          4112,
        ]);
      if (prefix === '/v4') continue;
      const { answer } = await ask(method, `${prefix}${filled(path)}?colour=red&_=1763688852`);
      const error = { field: 'colour', message: expect.stringMatching(/^is unknown/) };
      expect(answer).toMatchObject({ data: { errors: expect.arrayContaining([error]) } });
    }
  });
});

test('a 404 next to ids lists the valid paths', async () => {
  const { answer } = await ask('GET', '/api/v1/trackings/batchx');
  const valid = /GET .*batchx\. After \/api\/v1\/trackings\/, use one of batch, create/;
  expect(answer).toMatchObject({ message: expect.stringMatching(valid) });
});
