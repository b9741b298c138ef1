import type { ServerResponse } from 'node:http';
import { eventually } from '@pts/testing/eventually';
import { envelope, fetchOfSafari, type LocalApi, type Respond, withLocalApi } from './testing/local-api.ts';
import type { StreamedEvent } from './types.ts';

const begin = (response: ServerResponse) =>
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
      begin(response);
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
      (response) => void begin(response).end('id: c0\n\n'),
      (response) => void begin(response).end(event(1)),
      (response) => begin(response).write(event(2), () => response.destroy()),
      (response) => void begin(response).end(error(503)),
      (response) => void response.writeHead(503).end(envelope(503, {})),
      (response) => void begin(response).write(event(3)),
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
      (response) => void begin(response).end(event(1)),
      (response) => void begin(response).write(event(2)),
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
    (response, _nth, { path }) => void begin(response).write(event(afterOf(path) === 'c1' ? 2 : 1)),
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
      (response) => void begin(response).end(event(6) + error(409, { next_cursor: 'c4' })),
      (response) => void begin(response).write(event(5)),
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
  ['in between', (response) => void begin(response).end(event(6) + error(409, REMOVED))],
])('events that were removed before they were read are no silent gap: %s', (_, respond) =>
  withLocalApi(respond, async ({ client, requested }) => {
    const expected = { code: 409, nextCursor: 'c8', eventsRemoved: true, docsUrl: REMOVED.docs_url };
    await expect(take(client.events.stream({ after: 'c1' }), 2)).rejects.toMatchObject(expected);
    expect(requested).toHaveLength(1);
  }),
);

test.each<[string, Respond, object]>([
  ['a revoked key', (response) => void begin(response).end(error(401)), { code: 401, requestId: 'r1' }],
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
      begin(response).write(event(1));
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
