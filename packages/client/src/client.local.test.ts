import { type OperationId, ROUTES } from '@pts/contract/routes';
import { type Client, createClient } from './client.ts';
import { isCursorOutdated } from './errors.ts';
import { answer, envelope, refuse, withLocalApi } from './testing/local-api.ts';

const RANGE = { since: '2026-01-01T00:00:00Z' };
const HOOK = { url: 'https://shop.example/hook', events: ['tracking_update' as const] };

// biome-ignore format: one operation per line is readable as a table
const CALLS: [OperationId, (client: Client) => Promise<unknown>, string, body?: unknown][] = [
  ['createTracking', (c) => c.trackings.create('SBX1'), 'POST /trackings/create', { tracking_number: 'SBX1' }],
  ['createTracking', (c) => c.trackings.create({ tracking_number: 'SBX1', title: 'x' }), 'POST /trackings/create', { tracking_number: 'SBX1', title: 'x' }],
  ['createTracking', (c) => c.trackings.dryRun('SBX1'), 'POST /trackings/create', { tracking_number: 'SBX1', dry_run: true }],
  ['createTrackings', (c) => c.trackings.batch(['A1', { tracking_number: 'B2' }]), 'POST /trackings/batch', [{ tracking_number: 'A1' }, { tracking_number: 'B2' }]],
  ['submitTrackings', (c) => c.track.async(['A1']), 'POST /track/async', [{ tracking_number: 'A1' }]],
  ['getTrackings', (c) => c.trackings.get(['A1', 'B2']), 'GET /trackings/get?tracking_numbers=A1%2CB2'],
  ['getTracking', (c) => c.trackings.one('t1'), 'GET /trackings/t1'],
  ['explainTracking', (c) => c.trackings.explain('t1'), 'GET /trackings/t1/explain'],
  ['listTrackingEvents', (c) => c.trackings.events('t1'), 'GET /trackings/t1/events'],
  ['updateTracking', (c) => c.trackings.update('t1', { title: null }), 'PATCH /trackings/t1', { title: null }],
  ['deleteTracking', (c) => c.trackings.delete('t1'), 'DELETE /trackings/t1'],
  ['retrackTracking', (c) => c.trackings.retrack('../x'), 'POST /trackings/retrack/..%2Fx'],
  ['retrackByNumber', (c) => c.trackings.retrackNumber({ tracking_number: 'A1' }), 'POST /trackings/retrack', { tracking_number: 'A1' }],
  ['getTrackings', (c) => c.trackings.ofOrders(['A-1', 'B-2']), 'GET /trackings/get?order_ids=A-1%2CB-2'],
  ['listShipments', (c) => c.shipments.list({ order_id: 'A-1', metadata: { shop: 's1' } }), 'GET /shipments?order_id=A-1&metadata.shop=s1'],
  ['listShipments', (c) => c.shipments.list({ status: '派送中', limit: 200 }), 'GET /shipments?status=%E6%B4%BE%E9%80%81%E4%B8%AD&limit=200'],
  ['listEvents', (c) => c.events.list({ after: 'c1', limit: 10 }), 'GET /events?after=c1&limit=10'],
  ['detectCarrier', (c) => c.carriers.detect('A1'), 'POST /carrier/detect', { tracking_number: 'A1' }],
  ['listCouriers', (c) => c.carriers.all(), 'GET /couriers/all'],
  ['getCouriersHealth', (c) => c.carriers.health(), 'GET /couriers/health'],
  ['registerWebhook', (c) => c.webhooks.register(HOOK), 'POST /webhooks', HOOK],
  ['listWebhooks', (c) => c.webhooks.list(), 'GET /webhooks'],
  ['getWebhook', (c) => c.webhooks.one('w1'), 'GET /webhooks/w1'],
  ['updateWebhook', (c) => c.webhooks.patch('w1', { enabled: false }), 'PATCH /webhooks/w1', { enabled: false }],
  ['deleteWebhook', (c) => c.webhooks.delete('w1'), 'DELETE /webhooks/w1'],
  ['rotateWebhookSecret', (c) => c.webhooks.rotateSecret('w1'), 'POST /webhooks/w1/rotate-secret'],
  ['testWebhook', (c) => c.webhooks.test('w1'), 'POST /webhooks/test', { id: 'w1' }],
  ['testWebhook', (c) => c.webhooks.test(), 'POST /webhooks/test', {}],
  ['testWebhook', (c) => c.webhooks.previewTest('w1', { event: 'ping' }), 'POST /webhooks/test', { id: 'w1', event: 'ping', dry_run: true }],
  ['testWebhook', (c) => c.webhooks.sendTest('w1', { kind: 'stale', event: 'tracking_update' }), 'POST /webhooks/test', { id: 'w1', kind: 'stale', event: 'tracking_update' }],
  ['checkWebhook', (c) => c.webhooks.check('w1'), 'POST /webhooks/w1/check'],
  ['listDeliveries', (c) => c.webhooks.deliveries(), 'GET /webhooks/deliveries'],
  ['listDeliveries', (c) => c.webhooks.deliveries({ webhook_id: 'w1', event: 'ping', failed: true, before: '7' }), 'GET /webhooks/deliveries?webhook_id=w1&event=ping&failed=true&before=7'],
  ['listDeliveries', (c) => c.webhooks.deliveries({ message_id: 'm1', failed: false }), 'GET /webhooks/deliveries?message_id=m1&failed=false'],
  ['listDeliveries', (c) => c.webhooks.deliveries({ status_code: 503, outcome: 'exhausted', since: '2031-04-01T00:00:00Z', until: '2031-04-02T00:00:00Z' }), 'GET /webhooks/deliveries?status_code=503&outcome=exhausted&since=2031-04-01T00%3A00%3A00Z&until=2031-04-02T00%3A00%3A00Z'],
  ['redeliver', (c) => c.webhooks.redeliver('d1'), 'POST /webhooks/deliveries/d1/redeliver'],
  ['explainDelivery', (c) => c.webhooks.delivery('d1'), 'GET /webhooks/deliveries/d1'],
  ['listReplays', (c) => c.webhooks.replays('w1'), 'GET /webhooks/w1/replays'],
  ['cancelReplay', (c) => c.webhooks.cancelReplay('w1', 'r/1'), 'DELETE /webhooks/w1/replays/r%2F1'],
  ['startReplay', (c) => c.webhooks.replay('w1', RANGE), 'POST /webhooks/w1/replay', RANGE],
  ['startReplay', (c) => c.webhooks.countReplay('w1', RANGE), 'POST /webhooks/w1/replay', { ...RANGE, dry_run: true }],
  ['createKey', (c) => c.keys.create({ scopes: ['read'] }), 'POST /keys', { scopes: ['read'] }],
  ['listKeys', (c) => c.keys.list(), 'GET /keys'],
  ['revokeKey', (c) => c.keys.revoke('k1'), 'DELETE /keys/k1'],
  ['startImport', (c) => c.imports.start({ content: '"A1"', format: 'ndjson', dry_run: true, order_id_column: 'B' }), 'POST /imports?order_id_column=B&dry_run=true', 'A1'],
  ['listImports', (c) => c.imports.list(), 'GET /imports'],
  ['getImport', (c) => c.imports.one('i1'), 'GET /imports/i1'],
  ['cancelImport', (c) => c.imports.cancel('i1'), 'DELETE /imports/i1'],
  ['stopTracking', (c) => c.trackings.stop('t1'), 'POST /trackings/t1/stop'],
  ['bulkRetrack', (c) => c.bulk.retrack({ status: '派送中' }), 'POST /bulk/retrack', { filter: { status: '派送中' } }],
  ['bulkRetrack', (c) => c.bulk.countShipments({ q: 'x' }), 'POST /bulk/retrack', { filter: { q: 'x' }, dry_run: true }],
  ['bulkStop', (c) => c.bulk.stop({ carrier: 'yto' }, { expected_count: 4, dry_run_id: 'd1' }), 'POST /bulk/stop', { filter: { carrier: 'yto' }, expected_count: 4, dry_run_id: 'd1' }],
  ['bulkDelete', (c) => c.bulk.delete({}, { all: true, expected_count: 4 }), 'POST /bulk/delete', { filter: {}, all: true, expected_count: 4 }],
  ['bulkRedeliver', (c) => c.bulk.redeliver({ outcome: 'failed' }), 'POST /bulk/redeliver', { filter: { outcome: 'failed' } }],
  ['bulkRedeliver', (c) => c.bulk.countMessages({ event: 'tracking_update' }), 'POST /bulk/redeliver', { filter: { event: 'tracking_update' }, dry_run: true }],
  ['listBulkActions', (c) => c.bulk.list(), 'GET /bulk'],
  ['getBulkAction', (c) => c.bulk.one('b1'), 'GET /bulk/b1'],
  ['cancelBulkAction', (c) => c.bulk.cancel('b1'), 'DELETE /bulk/b1'],
  ['getAccount', (c) => c.account.get(), 'GET /account'],
  ['getPages', (c) => c.account.pages(), 'GET /account/pages'],
  ['updatePages', (c) => c.account.changePages({ enabled: true }), 'PATCH /account/pages', { enabled: true }],
  ['getOrderPage', (c) => c.trackings.orderPage('A 1'), 'GET /orders/page?order_id=A+1'],
  ['renewPage', (c) => c.trackings.renewPage('t1'), 'POST /trackings/t1/page'],
  ['revokePage', (c) => c.trackings.revokePage('t1'), 'DELETE /trackings/t1/page'],
  ['getMe', (c) => c.auth.me(), 'GET /auth/me'],
  ['getStats', (c) => c.stats.get(), 'GET /stats'],
  ['getStats', (c) => c.stats.get({ from: '2031-04-01T00:00:00Z', interval: 'hour' }), 'GET /stats?from=2031-04-01T00%3A00%3A00Z&interval=hour'],
  ['listShipments', (c) => c.shipments.list({ q: 'blue jacket', needs_attention: true, sort: 'created_at', count: true }), 'GET /shipments?q=blue+jacket&sort=created_at&needs_attention=true&count=true'],
  ['getAttention', (c) => c.shipments.attention(), 'GET /attention'],
  ['getTracking', (c) => c.trackings.one('t1', { lang: 'de' }), 'GET /trackings/t1?lang=de'],
  ['listShipments', (c) => c.shipments.list({ limit: 1 }, { lang: 'zh' }), 'GET /shipments?limit=1&lang=zh'],
];

test.each(CALLS.map(([name, ask, line, body = null]) => [name, ask, line, body] as const))(
  '%s asks as the interface says, and gives the data',
  (_name, ask, line, body) =>
    withLocalApi(
      (response) => answer(response, { n: 1 }),
      async ({ client, requested }) => {
        expect(await ask(client)).toEqual({ n: 1 });
        expect(requested.map(({ method, path }) => `${method} ${path}`)).toEqual([line.replace(' ', ' /api/v1')]);
        expect(requested[0]?.body ?? null).toEqual(body);
      },
    ),
);

test('every operation can be called by its id, also one without a method', () =>
  withLocalApi(
    (response) => answer(response, { n: 1 }),
    async ({ client, requested }) => {
      const ids = Object.keys(ROUTES) as (keyof typeof ROUTES)[];
      for (const id of ids) expect(await client.call(id, { id: 'i1', replayId: 'r1' })).toEqual({ n: 1 });
      const lines = Object.values(ROUTES).map(({ method, path }) => `${method.toUpperCase()} /api/v1${path}`);
      expect(requested.map(({ method, path }) => `${method} ${path}`)).toEqual(
        lines.map((line) => line.replace(':id', 'i1').replace(':replay_id', 'r1')),
      );
    },
  ));

const page = (cursor: string | null) => ({ shipments: [{ id: `after ${cursor}` }], next_cursor: nextOf(cursor) });
const nextOf = (cursor: string | null) => ({ null: 'c1', c1: 'c2' })[String(cursor)] ?? null;
const cursorOf = (path: string, name = 'cursor') => new URL(path, 'http://x').searchParams.get(name);

test('shipments are listed page by page, and no page is requested before it is needed', () =>
  withLocalApi(
    (response, _nth, { path }) => answer(response, page(cursorOf(path))),
    async ({ client, requested }) => {
      const seen: unknown[] = [];
      for await (const { id } of client.shipments.iterate({ status: 'delivered' })) {
        seen.push([id, requested.length]);
      }
      expect(seen).toEqual([
        ['after null', 1],
        ['after c1', 2],
        ['after c2', 3],
      ]);
      expect(requested.every(({ path }) => path.includes('status=delivered'))).toBe(true);
      expect(requested.map(({ path }) => cursorOf(path, 'limit'))).toEqual(['200', '200', '200']);
    },
  ));

test.each([
  [{}, '-created_at'],
  [{ sort: 'updated_at' as const }, 'updated_at'],
  [{ cursor: 'c1' }, null],
])('all shipments are read in an order in which none moves, unless the caller names one: %j', (filter, sort) =>
  withLocalApi(
    (response, _nth, { path }) => answer(response, page(cursorOf(path))),
    async ({ client, requested }) => {
      for await (const _each of client.shipments.iterate(filter));
      expect(requested.length).toBeGreaterThan(1);
      expect(new Set(requested.map(({ path }) => cursorOf(path, 'sort')))).toEqual(new Set([sort]));
    },
  ),
);

test('a poll_url is requested from the configured base URL, whatever host it names', () =>
  withLocalApi(
    (response) => answer(response, { shipments: [{ id: 'a' }], next_cursor: null }),
    async ({ client, requested }) => {
      for (const ids of ['a,b', '']) {
        const poll = client.shipments.poll(`https://elsewhere.example/api/v1/shipments?ids=${ids}`);
        for await (const { id } of poll) expect(id).toBe('a');
      }
      expect(requested.map(({ path }) => cursorOf(path, 'ids'))).toEqual(['a,b', '']);
      expect(requested.every(({ path }) => path.startsWith('/api/v1/shipments?'))).toBe(true);
    },
  ));

describe('an export', () => {
  const csv = { 'content-type': 'text/csv; charset=utf-8' };

  async function read(file: AsyncIterable<Uint8Array>): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of file) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  test('is read in pieces, with the filters of a list', () =>
    withLocalApi(
      (response) => {
        response.writeHead(200, csv);
        response.write('a\r\n');
        setImmediate(() => response.end('b\r\n'));
      },
      async ({ client, requested }) => {
        expect(await read(client.shipments.csv({ carrier: 'yto', needs_attention: 'customs' }))).toBe('a\r\nb\r\n');
        expect(requested.map(({ path }) => path)).toEqual([
          '/api/v1/shipments.csv?carrier=yto&needs_attention=customs',
        ]);
      },
    ));

  test('of rejected rows is read in the same way', () =>
    withLocalApi(
      (response) => void response.writeHead(200, csv).end('number,rejected_because\r\n'),
      async ({ client, requested }) => {
        expect(await read(client.imports.rejected('i1'))).toBe('number,rejected_because\r\n');
        expect(requested.map(({ path }) => path)).toEqual(['/api/v1/imports/i1/rejected.csv']);
      },
    ));

  test('that breaks off is an error, and not a shorter file', () =>
    withLocalApi(
      (response) => {
        response.writeHead(200, csv);
        response.write('a\r\n', () => response.destroy());
      },
      async ({ client }) => {
        await expect(read(client.shipments.csv())).rejects.toMatchObject({ name: 'NoAnswerError', reason: 'network' });
      },
    ));

  test('that is refused is the error of the service, and is requested again where that helps', () =>
    withLocalApi(
      (response, nth) => (nth === 1 ? refuse(response, 503) : refuse(response, 400, 4130)),
      async ({ client, requested }) => {
        await expect(read(client.shipments.csv())).rejects.toMatchObject({ code: 4130 });
        expect(requested).toHaveLength(2);
      },
    ));
});

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

test('events that were removed before they were read are no silent gap', () =>
  withLocalApi(
    (response) => void response.writeHead(409).end(envelope(409, { next_cursor: 'known', events_removed: true })),
    async ({ client, requested }) => {
      const expected = { code: 409, nextCursor: 'known', eventsRemoved: true };
      await expect(client.events.pages({ after: 'old' }).next()).rejects.toMatchObject(expected);
      expect(requested).toHaveLength(1);
    },
  ));

test('a service that refuses its own cursor is not asked for ever', () =>
  withLocalApi(
    (response) => void response.writeHead(409).end(envelope(409, { next_cursor: 'again' })),
    async ({ client, requested }) => {
      await expect(client.events.iterate({ after: 'ahead' }).next()).rejects.toMatchObject({ code: 409 });
      expect(requested).toHaveLength(2);
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
  [{ baseUrl: 'api.example.com', apiKey: 'tk_1' }, /^The address of the service must be/],
  [{ baseUrl: 'ftp://api.example.com', apiKey: 'tk_1' }, /^The address of the service must be/],
  [{ baseUrl: 'https://api.example.com', apiKey: '' }, /^The API key is empty/],
  [{ baseUrl: 'https://api.example.com', apiKey: 'tk_1\n' }, /^The API key/],
  [{ baseUrl: 'https://api.example.com', apiKey: 'tk_1', userAgent: '商店/1' }, /^userAgent/],
  [{ baseUrl: 'https://api.example.com', apiKey: 'tk_1', maxRetries: Number.NaN }, /^maxRetries must be 0 or more/],
  [{ baseUrl: 'https://api.example.com', apiKey: 'tk_1', maxRetryDelayMs: -1 }, /^maxRetryDelayMs must be 0 or more/],
])('%j is refused before anything is sent', (options, message) => {
  expect(() => createClient(options)).toThrow(message);
});

test('an operation that does not exist is refused by name', () => {
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  expect(() => client.call('createParcel' as 'createTracking', {})).toThrow('there is no operation "createParcel"');
});

test('an operation without an id is refused, instead of requesting another path', () => {
  const { webhooks } = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  expect(() => webhooks.delete('')).toThrow('deleteWebhook needs an id');
});
