import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { recordingServer, startServer, stopServers } from '../testing/local-server.ts';
import { httpClient } from './http.ts';

afterEach(stopServers);

const post = httpClient({ timeoutMs: 30_000 });

test('a response is returned with status, headers and text, whatever the status', async () => {
  const url = await startServer((_, res) => res.writeHead(503, { 'x-reason': 'tired' }).end('稍后再试'));
  expect(await post(url, { json: {} })).toMatchObject({
    kind: 'response',
    status: 503,
    headers: { 'x-reason': 'tired' },
    text: '稍后再试',
  });
});

test('a byte order mark is not part of the text', async () => {
  const url = await startServer((_, res) => res.end('\ufeff{"a":1}'));
  expect(await post(url, { json: {} })).toMatchObject({ kind: 'response', text: '{"a":1}' });
});

test.each([
  ['text/html; charset=GBK', Buffer.from('d2d1c7a9cad5', 'hex'), '已签收'],
  ['application/xml;charset="iso-8859-1"', Buffer.from('Zürich', 'latin1'), 'Zürich'],
  ['text/xml', Buffer.from("<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>Zürich</a>", 'latin1'), '<a>Zürich</a>'],
  ['application/json; charset=ISO-8859-1', Buffer.from('Zürich'), 'Zürich'],
  ['application/xml', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>Zürich</a>'), '<a>Zürich</a>'],
  ['application/json; charset=utf8mb4', Buffer.from('{"a":"Z\xfcrich"}', 'latin1'), '{"a":"Z\ufffdrich"}'],
])('a body of type %s is read in the charset that is stated, or in UTF-8 if it is that', async (type, body, text) => {
  const url = await startServer((_, res) => res.writeHead(200, { 'content-type': type }).end(body));
  expect(await post(url, { json: {} })).toMatchObject({ kind: 'response', text: expect.stringContaining(text) });
});

test('a body is sent as a form or as JSON', async () => {
  const { baseUrl, requested } = await recordingServer({ body: '' });
  await post(baseUrl, { form: { a: '1 &2' } });
  await post(baseUrl, { json: { a: 1 } });
  expect(requested).toMatchObject([
    { path: 'POST /', type: 'application/x-www-form-urlencoded', body: 'a=1+%262' },
    { path: 'POST /', type: 'application/json', body: '{"a":1}' },
  ]);
});

test('a request without a body is a GET, with its query encoded', async () => {
  const { baseUrl, requested } = await recordingServer({ body: '' });
  await post(`${baseUrl}/track`, { query: { n: 'A 1&b=2', locale: 'en_US' } });
  expect(requested).toMatchObject([{ path: 'GET /track?n=A+1%26b%3D2&locale=en_US', type: '', body: '' }]);
});

test('a DELETE without a body is sent at once', async () => {
  const { baseUrl, requested } = await recordingServer({ body: 'gone' });
  expect(await post(`${baseUrl}/a`, { method: 'DELETE' })).toMatchObject({ kind: 'response', text: 'gone' });
  expect(requested).toMatchObject([{ path: 'DELETE /a', body: '' }]);
});

test('XML is sent as text, with the content type that the API requires', async () => {
  const { baseUrl, requested } = await recordingServer({ body: '' });
  await post(baseUrl, { xml: '<a>包</a>' });
  await post(baseUrl, { xml: '<a/>', headers: { 'content-type': 'application/soap+xml' } });
  expect(requested).toMatchObject([
    { path: 'POST /', type: 'text/xml; charset=utf-8', body: '<a>包</a>' },
    { path: 'POST /', type: 'application/soap+xml', body: '<a/>' },
  ]);
});

test('keys are sent as Basic or Bearer authentication, or in a separate header', async () => {
  const seen: unknown[] = [];
  const url = await startServer((req, res) => {
    seen.push([req.headers.authorization, req.headers['dhl-api-key']]);
    res.end();
  });
  await post(url, { basic: { user: 'klient', password: 'pä:ss' } });
  await post(url, { bearer: 'token-1', form: { a: '1' } });
  await post(url, { headers: { 'DHL-API-Key': 'key-1' } });
  expect(seen).toEqual([
    [`Basic ${Buffer.from('klient:pä:ss').toString('base64')}`, undefined],
    ['Bearer token-1', undefined],
    [undefined, 'key-1'],
  ]);
});

test('a key that is invalid in a header gives no response and does not throw', async () => {
  const url = await startServer((_, res) => res.end());
  expect(await post(url, { headers: { 'x-key': 'line\nbreak' } })).toMatchObject({ kind: 'no_response' });
  expect(await post(url, { bearer: '密钥' })).toMatchObject({ kind: 'no_response' });
});

test('a server in trouble is called once', async () => {
  const { baseUrl, requested } = await recordingServer({ status: 500, body: '' });
  await post(baseUrl, { json: {} });
  expect(requested).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const url = await startServer((req, res) => {
    if (req.url === '/') res.writeHead(302, { location: '/elsewhere' }).end();
    else res.end('should not be reached');
  });
  expect(await post(url, { json: {} })).toMatchObject({ kind: 'response', status: 302 });
});

test('a refused connection gives no response', async () => {
  const url = await startServer(() => {});
  await stopServers();
  expect(await post(url, { json: {} })).toEqual({ kind: 'no_response', reason: 'network', detail: 'ECONNREFUSED' });
});

test('a connection cut in the middle of the body gives no response', async () => {
  const url = await startServer((req, res) => {
    res.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => req.socket.destroy());
  });
  expect(await post(url, { json: {} })).toMatchObject({ kind: 'no_response', reason: 'network' });
});

test('the timeout covers a server that never answers and one that never ends', async () => {
  const impatient = httpClient({ timeoutMs: 100 });
  const silent = await startServer(() => {});
  const endless = await startServer((_, res) => void res.writeHead(200).write('on and on'));
  const outcomes = await Promise.all([impatient(silent, { json: {} }), impatient(endless, { json: {} })]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'no_response', reason: 'timeout' });
});

test('an answer of 1 MiB is read, a larger one is not, however small it is when compressed', async () => {
  const url = await startServer((req, res) => {
    const size = 1024 * 1024 + (req.url === '/more' ? 1 : 0);
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(size, 'a')));
  });
  expect(await post(url, { json: {} })).toMatchObject({ kind: 'response', status: 200 });
  expect(await post(`${url}/more`, { json: {} })).toMatchObject({ kind: 'no_response', reason: 'too_large' });
});

test('a batch has room for the histories of all of its parcels', async () => {
  const room = 1024 * 1024 + 39 * 128 * 1024;
  const url = await startServer((req, res) => res.end(Buffer.alloc(req.url === '/more' ? room + 1 : room, 'a')));
  const batch = httpClient({ timeoutMs: 60_000, batchSize: 40 });
  expect(await batch(url, { json: {} })).toMatchObject({ kind: 'response', status: 200 });
  expect(await batch(`${url}/more`, { json: {} })).toMatchObject({ kind: 'no_response', reason: 'too_large' });
});

test('a header is sanitized and truncated like any external text', async () => {
  const url = await startServer((_, res) => res.setHeader('x-reason', `tab\there${'a'.repeat(5_000)}`).end());
  const outcome = await post(url, { json: {} });
  expect(outcome).toMatchObject({ headers: { 'x-reason': `tab here${'a'.repeat(492)}` } });
});

test('an abort ends the call, before and while it runs', async () => {
  const url = await startServer(() => {});
  expect(await post(url, { json: {} }, AbortSignal.abort())).toMatchObject({ kind: 'no_response', reason: 'aborted' });
  const controller = new AbortController();
  const running = post(url, { json: {} }, controller.signal);
  setImmediate(() => controller.abort());
  expect(await running).toMatchObject({ kind: 'no_response', reason: 'aborted' });
});

test('no call, however it ends, leaves a listener on the signal of its caller', async () => {
  const { signal } = new AbortController();
  const impatient = httpClient({ timeoutMs: 100 });
  const url = await startServer((req, res) => {
    if (req.url === '/cut') req.socket.destroy();
    else if (req.url === '/much') res.end(Buffer.alloc(2 * 1024 * 1024));
    else if (req.url !== '/silent') res.end('{}');
  });
  const outcomes = await Promise.all([
    ...['/', '/cut', '/much'].map((path) => post(`${url}${path}`, { json: {} }, signal)),
    impatient(`${url}/silent`, { json: {} }, signal),
  ]);
  expect(outcomes.map((outcome) => (outcome.kind === 'response' ? outcome.text : outcome.reason))).toEqual([
    '{}',
    'network',
    'too_large',
    'timeout',
  ]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('calls one after the other share a connection', async () => {
  const connections = new Set<unknown>();
  const url = await startServer((req, res) => {
    connections.add(req.socket);
    res.end('{}');
  });
  for (let calls = 0; calls < 5; calls++) await post(url, { json: {} });
  expect(connections.size).toBe(1);
});
