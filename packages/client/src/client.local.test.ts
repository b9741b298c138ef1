import { type Client, createClient } from './client.ts';
import { isCursorOutdated } from './errors.ts';
import { OPERATIONS } from './operations.ts';
import { answer, envelope, withLocalApi } from './testing/local-api.ts';

const RANGE = { since: '2026-01-01T00:00:00Z' };
const HOOK = { url: 'https://shop.example/hook', events: ['tracking_update' as const] };

// biome-ignore format: one operation per line is readable as a table
const CALLS: [keyof typeof OPERATIONS, (client: Client) => Promise<unknown>, string, body?: unknown][] = [
  ['trackings.create', (c) => c.trackings.create('SBX1'), 'POST /trackings/create', { tracking_number: 'SBX1' }],
  ['trackings.create', (c) => c.trackings.create({ tracking_number: 'SBX1', title: 'x' }), 'POST /trackings/create', { tracking_number: 'SBX1', title: 'x' }],
  ['trackings.create', (c) => c.trackings.dryRun('SBX1'), 'POST /trackings/create', { tracking_number: 'SBX1', dry_run: true }],
  ['trackings.batch', (c) => c.trackings.batch(['A1', { tracking_number: 'B2' }]), 'POST /trackings/batch', [{ tracking_number: 'A1' }, { tracking_number: 'B2' }]],
  ['track.async', (c) => c.track.async(['A1']), 'POST /track/async', [{ tracking_number: 'A1' }]],
  ['trackings.get', (c) => c.trackings.get(['A1', 'B2']), 'GET /trackings/get?tracking_numbers=A1%2CB2'],
  ['trackings.one', (c) => c.trackings.one('t1'), 'GET /trackings/t1'],
  ['trackings.explain', (c) => c.trackings.explain('t1'), 'GET /trackings/t1/explain'],
  ['trackings.update', (c) => c.trackings.update('t1', { title: null }), 'PATCH /trackings/t1', { title: null }],
  ['trackings.delete', (c) => c.trackings.delete('t1'), 'DELETE /trackings/t1'],
  ['trackings.retrack', (c) => c.trackings.retrack('../x'), 'POST /trackings/retrack/..%2Fx'],
  ['trackings.retrackNumber', (c) => c.trackings.retrackNumber({ tracking_number: 'A1' }), 'POST /trackings/retrack', { tracking_number: 'A1' }],
  ['shipments.list', (c) => c.shipments.list({ status: '派送中', limit: 200 }), 'GET /shipments?status=%E6%B4%BE%E9%80%81%E4%B8%AD&limit=200'],
  ['events.list', (c) => c.events.list({ after: 'c1', limit: 10 }), 'GET /events?after=c1&limit=10'],
  ['carriers.detect', (c) => c.carriers.detect('A1'), 'POST /carrier/detect', { tracking_number: 'A1' }],
  ['carriers.all', (c) => c.carriers.all(), 'GET /couriers/all'],
  ['webhooks.register', (c) => c.webhooks.register(HOOK), 'POST /webhooks', HOOK],
  ['webhooks.list', (c) => c.webhooks.list(), 'GET /webhooks'],
  ['webhooks.one', (c) => c.webhooks.one('w1'), 'GET /webhooks/w1'],
  ['webhooks.patch', (c) => c.webhooks.patch('w1', { enabled: false }), 'PATCH /webhooks/w1', { enabled: false }],
  ['webhooks.delete', (c) => c.webhooks.delete('w1'), 'DELETE /webhooks/w1'],
  ['webhooks.rotateSecret', (c) => c.webhooks.rotateSecret('w1'), 'POST /webhooks/w1/rotate-secret'],
  ['webhooks.test', (c) => c.webhooks.test('w1'), 'POST /webhooks/test', { id: 'w1' }],
  ['webhooks.test', (c) => c.webhooks.test(), 'POST /webhooks/test', {}],
  ['webhooks.check', (c) => c.webhooks.check('w1'), 'POST /webhooks/w1/check'],
  ['webhooks.deliveries', (c) => c.webhooks.deliveries(), 'GET /webhooks/deliveries'],
  ['webhooks.deliveries', (c) => c.webhooks.deliveries({ webhook_id: 'w1', event: 'ping', failed: true, before: '7' }), 'GET /webhooks/deliveries?webhook_id=w1&event=ping&failed=true&before=7'],
  ['webhooks.deliveries', (c) => c.webhooks.deliveries({ message_id: 'm1', failed: false }), 'GET /webhooks/deliveries?message_id=m1&failed=false'],
  ['webhooks.redeliver', (c) => c.webhooks.redeliver('d1'), 'POST /webhooks/deliveries/d1/redeliver'],
  ['webhooks.delivery', (c) => c.webhooks.delivery('d1'), 'GET /webhooks/deliveries/d1'],
  ['webhooks.replays', (c) => c.webhooks.replays('w1'), 'GET /webhooks/w1/replays'],
  ['webhooks.cancelReplay', (c) => c.webhooks.cancelReplay('w1', 'r/1'), 'DELETE /webhooks/w1/replays/r%2F1'],
  ['webhooks.replay', (c) => c.webhooks.replay('w1', RANGE), 'POST /webhooks/w1/replay', RANGE],
  ['stats.get', (c) => c.stats.get(), 'GET /stats'],
  ['stats.get', (c) => c.stats.get({ from: '2031-04-01T00:00:00Z', interval: 'hour' }), 'GET /stats?from=2031-04-01T00%3A00%3A00Z&interval=hour'],
  ['account.get', (c) => c.account.get(), 'GET /account'],
  ['auth.me', (c) => c.auth.me(), 'GET /auth/me'],
];

test.each(CALLS.map(([name, ask, line, body = null]) => [name, ask, line, body] as const))(
  '%s asks as the interface says, and gives the data',
  (_name, ask, line, body) =>
    withLocalApi(
      (response) => answer(response, { n: 1 }),
      async ({ client, asked }) => {
        expect(await ask(client)).toEqual({ n: 1 });
        expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line.replace(' ', ' /api/v1')]);
        expect(asked[0]?.body ?? null).toEqual(body);
      },
    ),
);

test('every operation has a method', () => {
  expect(new Set([...CALLS.map(([name]) => name), 'track.stream', 'events.stream'])).toEqual(
    new Set(Object.keys(OPERATIONS)),
  );
});

const page = (cursor: string | null) => ({ shipments: [{ id: `after ${cursor}` }], next_cursor: nextOf(cursor) });
const nextOf = (cursor: string | null) => ({ null: 'c1', c1: 'c2' })[String(cursor)] ?? null;
const cursorOf = (path: string, name = 'cursor') => new URL(path, 'http://x').searchParams.get(name);

test('shipments are listed page by page, and no page is requested before it is needed', () =>
  withLocalApi(
    (response, _nth, { path }) => answer(response, page(cursorOf(path))),
    async ({ client, asked }) => {
      const seen: unknown[] = [];
      for await (const { id } of client.shipments.iterate({ status: 'delivered' })) {
        seen.push([id, asked.length]);
      }
      expect(seen).toEqual([
        ['after null', 1],
        ['after c1', 2],
        ['after c2', 3],
      ]);
      expect(asked.every(({ path }) => path.includes('status=delivered'))).toBe(true);
    },
  ));

test('a poll_url is requested from the configured base URL, whatever host it names', () =>
  withLocalApi(
    (response) => answer(response, { shipments: [{ id: 'a' }], next_cursor: null }),
    async ({ client, asked }) => {
      for (const ids of ['a,b', '']) {
        const poll = client.shipments.poll(`https://elsewhere.example/api/v1/shipments?ids=${ids}`);
        for await (const { id } of poll) expect(id).toBe('a');
      }
      expect(asked.map(({ path }) => path)).toEqual(['/api/v1/shipments?ids=a%2Cb', '/api/v1/shipments?ids=']);
    },
  ));

test('events are read page by page until there are no more', () =>
  withLocalApi(
    (response, nth, { path }) =>
      answer(response, {
        events: [{ id: `after ${cursorOf(path, 'after')}` }],
        next_cursor: `c${nth}`,
        has_more: nth < 3,
      }),
    async ({ client }) => {
      const seen: string[] = [];
      for await (const { id } of client.events.iterate({ after: 'c0' })) seen.push(id);
      expect(seen).toEqual(['after c0', 'after c1', 'after c2']);
    },
  ));

test('after a failover the events are read from where the service says; a single page says so with an error', () =>
  withLocalApi(
    (response, _nth, { path }) => {
      const after = cursorOf(path, 'after');
      if (after === 'ahead') return void response.writeHead(409).end(envelope(409, { next_cursor: 'known' }));
      answer(response, { events: [{ id: `after ${after}` }], next_cursor: 'end', has_more: after === 'known' });
    },
    async ({ client }) => {
      const seen: string[] = [];
      for await (const { id } of client.events.iterate({ after: 'ahead' })) seen.push(id);
      expect(seen).toEqual(['after known', 'after end']);
      const error = await client.events.list({ after: 'ahead' }).catch((thrown: unknown) => thrown);
      expect([isCursorOutdated(error), error]).toMatchObject([true, { code: 409, nextCursor: 'known' }]);
    },
  ));

test('a service that refuses its own cursor is not asked for ever', () =>
  withLocalApi(
    (response) => void response.writeHead(409).end(envelope(409, { next_cursor: 'again' })),
    async ({ client, asked }) => {
      await expect(client.events.iterate({ after: 'ahead' }).next()).rejects.toMatchObject({ code: 409 });
      expect(asked).toHaveLength(2);
    },
  ));

test('the base URL may come with the prefix and with slashes', async () => {
  for (const suffix of ['/', '/api/v1', '/api/v1/']) {
    const urls: string[] = [];
    const send: typeof fetch = async (url) => {
      urls.push(String(url));
      return new Response('{"code":200,"meta":200,"message":"","data":{}}');
    };
    await createClient({ baseUrl: `https://api.example.com${suffix}`, apiKey: 'tk_1', fetch: send }).auth.me();
    expect(urls).toEqual(['https://api.example.com/api/v1/auth/me']);
  }
});

test.each([
  [{ baseUrl: 'api.example.com', apiKey: 'tk_1' }, /baseUrl must be/],
  [{ baseUrl: 'ftp://api.example.com', apiKey: 'tk_1' }, /baseUrl must be/],
  [{ baseUrl: 'https://api.example.com', apiKey: '' }, /apiKey is empty/],
  [{ baseUrl: 'https://api.example.com', apiKey: 'tk_1\n' }, /apiKey/],
])('%j is refused before anything is sent', (options, message) => {
  expect(() => createClient(options)).toThrow(message);
});

test('an operation without an id is refused, instead of requesting another path', () => {
  const { webhooks } = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  expect(() => webhooks.delete('')).toThrow('webhooks.delete needs an id');
});
