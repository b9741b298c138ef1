import type { ServerResponse } from 'node:http';
import { serve } from '@pts/testing/http-server';
import { createClient } from './client.ts';
import { NoAnswerError, TrackingApiError } from './errors.ts';
import { createPacer, type Retry } from './request.ts';
import { answer, answerNothing, envelope, type Respond, refuse, withLocalApi } from './testing/local-api.ts';

/** Refuses the first requests, in order, and then answers. */
const after = (...refusals: Respond[]): Respond => {
  return (response, nth, requested) => (refusals[nth - 1] ?? answerNothing)(response, nth, requested);
};
const say =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    refuse(response, status, status, headers);
const hangUp: Respond = (response) => void response.destroy();
const never: Respond = () => {};

test('every request has the key, the agent and the accepted type', () =>
  withLocalApi(
    answerNothing,
    async ({ client, requested }) => {
      await client.auth.me();
      expect(requested[0]?.headers).toMatchObject({
        'x-api-key': 'tk_1',
        accept: 'application/json',
        'user-agent': expect.stringMatching(/^shop\/2 parcel-tracking-client\/1$/),
      });
    },
    { userAgent: 'shop/2' },
  ));

test('a 429 is waited out for as long as it says, then the request is sent again', () =>
  withLocalApi(after(say(429, { 'retry-after': '120' })), async ({ client, requested, waits }) => {
    await client.trackings.create('SBX1');
    expect(waits).toEqual([120_500]);
    expect(requested.map(({ path }) => path)).toEqual(['/api/v1/trackings/create', '/api/v1/trackings/create']);
    expect(requested[1]?.body).toEqual(requested[0]?.body);
  }));

test.each([
  ['1.5', 2500],
  ['-5', 120_500],
])('Retry-After: %s is waited out for %i ms', (text, ms) =>
  withLocalApi(after(say(429, { 'retry-after': text })), async ({ client, waits }) => {
    await client.auth.me();
    expect(waits).toEqual([ms]);
  }),
);

test('Retry-After may be a date', () =>
  withLocalApi(
    after((response) => refuse(response, 429, 429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })),
    async ({ client, waits }) => {
      await client.auth.me();
      expect(waits[0]).toBeGreaterThan(50_000);
      expect(waits[0]).toBeLessThanOrEqual(60_500);
    },
  ));

test('a 5xx and a lost connection are retried with growing pauses', () =>
  withLocalApi(after(say(500), hangUp, say(503)), async ({ client, waits, requested }) => {
    await client.account.get();
    expect(waits).toEqual([250, 500, 1000]);
    expect(requested).toHaveLength(4);
  }));

test('retries end, and the last failure is thrown', () =>
  withLocalApi(say(503), async ({ client, requested }) => {
    await expect(client.account.get()).rejects.toMatchObject({ code: 503, status: 503 });
    expect(requested).toHaveLength(4);
    await expect(client.account.get({ maxRetries: 0 })).rejects.toMatchObject({ code: 503 });
    expect(requested).toHaveLength(5);
  }));

test.each<[string, Respond]>([
  ['a 500', say(500)],
  ['a lost connection', hangUp],
])('what is not safe to repeat is not repeated after %s, but after a 429', (_what, respond) =>
  withLocalApi(after(say(429), respond), async ({ client, requested }) => {
    await expect(client.webhooks.delete('w1')).rejects.toThrow();
    expect(requested).toHaveLength(2);
  }),
);

test('what changes something with each POST is repeated under the same key, and the next call has another', () =>
  withLocalApi(after(say(500), hangUp, say(409, { 'retry-after': '7' })), async ({ client, requested, waits }) => {
    await client.webhooks.rotateSecret('w1');
    await client.webhooks.rotateSecret('w1');
    const keys = requested.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([
      ...Array(4).fill(expect.stringMatching(/^[0-9a-f]{32}$/)),
      expect.not.stringMatching(`${keys[0]}`),
    ]);
    expect(new Set(keys).size).toBe(2);
    expect(waits.at(-1)).toBe(7500);
  }));

test('a key of the caller is sent with any POST, and no key with what is harmless to repeat', () =>
  withLocalApi(answerNothing, async ({ client, requested }) => {
    await client.trackings.create('SBX1', { idempotencyKey: 'order-1001' });
    await client.trackings.create('SBX1');
    await client.trackings.one('t1', { idempotencyKey: 'order-1001' });
    expect(() => client.trackings.create('SBX1', { idempotencyKey: '订单-1001' })).toThrow(/^idempotencyKey must/);
    expect(requested.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-1001', undefined, undefined]);
  }));

test('while the first try under a key of the caller still runs, the next ones wait for its answer', () =>
  withLocalApi(after(hangUp, say(409, { 'retry-after': '7' })), async ({ client, waits }) => {
    await client.trackings.create('SBX1', { idempotencyKey: 'order-1001' });
    expect(waits).toEqual([250, 7500]);
  }));

test('if no connection was made, everything is retried', async () => {
  const sent: string[] = [];
  const send: typeof fetch = (url, init) => {
    sent.push(String(url));
    return fetch(sent.length === 1 ? 'http://127.0.0.1:2/' : url, init);
  };
  await withLocalApi(
    answerNothing,
    async ({ client, requested }) => {
      await client.webhooks.rotateSecret('w1');
      expect([sent.length, requested.length]).toEqual([2, 1]);
    },
    { fetch: send },
  );
});

test('an attempt that takes too long is aborted, and retried if that is safe', () =>
  withLocalApi(
    (response, nth, one) => (nth > 1 && one.method === 'GET' ? answerNothing : never)(response, nth, one),
    async ({ client, requested }) => {
      await client.auth.me();
      // On a busy machine, more than the first one may take too long.
      expect(requested.length).toBeGreaterThan(1);
      const slow = client.webhooks.delete('w1', { timeoutMs: 100 });
      await expect(slow).rejects.toMatchObject({
        reason: 'timeout',
        message: expect.stringMatching(/within 0.1 s$/),
      });
    },
    { timeoutMs: 3000 },
  ));

test('a body that never ends is aborted, too', () =>
  withLocalApi(
    (response) => void response.writeHead(200).write('{"code":'),
    async ({ client }) => {
      await expect(client.auth.me({ maxRetries: 0 })).rejects.toMatchObject({ reason: 'timeout' });
    },
    { timeoutMs: 100 },
  ));

test('a timeout may be infinite, also of a stream; what is no length of time, or no number of retries, is refused', () =>
  withLocalApi(
    (response, nth, one) => {
      if (!one.path.endsWith('.csv')) return answerNothing(response, nth, one);
      response.writeHead(200, { 'content-type': 'text/csv' }).end('id');
    },
    async ({ client }) => {
      await client.auth.me();
      await client.auth.me({ timeoutMs: 0.5e10 });
      await expect(client.shipments.csv().next()).resolves.toMatchObject({ done: false });
      for (const timeoutMs of [0, -1, Number.NaN]) {
        expect(() => client.account.get({ timeoutMs })).toThrow(/timeoutMs must be more than 0/);
        await expect(client.shipments.csv({}, { timeoutMs }).next()).rejects.toThrow(/timeoutMs must be more than 0/);
      }
      for (const maxRetries of [-1, Number.NaN])
        await expect(client.auth.me({ maxRetries })).rejects.toThrow(/maxRetries must be 0 or more/);
    },
    { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 },
  ));

test('a call without its id fails alone: the next one is sent', () =>
  withLocalApi(
    (response) => void response.writeHead(200, { 'content-type': 'text/csv' }).end('id'),
    async ({ client }) => {
      await expect(client.imports.rejected('').next()).rejects.toThrow('getRejectedRows needs an id');
      await expect(client.imports.rejected('i1').next()).resolves.toMatchObject({ done: false });
    },
  ));

test('a fetch that throws instead of rejecting fails its call alone', async () => {
  const throwing = () => {
    throw new Error('offline');
  };
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1', maxRetries: 0, fetch: throwing });
  for (const call of [client.shipments.csv(), client.shipments.csv()])
    await expect(call.next()).rejects.toMatchObject({ reason: 'network' });
});

describe('the signal of a call', () => {
  test('ends the request', () =>
    withLocalApi(never, async ({ client }) => {
      const leaving = new AbortController();
      const asking = client.auth.me({ signal: leaving.signal });
      leaving.abort(new Error('the user left'));
      await expect(asking).rejects.toThrow('the user left');
    }));

  test('ends the wait before the next attempt', async () => {
    const leaving = new AbortController();
    await withLocalApi(
      say(429, { 'retry-after': '3600' }),
      async ({ client, requested }) => {
        await expect(client.auth.me({ signal: leaving.signal })).rejects.toThrow('the user left');
        expect(requested).toHaveLength(1);
      },
      { sleep: undefined as never, onRetry: () => leaving.abort(new Error('the user left')) },
    );
  });

  test('that was aborted before prevents any request', () =>
    withLocalApi(answerNothing, async ({ client, requested }) => {
      await expect(client.auth.me({ signal: AbortSignal.abort() })).rejects.toThrow();
      expect(requested).toHaveLength(0);
    }));
});

test('onRetry is called before each wait; what it throws ends the call', async () => {
  const reported: Retry[] = [];
  const onRetry = (retry: Retry) => {
    reported.push(retry);
    if (reported.length === 2) throw new Error('enough');
  };
  await withLocalApi(
    say(503),
    async ({ client }) => {
      await expect(client.account.get()).rejects.toThrow('enough');
      expect(reported).toMatchObject([{ operation: 'getAccount', retries: 0, delayMs: 250, error: { code: 503 } }, {}]);
    },
    { onRetry },
  );
});

test('a refusal has its number, status, fields, request and wait', () =>
  withLocalApi(
    (response) =>
      response
        .writeHead(400, { 'x-request-id': 'r-1', 'retry-after': '9' })
        .end(envelope(4130, { errors: [{ field: 'url', message: 'must use https' }] }, 'The url is wrong.')),
    async ({ client }) => {
      const error = await client.webhooks.list().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TrackingApiError);
      expect(error).toMatchObject({
        code: 4130,
        status: 400,
        message: 'The url is wrong.',
        requestId: 'r-1',
        retryAfterSeconds: 9,
        fields: [{ field: 'url', message: 'must use https' }],
      });
    },
  ));

test.each<[string, Respond, RegExp]>([
  ['a page', (r) => r.writeHead(404).end('<h1>Not\n found</h1>'), /^HTTP 404, not JSON: <h1>Not found/],
  ['a page that says 200', (r) => r.end('<h1>Log in</h1>'), /^HTTP 200, not JSON: <h1>Log in/],
  ['other JSON', (r) => r.end('{"n":1}'), /^HTTP 200, JSON that is not a response of the service: {"n":1}/],
  [
    'a redirect',
    (r) => r.writeHead(301, { location: 'https://x.test/' }).end(),
    /^HTTP 301, a redirect to https:\/\/x/,
  ],
])('%s is not an answer, and the message says what it is', (_what, respond, message) =>
  withLocalApi(respond, async ({ client, requested }) => {
    const error = await client.auth.me().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(error).toMatchObject({ reason: 'not_the_api', message: expect.stringMatching(message) });
    expect(requested).toHaveLength(1);
  }),
);

test.each([
  ['a port that is for another protocol', 'http://127.0.0.1:22', /: bad port$/],
  ['https where there is only http', (url: string) => url.replace('http:', 'https:'), /: SSL.*: wrong version number$/],
])('%s is no connection', async (_what, address, message) => {
  const server = await serve((_request, response) => void response.end());
  const baseUrl = typeof address === 'string' ? address : address(server.url);
  const client = createClient({ baseUrl, apiKey: 'tk_1', maxRetries: 0 });
  await expect(client.auth.me()).rejects.toMatchObject({ reason: 'not_sent', message: expect.stringMatching(message) });
  await server.close();
});

test('an unreachable service is reported with its URL, without the query', () =>
  withLocalApi(
    answerNothing,
    async ({ client }) => {
      await expect(client.trackings.get('SBX1')).rejects.toMatchObject({
        reason: 'not_sent',
        message: expect.stringMatching(
          /^no response from http:\/\/127\.0\.0\.1:2\/api\/v1\/trackings\/get: .*ECONNREFUSED/,
        ),
      });
    },
    { baseUrl: 'http://127.0.0.1:2' },
  ));

const response = (limit: number, remaining: number, reset = 1) =>
  new Response('', {
    headers: { 'ratelimit-limit': `${limit}`, 'ratelimit-remaining': `${remaining}`, 'ratelimit-reset': `${reset}` },
  });

/** A pacer on a clock of its own, which moves only by `sleep`. */
function pacerAt(start = 0) {
  let clock = start;
  const pacer = createPacer(
    async (ms) => {
      clock += ms;
    },
    () => clock,
  );
  return { ...pacer, now: () => clock };
}

test('no second holds more requests than the limit', async () => {
  const { take, learn, now } = pacerAt();
  const sent: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    await take('a', undefined);
    sent.push(now());
    learn('a', response(3, 1));
  }
  expect(sent).toEqual([0, 0, 0, 1100, 1100, 1100, 2200]);
});

test('if others used the limit, the service says how long to wait', async () => {
  const { take, learn, now } = pacerAt();
  await take('a', undefined);
  learn('a', response(10, 0, 4));
  await take('a', undefined);
  expect(now()).toBe(4000);
});

test('a limit delays only requests that count against it', async () => {
  const { take, learn, now } = pacerAt();
  await take('a', undefined);
  learn('a', response(1, 0));
  await take('b', undefined);
  expect(now()).toBe(0);
});

test('until the limit is known, one request goes ahead and the others wait for its answer', async () => {
  const { take, learn } = pacerAt();
  const gone: number[] = [];
  await take('a', undefined);
  const others = [1, 2, 3].map((n) => take('a', undefined).then(() => gone.push(n)));
  learn('a', null); // it got lost: another goes ahead
  await Promise.race(others);
  expect(gone).toEqual([1]);
  learn('a', new Response(''));
  await Promise.all(others);
  expect(gone).toEqual([1, 2, 3]);
});

test('the signal ends the wait for the first answer', async () => {
  const { take } = pacerAt();
  await take('a', undefined);
  const leaving = new AbortController();
  const waiting = take('a', leaving.signal);
  leaving.abort(new Error('the user left'));
  await expect(waiting).rejects.toThrow('the user left');
});

/** A service that refuses more than 3 requests until the client has waited. */
function limited(isOver: (nth: number) => boolean): Respond {
  return (response: ServerResponse, nth) => {
    const headers = { 'ratelimit-limit': '3', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' };
    if (isOver(nth)) return refuse(response, 429, 429, { 'retry-after': '120', ...headers });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(response, {});
  };
}

test('a fast client is kept below the limit; without pacing, it gets the 429', async () => {
  const hurry = async (pace: boolean) => {
    let waited: number[] = [];
    // Requests that are held up for a second need no wait, and this service counts no seconds.
    const { now } = performance;
    performance.now = () => 0;
    await withLocalApi(
      limited((nth) => nth === 4 && waited.length === 0),
      async ({ client, waits }) => {
        waited = waits;
        await Promise.all(Array.from({ length: 5 }, (_, n) => client.trackings.create(`SBX${n}`)));
      },
      { pace },
    ).finally(() => {
      performance.now = now;
    });
    return waited;
  };
  expect(await hurry(true)).toEqual([1100, 1100]);
  expect(await hurry(false)).toEqual([120_500]);
});
