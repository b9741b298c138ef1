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

test('XML is sent as text, with the content type that the API requires', async () => {
  const { baseUrl, requested } = await recordingServer({ body: '' });
  await post(baseUrl, { xml: '<a>包</a>' });
  await post(baseUrl, { xml: '<a/>', headers: { 'content-type': 'application/soap+xml' } });
  expect(requested).toMatchObject([
    { path: 'POST /', type: 'text/xml; charset=utf-8', body: '<a>包</a>' },
    { path: 'POST /', type: 'application/soap+xml', body: '<a/>' },
  ]);
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
