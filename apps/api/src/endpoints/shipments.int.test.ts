import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { EXPORT_COLUMNS } from '@pts/contract/shipments';
import { unguarded } from '@pts/core/csv';
import { toUtcSeconds } from '@pts/core/time';
import type { Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { revokeKeys } from '@pts/db/accounts/accounts';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { addSearchRows } from '@pts/db/testing/search-rows';
import { disableEndpoint } from '@pts/db/webhooks';
import { eventually } from '@pts/testing/eventually';
import { keyOf, newWebhook } from '@pts/testing/factories';
import { EVENT_STREAMS, STREAM_TIMES } from '../streaming/hubs.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

type Merchant = { id: string; key: string };

async function register(at: TestApi, key: string, parcels: object[]): Promise<string[]> {
  const { body } = await at.call('POST', '/trackings/batch', { key, body: parcels });
  expect(body.data.error).toEqual([]);
  return body.data.success.map(({ id }: { id: string }) => id);
}

/** The carrier answers with one scan. */
async function answer(at: TestApi, trackingId: string, scan: Partial<Scan>, more: Partial<Found> = {}): Promise<void> {
  const time = toUtcSeconds(new Date());
  const full = { time, timeRaw: time, zoneSource: 'carrier', location: 'Kiel', description: '', status: 'in_transit' };
  const found = { kind: 'found', scans: [{ ...full, ...scan }], ...more } as Found;
  await saveAnswers(at.db, [{ trackingId, answer: found, fingerprint: 'x', finalLook: false }], CADENCE, new Date());
}

const list = async ({ key }: Merchant, query: string) =>
  (await api.call('GET', `/shipments?${query}`, { key })).body.data;
const numbersOf = (data: { shipments: { tracking_number: string }[] }) =>
  data.shipments.map((shipment) => shipment.tracking_number).sort();

describe('GET /shipments', () => {
  let merchant: Merchant;
  let ids: string[];
  let estimatedDelivery: { from: string; to: string };
  beforeAll(async () => {
    merchant = await api.account();
    ids = await register(api, merchant.key, [
      { tracking_number: 'YT8800000000001', courier_code: 'yto', order_id: 'A-1001', title: 'Blue jacket' },
      { tracking_number: '1Z999AA10123456784', courier_code: 'ups', title: '蓝色外套' },
      { tracking_number: 'YT8800000000003', courier_code: 'yto', order_id: 'B-7' },
    ]);
    const day = toUtcSeconds(new Date(Date.now() + 2 * 86_400_000)).slice(0, 10);
    estimatedDelivery = { from: day, to: day };
    await answer(api, ids[0] ?? '', { description: 'Sorted' }, { estimatedDelivery });
    await answer(api, ids[1] ?? '', { status: 'exception', problem: 'customs', description: 'Held by customs' });
  });

  test('shows what a list in a console shows', async () => {
    const { shipments } = await list(merchant, 'q=blue');
    expect(shipments).toEqual([
      {
        id: ids[0],
        tracking_number: 'YT8800000000001',
        carrier: 'yto',
        status: '查询中',
        sub_status: 'in_transit',
        latest_event: expect.objectContaining({ description: 'Sorted' }),
        order_id: 'A-1001',
        title: 'Blue jacket',
        estimated_delivery: { ...estimatedDelivery, source: 'carrier' },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const [held] = (await list(merchant, 'needs_attention=true')).shipments;
    expect(held.attention).toEqual({ reason: 'customs', message: 'The parcel is held by customs.' });
  });

  test.each([
    ['part of a number, with separators', 'q=1z 999-aa1', ['1Z999AA10123456784']],
    ['part of an order id', 'q=1001', ['YT8800000000001']],
    ['a word of two Chinese characters', 'q=外套', ['1Z999AA10123456784']],
    ['what nothing has', 'q=nothing', []],
    [
      'nothing where all parameters are empty',
      'q=&carrier=&status=&needs_attention=&updated_after=&sort=&count=&limit=&cursor=',
      ['1Z999AA10123456784', 'YT8800000000001', 'YT8800000000003'],
    ],
    ['an empty list of ids, which has none', 'ids=&status=', []],
    ['a carrier', 'carrier=YTO', ['YT8800000000001', 'YT8800000000003']],
    ['several filters', 'carrier=yto&q=8800&status=pending', ['YT8800000000003']],
    ['what is active', 'status=active', ['1Z999AA10123456784', 'YT8800000000001', 'YT8800000000003']],
    ['what is active, of a carrier', 'status=active&carrier=ups', ['1Z999AA10123456784']],
    ['a reason for attention', 'needs_attention=customs', ['1Z999AA10123456784']],
    ['another reason', 'needs_attention=refused', []],
    ['times that have passed', 'created_before=2026-01-01T00:00:00Z', []],
    ['times in any zone', 'updated_after=2025-01-01T08:00:00%2B08:00&q=B-7', ['YT8800000000003']],
    ['years that the database does not know', 'updated_before=0000-01-01T00:00:00Z', []],
  ])('filters by %s', async (_what, query, numbers) => {
    expect(numbersOf(await list(merchant, query.replaceAll(' ', '%20')))).toEqual(numbers);
  });

  test.each(['-updated_at', 'updated_at', '-created_at', 'created_at'])(
    'sorted by %s, each page follows the last',
    async (sort) => {
      const field = sort.replace('-', '');
      const seen: Record<string, string>[] = [];
      let cursor = '';
      do {
        const page = await list(merchant, `sort=${sort}&limit=2&cursor=${cursor}`);
        seen.push(...page.shipments);
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen.map(({ id }) => id).sort()).toEqual([...ids].sort());
      const times = seen.map((shipment) => shipment[field] ?? '');
      const ascending = [...times].sort();
      expect(times).toEqual(sort.startsWith('-') ? ascending.reverse() : ascending);
    },
  );

  test('says how many match, if it is asked', async () => {
    expect(await list(merchant, 'carrier=yto&count=true&limit=1')).toMatchObject({
      total: 2,
      total_is_lower_bound: false,
    });
    expect(await list(merchant, 'carrier=yto')).not.toHaveProperty('total');
  });

  test('lists rows without a total while counting takes too long', async () => {
    const slow = await startTestApi({ databaseMs: 6000 });
    try {
      const { key } = await slow.account();
      await register(slow, key, [{ tracking_number: 'YT8800000000001', courier_code: 'yto' }]);
      await slow.db.$transaction(
        async (tx) => {
          // Registrations of a carrier are counted there; its newest changes are listed without it.
          await tx.$executeRaw`LOCK TABLE tracking_search IN ACCESS EXCLUSIVE MODE`;
          const { status, body } = await slow.call('GET', '/shipments?carrier=yto&count=true', { key });
          expect([status, body.data.shipments?.length]).toEqual([200, 1]);
          expect(body.data).not.toHaveProperty('total');
        },
        { timeout: 60_000 },
      );
    } finally {
      await slow.close();
    }
  });

  test('lists and counts a tracking once, however often its id is sent', async () => {
    const { shipments, total } = await list(merchant, `ids=${[ids[0], ids[1], ids[0]].join()}&count=true`);
    expect(shipments.map(({ id }: { id: string }) => id).sort()).toEqual([ids[0], ids[1]].sort());
    expect(total).toBe(2);
  });

  test('names the ids that are none, by their places', async () => {
    const { key } = await api.account();
    const { status, body } = await api.call('GET', `/shipments?ids=${ids[0]},x,${ids[1]},${'y,'.repeat(9)}z`, { key });
    expect([status, body.code]).toEqual([400, 4112]);
    expect(body.data.errors.map(({ field }: { field: string }) => field)).toEqual(
      [1, 3, 4, 5, 6].map((n) => `ids.${n}`),
    );
  });

  test.each([
    ['q=ab', 'q', /at least 3 characters, or 2 of Chinese/],
    ['carrier=nope', 'carrier', /GET \/api\/v1\/couriers\/all/],
    ['created_after=yesterday', 'created_after', /RFC 3339/],
    ['updated_before=2026-02-30T00:00:00Z', 'updated_before', /RFC 3339/],
    ['needs_attention=maybe', 'needs_attention', /customs/],
    ['sort=title', 'sort', /-updated_at/],
    ['count=1', 'count', /true/],
  ])('%s is refused, with the field and the fix', async (query, field, message) => {
    const { body } = await api.call('GET', `/shipments?${query}`, { key: merchant.key });
    expect(body).toMatchObject({ code: 4130, data: { errors: [{ field, message: expect.stringMatching(message) }] } });
  });

  test('lists, exports and acts on what has an order id and metadata, exactly', async () => {
    const { key } = await api.account();
    const parcels = [
      { order_id: 'A-1', metadata: { shop: 's1', 'x.y': 'é&=' } },
      { order_id: 'A-1', metadata: { shop: 's2' } },
      { order_id: 'A-10', metadata: { shop: 's1' } },
      {},
    ].map((given, n) => ({ tracking_number: `YT88000000077${n}0`, courier_code: 'yto', ...given }));
    const created = await register(api, key, parcels);
    const places = async (query: string) => {
      const { body } = await api.call('GET', `/shipments?sort=created_at&count=true&${query}`, { key });
      expect(body.data.total).toBe(body.data.shipments.length);
      return body.data.shipments.map((each: { id: string }) => created.indexOf(each.id)).sort();
    };
    expect(await places('order_id=A-1')).toEqual([0, 1]);
    expect(await places('order_id=a-1')).toEqual([]);
    expect(await places('metadata.shop=s1')).toEqual([0, 2]);
    expect(await places('metadata[shop]=s1&order_id=A-10')).toEqual([2]);
    expect(await places(`metadata.shop=s1&metadata.x.y=${encodeURIComponent('é&=')}`)).toEqual([0]);
    expect(await places(`metadata=${encodeURIComponent('{"shop":"s1","x.y":"é&="}')}`)).toEqual([0]);
    expect(await places('metadata={}&order_id=A-1')).toEqual([0, 1]);
    expect(await places('metadata.shop=S1')).toEqual([]);
    expect(await places('order_id=&metadata.shop=')).toEqual([]);
    const csv = await fetch(`${api.url}/api/v1/shipments.csv?metadata.shop=s2`, { headers: { 'X-API-Key': key } });
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(2);
    const filter = { order_id: 'A-1', metadata: { shop: 's2' } };
    const counted = await api.call('POST', '/bulk/stop', { key, body: { filter, dry_run: true } });
    expect(counted.body.data).toMatchObject({
      filter: { order_id: 'A-1', 'metadata.shop': 's2' },
      state: 'done',
      matched: 1,
    });
    for (const empty of [{ metadata: {} }, { metadata: {}, q: '' }]) {
      const all = await api.call('POST', '/bulk/delete', { key, body: { filter: empty } });
      expect(all.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'all' }] } });
    }
  });

  test.each([
    ['metadata=s1', 'metadata', /object/],
    ['metadata={"shop":"s1"', 'metadata', /object/],
    ['metadata={"shop":1}', 'metadata.shop', /text|string/],
    [`metadata.shop=${'x'.repeat(257)}`, 'metadata.shop', /256 characters/],
    ['metadata.shop=a&metadata.shop=b', 'metadata.shop', /one, not several/],
    ['meta.shop=a', 'meta.shop', /is unknown/],
    [`order_id=${'x'.repeat(101)}`, 'order_id', /100 characters/],
  ])('%s names nothing that a parcel can have', async (query, field, message) => {
    const { body } = await api.call('GET', `/shipments?${query}`, { key: merchant.key });
    expect(body).toMatchObject({ code: 4130, data: { errors: [{ field, message: expect.stringMatching(message) }] } });
  });

  test('a cursor of another order is refused', async () => {
    const { next_cursor: cursor } = await list(merchant, 'limit=1');
    const { body } = await api.call('GET', `/shipments?sort=created_at&cursor=${cursor}`, { key: merchant.key });
    expect(body).toMatchObject({ code: 4130, data: { errors: [{ field: 'cursor' }] } });
  });
});

test('GET /attention: the account itself, how many shipments for each reason, and the newest', async () => {
  const { id, key } = await api.account({ quota: 2 });
  expect((await api.call('GET', '/attention', { key })).body.data).toEqual({ account: [], reasons: [], newest: [] });
  const [held = '', waiting = ''] = await register(api, key, [
    { tracking_number: 'YT8800000000011', courier_code: 'yto' },
    { tracking_number: 'YT8800000000012', courier_code: 'yto' },
  ]);
  await answer(api, held, { status: 'exception', problem: 'customs', description: '清关异常' });
  await answer(api, waiting, { status: 'available_for_pickup' });
  const webhook = await newWebhook(api.db, id, new Date());
  await disableEndpoint(api.db, keyOf(webhook), 'it answered 410 Gone', new Date());
  const { data } = (await api.call('GET', '/attention', { key })).body;
  expect(data.account).toEqual([
    { reason: 'quota_exhausted', message: expect.stringContaining('quota of 2 units') },
    { reason: 'endpoint_disabled', message: expect.stringContaining('410 Gone'), webhook_id: webhook.id },
  ]);
  expect(data.reasons).toEqual([
    { reason: 'customs', message: 'it is held by customs', count: 1 },
    { reason: 'pickup', message: 'it is waiting at a pickup point', count: 1 },
  ]);
  expect(data.newest.map((shipment: { id: string }) => shipment.id).sort()).toEqual([held, waiting].sort());
});

describe('GET /shipments.csv', () => {
  const get = (at: TestApi, key: string, query = '') =>
    fetch(`${at.url}/api/v1/shipments.csv?${query}`, { headers: { 'X-API-Key': key } });

  /** The lines of a file as objects, read as the RFC says. */
  function parse(text: string): Record<string, string>[] {
    const cells = Array.from(text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g), ([, quoted, plain, end]) => ({
      cell: quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
      end,
    }));
    const lines: string[][] = [[]];
    for (const { cell, end } of cells) {
      lines.at(-1)?.push(cell);
      if (end !== ',') lines.push([]);
    }
    const [head = [], ...rest] = lines.slice(0, -1);
    return rest.map((line) => Object.fromEntries(head.map((name, n) => [name, line[n] ?? ''])));
  }

  test('is a file that spreadsheets open, and that can be registered again with leading zeros', async () => {
    const { key } = await api.account();
    const [id = ''] = await register(api, key, [
      { tracking_number: '00340434161094042557', courier_code: 'dhl', order_id: '0042', title: '=1+1, "蓝色"' },
    ]);
    await answer(api, id, { description: '-2 °C\nwarm', status: 'out_for_delivery' });
    const response = await get(api, key);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="shipments.csv"');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = bytes.subarray(3).toString();
    expect(text.split('\r\n')[0]).toBe(EXPORT_COLUMNS.join(','));
    const [line = {}] = parse(text);
    expect(line).toMatchObject({
      tracking_number: "'00340434161094042557",
      courier_code: 'dhl',
      status: '派送中',
      sub_status: 'out_for_delivery',
      order_id: "'0042",
      title: `'=1+1, "蓝色"`,
      latest_event_location: 'Kiel',
      latest_event_description: "'-2 °C\nwarm",
    });
    const again = { tracking_number: unguarded(line.tracking_number ?? ''), courier_code: line.courier_code };
    expect(await register(api, key, [again])).toEqual([id]);
  });

  test('has all pages of the list with the same filters, in its order', async () => {
    const { key } = await api.account();
    const parcels = Array.from({ length: 1200 }, (_, n) => ({
      tracking_number: `YT99${String(n).padStart(11, '0')}`,
      courier_code: 'yto',
      title: n % 2 === 0 ? 'Blue jacket' : 'Red shirt',
    }));
    for (let n = 0; n < parcels.length; n += 40) await register(api, key, parcels.slice(n, n + 40));
    const lines = parse(await (await get(api, key, 'q=jacket&sort=created_at')).text());
    expect(lines).toHaveLength(600);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(600);
    expect(lines.map(({ id = '' }) => unguarded(id))).toEqual(lines.map(({ id = '' }) => unguarded(id)).sort());
  });

  test('does not name the likeliest of several carriers', async () => {
    const { id, key } = await api.account();
    await register(api, key, [{ tracking_number: 'YT8800000000021', courier_code: 'yto' }]);
    const candidates = { candidates: [], at: 0 };
    await api.db.tracking.updateMany({ where: { accountId: id }, data: { detected: true, candidates } });
    const [line = {}] = parse(await (await get(api, key)).text());
    expect(line).toMatchObject({ tracking_number: 'YT8800000000021', courier_code: '' });
  });

  test('a wrong filter is refused like in a list, and a missing key, too', async () => {
    const { key } = await api.account();
    const refused = await get(api, key, 'q=ab&sort=title');
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 4130 }]);
    expect((await get(api, '')).status).toBe(401);
  });

  describe('of many parcels', () => {
    let many: TestApi;
    let merchant: Merchant;
    const stopping = new AbortController();
    let clock = 0;
    beforeAll(async () => {
      const hub = { listen: () => () => {} };
      const events = { ...EVENT_STREAMS, hub: { listen: () => null } };
      const streams = { hub, ...STREAM_TIMES, events, stopping: stopping.signal };
      // Every look at this clock is a second later, so that no lookup of a key is cached.
      const keyClock = () => (clock += 1000);
      many = await startTestApi({ streams, keyClock });
      merchant = await many.account();
      // More than the buffers between the two ends of a connection hold.
      const event = JSON.stringify({ time: '', location: '', description: 'x'.repeat(1500), status: 'in_transit' });
      await many.db.$executeRaw`
        INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, latest_event, updated_at)
        SELECT lpad(to_hex(i), 24, '0'), ${merchant.id}, 'N' || i, 'yto', false, 'scripted', '查询中', 'pending', ${event}::jsonb, now()
        FROM generate_series(1, 20000) i`;
      await addSearchRows(many.db);
    }, 60_000);
    afterAll(() => many.close());

    /** A reader that has not begun to read. */
    async function open(): Promise<IncomingMessage> {
      const request = httpRequest(`${many.url}/api/v1/shipments.csv`, { headers: { 'X-API-Key': merchant.key } });
      request.on('error', () => {}).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.pause();
      return response;
    }
    const leases = () => many.db.streamLease.count();
    const read = async (response: IncomingMessage) => {
      let length = 0;
      for await (const chunk of response) length += chunk.length;
      return length;
    };

    test('two can be open, and one whose client has gone is over', async () => {
      const [first, second] = [await open(), await open()];
      const third = await get(many, merchant.key);
      expect([third.status, await third.json()]).toMatchObject([
        429,
        { message: expect.stringContaining('2 open streams') },
      ]);
      for (const response of [first, second]) response.destroy();
      await eventually(async () => expect(await leases()).toBe(0));
    });

    test('a HEAD has its headers, and confirms the key for no page', async () => {
      const before = clock;
      const headers = { 'X-API-Key': merchant.key };
      const head = await fetch(`${many.url}/api/v1/shipments.csv`, { method: 'HEAD', headers });
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      await eventually(async () => expect(await leases()).toBe(0));
      expect(clock - before).toBeLessThan(10_000);
    });

    test('has each parcel once, also one that changes while the file is read', async () => {
      const response = await open();
      // Of the page that would be the last.
      await many.db
        .$executeRaw`UPDATE trackings SET updated_at = now() + interval '1 minute' WHERE tracking_number = 'N1'`;
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      const numbers = parse(text.slice(1)).map((line) => line.tracking_number);
      expect([numbers.length, new Set(numbers).size, numbers.includes('N1')]).toEqual([20_000, 20_000, true]);
    });

    test('one that fails breaks off, so that its file is known to be incomplete', async () => {
      const response = await open();
      await revokeKeys(many.db, merchant.id, new Date());
      await expect(read(response)).rejects.toThrow('aborted');
      await eventually(async () => expect(await leases()).toBe(0));
      await many.db.apiKey.updateMany({ where: { accountId: merchant.id }, data: { revokedAt: null } });
    });

    test('one that a stopping process cannot finish breaks off', async () => {
      const response = await open();
      stopping.abort();
      await expect(read(response)).rejects.toThrow('aborted');
    });
  });
});
