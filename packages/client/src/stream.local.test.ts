import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { type Client, createClient } from './client.ts';
import { envelope, fetchOfSafari, type LocalApi, type Respond, withLocalApi } from './testing/local-api.ts';
import type { StreamedEvent, StreamInput, StreamLine } from './types.ts';

type Serve = (request: IncomingMessage, response: ServerResponse, nth: number) => void | Promise<void>;
type Stage = { client: Client; requests(): number; waits: number[] };

async function withStream(answer: Serve, use: (stage: Stage) => Promise<void>, timeoutMs = 30_000): Promise<void> {
  let requests = 0;
  const server = await serve((request, response) => void answer(request, response, ++requests));
  const waits: number[] = [];
  const client = createClient({
    baseUrl: server.url,
    apiKey: 'tk_1',
    fetch: fetchOfSafari,
    timeoutMs,
    random: () => 0.5,
    sleep: async (ms: number) => void waits.push(ms),
  });
  try {
    await use({ client, requests: () => requests, waits });
  } finally {
    await server.close();
  }
}

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/x-ndjson' });
const line = (value: object) => `${JSON.stringify(value)}\n`;
const SUMMARY = line({ type: 'summary', requested: 0 });

/** Answers each line as it arrives, like the service. */
const echo: Serve = async (request, response) => {
  begin(response).flushHeaders();
  for await (const text of createInterface({ input: request })) {
    const given = JSON.parse(text) as StreamInput;
    response.write(line({ type: 'tracking', given }));
  }
  response.end(SUMMARY);
};

async function all(lines: AsyncIterable<StreamLine>): Promise<StreamLine[]> {
  const found: StreamLine[] = [];
  for await (const one of lines) found.push(one);
  return found;
}

test('numbers and objects are sent one per line; every line of the response is yielded', () =>
  withStream(echo, async ({ client }) => {
    const numbers = ['SBX1', { tracking_number: 'SBX2', title: '书' }];
    expect(await all(client.track.stream(new Set(numbers)))).toEqual([
      { type: 'tracking', given: 'SBX1' },
      { type: 'tracking', given: { tracking_number: 'SBX2', title: '书' } },
      { type: 'summary', requested: 0 },
    ]);
  }));

test('a line is yielded as soon as it is complete, in whatever pieces it arrives', () =>
  withStream(
    (_request, response) => {
      const bytes = Buffer.from(`${line({ type: 'tracking', text: '已签收' })}\n${SUMMARY.trim()}`);
      begin(response);
      // One byte per piece: characters are cut in the middle.
      const next = (at: number) =>
        at < bytes.length ? response.write(bytes.subarray(at, at + 1), () => next(at + 1)) : response.end();
      next(0);
    },
    async ({ client }) => {
      expect(await all(client.track.stream(['A']))).toMatchObject([{ text: '已签收' }, { type: 'summary' }]);
    },
  ));

test('async input is sent while answers arrive: a number is read when the previous one was answered', () =>
  withStream(echo, async ({ client }) => {
    let answered = () => {};
    const seen: string[] = [];
    async function* numbers() {
      for (const number of ['A1', 'B2', 'C3']) {
        const wait = new Promise<void>((done) => {
          answered = done;
        });
        seen.push(`sent ${number}`);
        yield number;
        await wait;
      }
    }
    for await (const { type, given } of client.track.stream(numbers())) {
      seen.push(type === 'summary' ? type : `got ${given}`);
      answered();
    }
    expect(seen).toEqual(['sent A1', 'got A1', 'sent B2', 'got B2', 'sent C3', 'got C3', 'summary']);
  }));

test('input is read only as fast as the service accepts it', async () => {
  let taken = 0;
  let over = false;
  async function* endless() {
    try {
      for (;;) {
        taken += 1;
        yield `NUMBER${taken}${'0'.repeat(1000)}`;
      }
    } finally {
      over = true;
    }
  }
  const readNothing: Serve = (_request, response) => void begin(response).write(line({ type: 'progress' }));
  await withStream(readNothing, async ({ client }) => {
    const leaving = new AbortController();
    const streaming = all(client.track.stream(endless(), { signal: leaving.signal }));
    const left = expect(streaming).rejects.toThrow('enough');
    await eventually(async () => {
      const before = taken;
      for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
      expect(before).toBeGreaterThan(0);
      expect(taken).toBe(before);
    });
    expect(taken).toBeLessThan(20_000); // what fits into the buffers of the connection
    leaving.abort(new Error('enough'));
    await left;
    expect(over).toBe(true);
  });
});

test('leaving the loop ends the request', async () => {
  let gone: Promise<unknown> = Promise.reject(new Error('nothing was asked'));
  gone.catch(() => {});
  await withStream(
    (_request, response) => {
      gone = once(response, 'close');
      begin(response).write(line({ type: 'tracking' }));
    },
    async ({ client }) => {
      for await (const one of client.track.stream(['A'])) {
        expect(one.type).toBe('tracking');
        break;
      }
      await gone;
    },
  );
});

test('the signal ends the stream, and its reason is thrown', async () => {
  const leaving = new AbortController();
  await withStream(
    (_request, response) => void begin(response).write(line({ type: 'tracking' })),
    async ({ client }) => {
      const lines = client.track.stream(['A'], { signal: leaving.signal });
      await lines.next();
      const next = lines.next();
      leaving.abort(new Error('the user left'));
      await expect(next).rejects.toThrow('the user left');
    },
  );
});

test('an error of the input is thrown unchanged', () =>
  withStream(echo, async ({ client }) => {
    async function* numbers() {
      yield 'A1';
      throw new RangeError('line 2 of the file cannot be read');
    }
    await expect(all(client.track.stream(numbers()))).rejects.toThrow(RangeError);
  }));

const busy: Serve = (request, response, nth) =>
  nth === 1 ? void response.writeHead(429, { 'retry-after': '7' }).end(envelope(429)) : echo(request, response, nth);

test('a list is sent again after a 429, an async input is not: it is used up', () =>
  withStream(busy, async ({ client, waits }) => {
    expect(await all(client.track.stream(['A']))).toHaveLength(2);
    expect(waits).toEqual([7500]);
  }).then(() =>
    withStream(busy, async ({ client, waits }) => {
      async function* numbers() {
        yield 'A';
      }
      await expect(all(client.track.stream(numbers()))).rejects.toMatchObject({ code: 429, retryAfterSeconds: 7 });
      expect(waits).toEqual([]);
    }),
  ));

test.each<[string, Serve, object]>([
  [
    'a refusal',
    (_, response) => void response.writeHead(400).end(envelope(4190, {}, 'No units left.')),
    { name: 'TrackingApiError', code: 4190 },
  ],
  [
    'a key that was revoked meanwhile',
    (_, response) => {
      response.setHeader('x-request-id', 'r1');
      begin(response).end(line({ type: 'error', index: null, errorCode: 401, errorMessage: 'It was revoked.' }));
    },
    { name: 'TrackingApiError', code: 401, status: 401, message: 'It was revoked.', requestId: 'r1' },
  ],
  [
    'an end before the summary',
    (_, response) => void begin(response).end(line({ type: 'progress' })),
    { reason: 'cut_off' },
  ],
  [
    'an end in the middle of a letter',
    (_, response) => void begin(response).end(Buffer.from('{"type":"tracking","text":"签').subarray(0, -1)),
    { reason: 'cut_off' },
  ],
  [
    'a lost connection',
    (_, response) => void begin(response).write(line({ type: 'progress' }), () => response.destroy()),
    { reason: 'network' },
  ],
  ['a page', (_, response) => void response.end('<h1>Log in</h1>'), { reason: 'not_the_api' }],
  ['an answer that is not a stream', (_, response) => void response.end(envelope(200)), { reason: 'not_the_api' }],
  ['a line that is not JSON', (_, response) => void begin(response).end('<br>\n'), { reason: 'not_the_api' }],
  [
    'a line without end',
    (_, response) => void begin(response).end('x'.repeat(5_000_000)),
    { reason: 'not_the_api', message: expect.stringMatching(/^.{0,200}$/) },
  ],
])('%s is reported as such', (_what, serve, error) =>
  withStream(serve, async ({ client }) => {
    await expect(all(client.track.stream(['A'], { maxRetries: 0 }))).rejects.toMatchObject(error);
  }),
);

test('silence is reported as such', () =>
  withStream(
    (_, response) => void begin(response).write(line({ type: 'progress' })),
    async ({ client }) => {
      const streaming = all(client.track.stream(['A'], { maxRetries: 0 }));
      await expect(streaming).rejects.toMatchObject({ reason: 'timeout' });
    },
    400,
  ));

test('a string is refused: it would be sent letter by letter', async () => {
  const { track } = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  await expect(track.stream('SBX1').next()).rejects.toThrow(/a list of numbers/);
});

const beginEvents = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r1' });
const event = (n: number) => `id: c${n}\nevent: tracking_update\ndata: {"id":"m${n}","event":"tracking_update"}\n\n`;
const error = (code: number, data: object = {}) =>
  `event: error\ndata: ${JSON.stringify({ code, meta: code, message: 'over', data })}\n\n`;
const afterOf = (path: string) => new URL(path, 'http://x').searchParams.get('after');

/** Takes events until there are as many. */
async function take(events: AsyncIterable<StreamedEvent>, count: number): Promise<StreamedEvent[]> {
  const taken: StreamedEvent[] = [];
  for await (const one of events) if (taken.push(one) === count) break;
  return taken;
}
const REMOVED = { next_cursor: 'c8', events_removed: true, docs_url: 'https://api.example.com/docs/errors/409' };
const cursors = (events: readonly StreamedEvent[]) => events.map(({ id, cursor }) => [id, cursor]);
const asksAfter = ({ requested }: Pick<LocalApi, 'requested'>) => requested.map(({ path }) => afterOf(path));

/** Each request is answered by the next of these. */
function inTurn(...answers: ((response: ServerResponse) => void)[]): Respond {
  return (response, nth) => answers[Math.min(nth, answers.length) - 1]?.(response);
}

test('each event comes with the cursor after it, in whatever pieces it arrives; heartbeats are skipped', () =>
  withLocalApi(
    (response) => {
      beginEvents(response);
      const bytes = Buffer.from(`retry: 2000\nid: c0\n\n:\n\n${event(1)}: a comment\r\n\r\n${event(2)}`);
      const next = (at: number): unknown =>
        at < bytes.length && response.write(bytes.subarray(at, at + 1), () => next(at + 1));
      next(0);
    },
    async ({ client, requested }) => {
      const taken = await take(client.events.stream({ after: 'latest' }), 2);
      expect(taken).toEqual([
        { id: 'm1', event: 'tracking_update', cursor: 'c1' },
        { id: 'm2', event: 'tracking_update', cursor: 'c2' },
      ]);
      expect(requested[0]).toMatchObject({ path: '/api/v1/events/stream?after=latest' });
      expect(requested[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'tk_1' });
    },
    { fetch: fetchOfSafari },
  ));

test('a stream that ends, is cut or reports a fault of the service is continued where it was', () =>
  withLocalApi(
    inTurn(
      (response) => void beginEvents(response).end('id: c0\n\n'),
      (response) => void beginEvents(response).end(event(1)),
      (response) => beginEvents(response).write(event(2), () => response.destroy()),
      (response) => void beginEvents(response).end(error(503)),
      (response) => void response.writeHead(503).end(envelope(503, {})),
      (response) => void beginEvents(response).write(event(3)),
    ),
    async (api) => {
      expect(cursors(await take(api.client.events.stream({ after: 'latest' }), 3))).toEqual([
        ['m1', 'c1'],
        ['m2', 'c2'],
        ['m3', 'c3'],
      ]);
      expect(asksAfter(api)).toEqual(['latest', 'c0', 'c1', 'c2', 'c2', 'c2']);
    },
  ));

test('it may begin with the newest events; from then on, it goes on after what has arrived', () =>
  withLocalApi(
    inTurn(
      (response) => void beginEvents(response).end(event(1)),
      (response) => void beginEvents(response).write(event(2)),
    ),
    async ({ client, requested }) => {
      expect(cursors(await take(client.events.stream({ last: 5 }), 2))).toHaveLength(2);
      expect(requested.map(({ path }) => path)).toEqual([
        '/api/v1/events/stream?last=5',
        '/api/v1/events/stream?after=c1',
      ]);
    },
  ));

test('silence for longer than the timeout counts as a cut', () =>
  withLocalApi(
    (response, _nth, { path }) => void beginEvents(response).write(event(afterOf(path) === 'c1' ? 2 : 1)),
    async (api) => {
      const taken = await take(api.client.events.stream({}, { timeoutMs: 300 }), 2);
      expect(cursors(taken)).toEqual([
        ['m1', 'c1'],
        ['m2', 'c2'],
      ]);
      // On a busy machine, an event may be late, too, and is asked for again.
      expect([...new Set(asksAfter(api))]).toEqual([null, 'c1']);
    },
  ));

test('after a failover it goes on from where the service says, at the start and in between', () =>
  withLocalApi(
    inTurn(
      (response) => void response.writeHead(409).end(envelope(409, { next_cursor: 'c5' })),
      (response) => void beginEvents(response).end(event(6) + error(409, { next_cursor: 'c4' })),
      (response) => void beginEvents(response).write(event(5)),
    ),
    async (api) => {
      expect(cursors(await take(api.client.events.stream({ after: 'c9' }), 2))).toEqual([
        ['m6', 'c6'],
        ['m5', 'c5'],
      ]);
      expect(asksAfter(api)).toEqual(['c9', 'c5', 'c4']);
    },
  ));

test.each<[string, Respond]>([
  ['at the start', (response) => void response.writeHead(409).end(envelope(409, REMOVED))],
  ['in between', (response) => void beginEvents(response).end(event(6) + error(409, REMOVED))],
])('events that were removed before they were read are no silent gap: %s', (_, respond) =>
  withLocalApi(respond, async ({ client, requested }) => {
    const expected = { code: 409, nextCursor: 'c8', eventsRemoved: true, docsUrl: REMOVED.docs_url };
    await expect(take(client.events.stream({ after: 'c1' }), 2)).rejects.toMatchObject(expected);
    expect(requested).toHaveLength(1);
  }),
);

test.each<[string, Respond, object]>([
  ['a revoked key', (response) => void beginEvents(response).end(error(401)), { code: 401, requestId: 'r1' }],
  ['a key that is refused', (response) => void response.writeHead(401).end(envelope(401, {})), { code: 401 }],
  ['a cursor that is none', (response) => void response.writeHead(400).end(envelope(4130, {})), { code: 4130 }],
])('%s ends it with the error', (_, respond, error) =>
  withLocalApi(respond, async ({ client, requested }) => {
    await expect(take(client.events.stream(), 1)).rejects.toMatchObject({ name: 'TrackingApiError', ...error });
    expect(requested).toHaveLength(1);
  }),
);

test('leaving the loop ends the request, and so does the signal', async () => {
  let closed = 0;
  await withLocalApi(
    (response) => {
      response.on('close', () => {
        closed += 1;
      });
      beginEvents(response).write(event(1));
    },
    async ({ client }) => {
      await take(client.events.stream(), 1);
      await eventually(() => expect(closed).toBe(1));
      const leaving = new AbortController();
      const events = client.events.stream({}, { signal: leaving.signal });
      await events.next();
      leaving.abort(new Error('enough'));
      await expect(events.next()).rejects.toThrow('enough');
      await eventually(() => expect(closed).toBe(2));
    },
  );
});
