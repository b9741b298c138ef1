import type { ServerResponse } from 'node:http';
import { serve } from '@pts/testing/http-server';
import { createSmokeClient, expectAnswer } from './client.ts';
import { deadlineIn } from './deadline.ts';

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
    /429: the next try would be in 120 s, after the timeout/,
  ],
  [
    'an error of the API',
    (response) => response.writeHead(400).end(answer(4190, {}, 'No units left.')),
    /^refused with 4190: No units left\.$/,
  ],
  [
    'a fault, which is not retried',
    (response, nth) => response.writeHead(500).end(answer(500, {}, `Fault ${nth}.`)),
    /^refused with 500: Fault 1\.$/,
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
  ['a hang-up', (response) => response.destroy(), /no answer from http:\/\/127/],
])('%s fails, and says so', async (_name, respond, message) => {
  await expect(ask(respond)).rejects.toThrow(message);
});
