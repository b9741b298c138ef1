import { randomBytes } from 'node:crypto';
import { LANGUAGES, TEXTS } from '@pts/core/languages/texts';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { saveBatch } from '@pts/db/checks/answers';
import { type Db, openDatabase } from '@pts/db/connection';
import { keysOf } from '@pts/db/testing/parcel-keys';
import { createPageTokens, tokenKeysFrom } from '@pts/runtime/encryption/tokens';
import { pageAddresses } from '@pts/service/pages';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { checkAgainstDocument } from '../testing/test-contract.ts';

const NOW = new Date('2031-03-04T11:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const pageTokens = createPageTokens(tokenKeysFrom(randomBytes(32).toString('base64')));
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let database: Awaited<ReturnType<typeof testDatabase>>;
let api: TestApi;
let now = NOW;
beforeAll(async () => {
  database = await testDatabase();
  api = await startTestApi({ databaseUrl: database.url, pageTokens, now: () => now });
}, 60_000);
afterAll(async () => {
  await api.close();
  await database.close();
});
beforeEach(() => {
  now = NOW;
});

function scan(time: string, status: Scan['status'], description: string): Scan {
  return { time, timeRaw: time, zoneSource: 'carrier', location: '杭州市', description, status };
}

const HISTORY = [
  scan('2031-03-02T02:00:00Z', 'in_transit', '【杭州市】快递员张三（13812345678）已揽收'),
  scan('2031-03-04T01:00:00Z', 'out_for_delivery', '快递员王小明，电话：138****5678，正在派件'),
];
const DELIVERED = [...HISTORY, scan('2031-03-04T09:00:00Z', 'delivered', '已签收，签收人：李四')];

/** The product and the order are the buyer's; the rest nobody sees. */
const INPUTS = { phone: '5678', order_id: 'ORDER-77', title: 'Blue jacket', metadata: { note: 'for Ann' } };

type Merchant = { id: string; key: string };

async function merchant(settings: object = {}): Promise<Merchant> {
  const account = await api.account();
  await change(account.key, { enabled: true, ...settings });
  return account;
}

const change = (key: string, body: object) => api.call('PATCH', '/account/pages', { key, body });

async function register(key: string, number = 'YT8962646785999'): Promise<string> {
  const body = { tracking_number: number, ...INPUTS };
  return (await api.call('POST', '/trackings/create', { key, body })).body.data.id;
}

type Estimate = { from: string; to: string };

async function report(trackingId: string, scans: Scan[], estimate?: Estimate, carrier = 'yto'): Promise<void> {
  await answerWith(trackingId, { kind: 'found', scans, ...(estimate && { estimatedDelivery: estimate }) }, carrier);
}

async function answerWith(trackingId: string, answer: CarrierAnswer, carrier = 'yto'): Promise<void> {
  const [key] = await keysOf(api.db, [trackingId]);
  const changed = {
    trackingId,
    accountId: key?.accountId ?? '',
    carrier,
    answer,
    fingerprint: randomBytes(4).toString('hex'),
    finalLook: false,
  };
  await saveBatch(api.db, [changed], CADENCE, now, pageAddresses(pageTokens, 'https://track.example.com'));
}

async function addressOf(key: string, id: string): Promise<string> {
  return (await api.call('GET', `/trackings/${id}`, { key })).body.data.tracking_page_url;
}

/** The newest event, which has this status. It appears once no older transaction is open on the server. */
function pushed(key: string, subStatus: string) {
  return eventually(async () => {
    const newest = (await api.call('GET', '/events', { key })).body.data.events.at(-1);
    expect(newest?.data.sub_status).toBe(subStatus);
    return newest.data;
  });
}

const pushedAddress = async (key: string, subStatus: string): Promise<string | undefined> =>
  (await pushed(key, subStatus)).tracking_page_url;

/** A parcel with a page. */
async function parcel(settings: object = {}, scans = HISTORY): Promise<Merchant & { trackingId: string; url: string }> {
  const account = await merchant(settings);
  const trackingId = await register(account.key);
  await report(trackingId, scans);
  return { ...account, trackingId, url: await addressOf(account.key, trackingId) };
}

describe('an order of several parcels', () => {
  const numbers = ['YT8962646785999', 'YT8962646786001', 'YT8962646786005'];
  type Given = { order_id?: string; phone?: string; postal_code?: string };
  const add = async (key: string, number: string, given: Given = {}): Promise<string> => {
    const body = { tracking_number: number, courier_code: 'yto', order_id: 'A-1', ...given };
    return (await api.call('POST', '/trackings/create', { key, body })).body.data.id;
  };
  const orderOf = async (key: string, order = 'A-1') =>
    (await api.call('GET', `/orders/page?order_id=${encodeURIComponent(order)}`, { key })).body;
  const read = async (url: string) => JSON.parse((await open(`${url}.json?lang=en`)).body).data;
  const numbersIn = (page: { order?: { parcels: { tracking_number: string }[] } }) =>
    (page.order?.parcels ?? []).map((each) => each.tracking_number).sort();

  test('has one page with one headline, from the link of the order and of each of its parcels', async () => {
    const { key } = await merchant();
    const ids = [];
    for (const number of numbers) ids.push(await add(key, number));
    await add(key, 'YT8962646786017', { order_id: 'A-2' });
    await report(ids[0] ?? '', DELIVERED);
    const { data } = await orderOf(key);
    expect(data).toMatchObject({ order_id: 'A-1', parcels: 3 });
    const urls = await Promise.all(ids.map((id) => addressOf(key, id)));
    expect(urls).toContain(data.tracking_page_url);
    for (const url of urls) {
      const page = await read(url);
      expect(page.order.headline).toBe('1 of 3 parcels have been delivered');
      expect(numbersIn(page)).toEqual(numbers);
      const places = page.order.parcels.map((each: { url: string }) => new URL(each.url, url).href);
      expect(places.sort()).toEqual([...urls].sort());
      const { body } = await open(`${url}?lang=en`);
      expect(body.match(/<h1>[^<]*<\/h1>/g)).toEqual(['<h1>1 of 3 parcels have been delivered</h1>']);
    }
    for (const id of ids.slice(1)) await report(id, DELIVERED);
    expect((await read(urls[1] ?? '')).order.headline).toBe('All 3 parcels have been delivered');
  });

  test('shows no parcel that is revoked, deleted, expired, of another account or of another recipient', async () => {
    const [{ key }, other] = [await merchant(), await merchant()];
    const [own = '', revoked = '', deleted = '', ended = '', elsewhere = ''] = [
      await add(key, numbers[0] ?? '', { phone: '5678' }),
      await add(key, numbers[1] ?? ''),
      await add(key, numbers[2] ?? ''),
      await add(key, 'YT8962646786017'),
      await add(key, 'YT8962646786023', { phone: '9999' }),
    ];
    await add(other.key, 'YT8962646786031');
    const url = await addressOf(key, own);
    const endedUrl = await addressOf(key, ended);
    expect(numbersIn(await read(url))).toHaveLength(4);
    expect(numbersIn(await read(await addressOf(key, elsewhere)))).not.toContain(numbers[0]);
    await api.call('DELETE', `/trackings/${revoked}/page`, { key });
    await api.call('DELETE', `/trackings/${deleted}`, { key });
    await report(ended, DELIVERED);
    expect(numbersIn(await read(url))).toEqual([numbers[0], 'YT8962646786017']);
    now = new Date(NOW.getTime() + 100 * 86_400_000);
    expect(await read(url)).not.toHaveProperty('order');
    // Its own page has expired, that of its order has not.
    expect((await read(endedUrl)).carriers[0].tracking_number).not.toBe('YT8962646786017');
  });

  test('that is a word for many parcels has no page, and an unknown one no link', async () => {
    const { key } = await merchant();
    const body = Array.from({ length: 21 }, (_, n) => ({
      tracking_number: `YT89626467${86200 + n}`,
      courier_code: 'yto',
      order_id: 'none',
    }));
    const created = (await api.call('POST', '/trackings/batch', { key, body })).body.data.success;
    expect(await read(await addressOf(key, created[0].id))).not.toHaveProperty('order');
    expect(await orderOf(key, 'A-9')).toMatchObject({ code: 4102 });
    await change(key, { enabled: false });
    expect((await orderOf(key, 'none')).data).toMatchObject({ tracking_page_url: null, parcels: 21 });
  });
});

type Seen = { status: number; headers: Headers; body: string };

async function open(url: string, headers: Record<string, string> = {}): Promise<Seen> {
  // Otherwise fetch asks for an answer without caches whenever it is given a tag.
  const response = await fetch(url, { headers: { 'Accept-Language': '*', ...headers } });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** An answer without what differs in every answer. */
function comparable({ status, headers, body }: Seen) {
  return { status, body, headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)) };
}

describe('a buyer', () => {
  test('sees the parcel, in the language of the browser or of the link, and nothing private', async () => {
    const { url, id, trackingId, key } = await parcel({ name: 'Nordlicht', support_url: 'mailto:help@shop.example' });
    expect(new URL(url).pathname).toMatch(/^\/t\/[A-Za-z0-9_-]{22}$/);
    const english = await open(url);
    expect(english.status).toBe(200);
    expect(english.body).toMatch(
      /<html lang="en" dir="ltr">[\s\S]*<h1>Out for delivery today, <span>Tue,? 4 March<\/span><\/h1>/,
    );
    expect(english.body).toContain('mailto:help@shop.example');
    expect(english.body).toContain('快递员•••，电话：•••，正在派件');
    expect((await open(url, { 'Accept-Language': 'nl, zh-CN;q=0.8, de;q=0.5' })).body).toContain('<html lang="zh"');
    expect((await open(`${url}?lang=ar`, { 'Accept-Language': 'de' })).body).toContain('<html lang="ar" dir="rtl">');
    expect((await open(`${url}?lang=xx`, { 'Accept-Language': 'de' })).body).toContain('<html lang="de"');
    const json = await open(`${url}.json`);
    for (const own of ['ORDER-77', 'Blue jacket'])
      expect([english.body, json.body].map((seen) => seen.includes(own))).toEqual([true, true]);
    await change(key, { hide_order: true });
    expect((await open(url)).body + (await open(`${url}.json`)).body).not.toMatch(/ORDER-77|Blue jacket/);
    for (const secret of ['张三', '王小明', '5678', 'for Ann', id, trackingId, key, 'merchant'])
      expect([secret, (english.body + json.body).includes(secret)]).toEqual([secret, false]);
  });

  test('gets headers that keep the page private, and no cookie', async () => {
    const { url } = await parcel();
    const { headers } = await open(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'Accept, Accept-Language',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
    });
    expect(headers.get('set-cookie')).toBeNull();
    const robots = await open(new URL('/robots.txt', url).href);
    expect(robots.body).toBe('User-agent: *\nDisallow: /t/\nDisallow: /api/\n');
  });

  test('gets 304 until something changes, the language or the day included', async () => {
    const { url, trackingId } = await parcel();
    const tag = (await open(url)).headers.get('etag') ?? '';
    expect((await open(url, { 'If-None-Match': tag })).status).toBe(304);
    expect((await open(`${url}?lang=de`, { 'If-None-Match': tag })).status).toBe(200);
    now = new Date('2031-03-05T11:00:00Z');
    expect((await open(url, { 'If-None-Match': tag })).status).toBe(200);
    now = NOW;
    await report(trackingId, DELIVERED);
    expect((await open(url, { 'If-None-Match': tag })).body).toMatch(/Delivered <span>Tue,? 4 March/);
  });

  test('reads the days of the place, in a destination that has several zones', async () => {
    const { key } = await merchant();
    const body = { tracking_number: '1Z999AA10123456784', courier_code: 'ups', destination_country: 'US' };
    const { id } = (await api.call('POST', '/trackings/create', { key, body })).body.data;
    const delivered = { ...scan('2031-03-04T05:30:00Z', 'delivered', 'Delivered'), location: 'LOS ANGELES, CA, US' };
    await report(id, [delivered], undefined, 'ups');
    const page = await open(await addressOf(key, id));
    expect(page.body).toMatch(/<h1>Delivered <span>Mon,? 3 March<\/span><\/h1>[\s\S]*<h3>Yesterday<[\s\S]*>21:30</);
  });

  test('can read the same as JSON, as it is documented', async () => {
    const { url } = await parcel({ shop_url: 'https://shop.example', logo: LOGO });
    const [bySuffix, byHeader] = [
      await open(`${url}.json?lang=de`),
      await open(`${url}?lang=de`, { Accept: 'application/json' }),
    ];
    expect(byHeader.body).toBe(bySuffix.body);
    const { code, data } = JSON.parse(bySuffix.body);
    expect([code, data]).toMatchObject([
      200,
      {
        lang: 'de',
        headline: expect.stringContaining('Heute in Zustellung'),
        sub_status: 'out_for_delivery',
        sub_status_text: 'In Zustellung',
        carriers: [{ name: 'YTO Express', tracking_number: 'YT8962646785999' }],
        events: [{ description: '快递员•••，电话：•••，正在派件', lang: 'zh', local_time: '2031-03-04T09:00:00' }, {}],
        shop: { url: 'https://shop.example/', logo_url: `${new URL(url).pathname.slice(3)}/logo` },
      },
    ]);
    const requested = new URL('/api/v1/t/token.json', url);
    checkAgainstDocument('GET', requested, { ...bySuffix, body: JSON.parse(bySuffix.body) });
  });

  test('reads when the carrier expects to deliver, and that it is late', async () => {
    const { url, trackingId } = await parcel({}, []);
    const estimate = { from: '2031-03-06', to: '2031-03-06' };
    await report(trackingId, HISTORY.slice(0, 1), estimate);
    expect((await open(url)).body).toMatch(/Expected <span>Thu,? 6 March<\/span>[\s\S]*According to the carrier/);
    now = new Date('2031-03-07T11:00:00Z');
    expect((await open(url)).body).toMatch(/Originally expected Thu,? 6 March\. There is no new date yet\./);
  });

  test('reads where the parcel waits, and then to whom it was handed, but not by whom it was signed for', async () => {
    const { key } = await merchant();
    const id = await register(key);
    const url = await addressOf(key, id);
    const waits = [...HISTORY, scan('2031-03-04T08:00:00Z', 'available_for_pickup', '请凭码取件')];
    const pickupPoint = { name: '菜鸟驿站', address: '文三路 1 号', openingHours: '09:00–21:00' };
    await answerWith(id, { kind: 'found', scans: waits, pickupPoint });
    const read = async () => JSON.parse((await open(`${url}.json?lang=en`)).body).data;
    expect((await read()).pickup_point).toEqual({
      name: '菜鸟驿站',
      address: '文三路 1 号',
      opening_hours: '09:00–21:00',
      map_url: `https://www.openstreetmap.org/search?query=${encodeURIComponent('文三路 1 号')}`,
    });
    await answerWith(id, { kind: 'found', scans: waits, pickupPoint: { ...pickupPoint, openingHours: '24/7' } });
    expect((await read()).pickup_point.opening_hours).toBe('24/7');
    const proof = { to: 'neighbor', signedBy: '李四' } as const;
    await answerWith(id, {
      ...{ kind: 'found', pickupPoint },
      scans: [...waits, { ...scan('2031-03-04T09:00:00Z', 'delivered', '已签收'), proof }],
    });
    const page = await read();
    expect(page).toMatchObject({ delivered_to: 'neighbor', delivered_to_text: 'a neighbour', signed_by: '•••' });
    expect(page).not.toHaveProperty('pickup_point');
    expect(page.events[0]).toMatchObject({ text: 'Delivered', description: '已签收', lang: 'zh' });
    const { body } = await open(url);
    expect(body).toMatch(/<b dir="auto">Delivered<\/b><q lang="zh" dir="auto">已签收<\/q>/);
    expect(body).not.toMatch(/李四|菜鸟驿站/);
  });

  test('costs no write and no call: the page is shown from a database that takes no writes', async () => {
    const { url } = await parcel();
    const address = new URL(database.url);
    address.searchParams.set('options', '-c default_transaction_read_only=on');
    const db: Db = openDatabase({ url: address.href, poolSize: 2, ...PATIENT });
    const reading = await startTestApi({ databaseUrl: database.url, db, pageTokens, providers: [], now: () => now });
    try {
      await expect(db.account.create({ data: { id: '0'.repeat(24), name: 'x', plan: 'free' } })).rejects.toThrow();
      const page = await open(`${reading.url}${new URL(url).pathname}`);
      expect([page.status, page.body.includes('YT8962646785999')]).toEqual([200, true]);
    } finally {
      await reading.close();
      await db.$disconnect();
    }
  });
});

describe('a stranger', () => {
  const unknown = () => `/t/${randomBytes(16).toString('base64url')}`;

  test('gets the same answer for every link that leads nowhere, whatever the reason', async () => {
    const { url, key, trackingId } = await parcel();
    const valid = new URL(url);
    const nowhere = new URL(unknown(), url).href;
    const expected = comparable(await open(nowhere));
    expect(expected).toMatchObject({ status: 404, body: expect.stringContaining('Page not found') });
    const same = async (link: string) => expect(comparable(await open(link))).toEqual(expected);

    await same(new URL('/t/YT8962646785999', url).href);
    await same(new URL(`/t/${trackingId}`, url).href);
    await same(`${url}a`);
    await same(`${url}/history`);
    await same(new URL('/t/%E0%A4%A', url).href);
    for (let bit = 0; bit < 128; bit += 9) {
      const bytes = Buffer.from(valid.pathname.slice(3), 'base64url');
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await same(new URL(`/t/${bytes.toString('base64url')}`, url).href);
    }
    // An old link, a revoked one, pages that are off, an account that is disabled, and a parcel that was deleted.
    await api.call('POST', `/trackings/${trackingId}/page`, { key });
    await same(url);
    const renewed = await addressOf(key, trackingId);
    await api.call('DELETE', `/trackings/${trackingId}/page`, { key });
    await same(renewed);
    const second = await parcel();
    await change(second.key, { enabled: false });
    await same(second.url);
    const third = await parcel();
    await api.db.account.update({ where: { id: third.id }, data: { disabledAt: NOW } });
    await same(third.url);
    const fourth = await parcel();
    await api.call('DELETE', `/trackings/${fourth.trackingId}`, { key: fourth.key });
    await same(fourth.url);
  });

  test('finds nothing with 10,000 guesses', async () => {
    await parcel();
    const guesses = Array.from({ length: 10_000 }, () => pageTokens.open(randomBytes(16).toString('base64url')));
    const ids = guesses.flatMap((page) => page?.trackingId ?? []);
    expect(ids).toHaveLength(10_000);
    expect(await api.db.tracking.count({ where: { id: { in: ids } } })).toBe(0);
  });

  test('finds no page by a tracking number: no path and no parameter takes one', async () => {
    const { url } = await parcel();
    for (const path of [
      '/t',
      '/t/',
      '/t?tracking_number=YT8962646785999',
      '/t/YT8962646785999',
      '/track/YT8962646785999',
    ])
      expect([path, (await open(new URL(path, url).href)).status]).toEqual([path, 404]);
  });

  test('is limited by network, before anything is looked up', async () => {
    const { url } = await parcel();
    const { pathname } = new URL(url);
    const limited = await startTestApi({
      ...{ databaseUrl: database.url, pageTokens, limits: ['pages=3'], limitWindowSeconds: 3600, trustProxy: '1' },
    });
    try {
      const from = (address: string, path = pathname) => open(`${limited.url}${path}`, { 'X-Forwarded-For': address });
      const statuses = async (addresses: string[]) => {
        const seen = [];
        for (const address of addresses) seen.push((await from(address)).status);
        return seen;
      };
      expect(await statuses(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'])).toEqual([
        200, 200, 200, 429,
      ]);
      expect((await from('2001:db8::5', unknown())).status).toBe(429);
      expect((await from('192.0.2.1')).status).toBe(200);
      const refused = await from('2001:db8::1');
      expect([refused.headers.get('retry-after'), refused.body.includes('Too many requests')]).toEqual(['120', true]);
      expect(refused.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/);
      const inFrame = await from('2001:db8::1', `${pathname}/embed`);
      expect([inFrame.status, inFrame.headers.get('x-frame-options')]).toEqual([429, null]);
      expect(inFrame.headers.get('content-security-policy')).toMatch(/frame-ancestors \*$/);
    } finally {
      await limited.close();
    }
  });

  test('finds no link in the log', async () => {
    const lines: string[] = [];
    const { url } = await parcel();
    const logging = await startTestApi({ databaseUrl: database.url, pageTokens, log: (line) => lines.push(line) });
    const { pathname } = new URL(url);
    for (const path of [pathname, `${pathname}.json`, `${pathname}/embed`, `${pathname}/logo`, `${pathname}/x`])
      await open(`${logging.url}${path}`);
    // As it is when a shop puts the path behind an address that ends with a slash.
    await open(`${logging.url}/${pathname}`);
    await logging.close();
    expect(lines.filter((line) => line.includes('"path":"/t/…"'))).toHaveLength(5);
    expect(lines.filter((line) => line.includes('"path":"//t/…"'))).toHaveLength(1);
    expect(lines.join()).not.toContain(pathname.slice(3));
  });
});

/** Posts the form that finds parcels. */
async function post(url: string, entries: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(entries) },
    headers: { 'Accept-Language': 'en', ...headers },
  });
  const body = await response.text();
  return { status: response.status, location: response.headers.get('location'), headers: response.headers, body };
}

describe('a buyer without a link', () => {
  const NUMBERS = ['YT8962646785999', 'YT8962646786001'];
  /** A shop with a parcel, and what its form answers. */
  async function shop(given: object = {}, settings: object = {}) {
    const account = await merchant({ allow_lookup: true, name: 'Nordlicht', color: '#0b6b58', ...settings });
    const body = {
      tracking_number: NUMBERS[0],
      courier_code: 'yto',
      order_id: 'A-1001',
      postal_code: 'EC1A 1BB',
      ...given,
    };
    const { id } = (await api.call('POST', '/trackings/create', { key: account.key, body })).body.data;
    const { lookup_url } = (await api.call('GET', '/account/pages', { key: account.key })).body.data;
    return { ...account, trackingId: id as string, lookupUrl: lookup_url as string };
  }

  // biome-ignore format: one order per line is readable as a table
  test.each([
    [{}, 'A-1001', 'EC1A 1BB'],
    [{}, ' #A-1001 ', 'ec1a1bb'],
    [{ order_id: '#1002', postal_code: '24159' }, '1002', '２４１５９'],
    [{ order_id: '#1002', postal_code: '24159' }, '#1002', '24-159'],
    [{ order_id: 'b-7', postal_code: '310000' }, 'b-7', '310000'],
    [{ order_id: 'B-7', postal_code: '310000' }, 'b-7', ' 310000'],
  ])('finds the parcel of %j by order %s and postal code %s', async (given, order_id, postal_code) => {
    const { key, trackingId, lookupUrl } = await shop(given);
    const form = await open(lookupUrl, { 'Accept-Language': 'de' });
    expect([form.status, form.headers.get('content-security-policy')]).toEqual([200, expect.stringContaining("form-action 'self'")]);
    expect(form.body).toMatch(/Nordlicht[\s\S]*<h1>Sendung finden<\/h1>/);
    const found = await post(lookupUrl, { order_id, postal_code });
    expect(found.status).toBe(303);
    expect(new URL(found.location ?? '', lookupUrl).href).toBe(`${await addressOf(key, trackingId)}?lang=en`);
  });

  test('gets one answer whichever entry is wrong, and for parcels that no link leads to', async () => {
    const { key, trackingId, lookupUrl } = await shop();
    const other = await shop({ order_id: 'B-2' });
    const seen = async (order_id: string, postal_code: string) => {
      const { status, body } = await post(lookupUrl, { order_id, postal_code });
      return { status, body: body.replace(/value="[^"]*"/g, '') };
    };
    const wrong = await seen('A-1001', '99999');
    expect([wrong.status, wrong.body]).toEqual([404, expect.stringContaining('No parcel matches these details')]);
    for (const [order, code] of [
      ['A-9', 'EC1A1BB'],
      ['B-2', 'EC1A1BB'],
      ['', ''],
      ['A-1001', '--'],
      ['%', '%'],
    ] as const)
      expect(await seen(order, code)).toEqual(wrong);
    expect((await post(other.lookupUrl, { order_id: 'B-2', postal_code: 'EC1A1BB' })).status).toBe(303);
    await api.call('DELETE', `/trackings/${trackingId}/page`, { key });
    expect(await seen('A-1001', 'EC1A1BB')).toEqual(wrong);
    await api.call('POST', `/trackings/${trackingId}/page`, { key });
    await report(trackingId, DELIVERED);
    now = new Date('2031-07-01T00:00:00Z');
    expect(await seen('A-1001', 'EC1A1BB')).toEqual(wrong);
  });

  test('has the form on the 404 of a former link, where the shop allows it', async () => {
    const { key, trackingId, lookupUrl } = await shop();
    const url = await addressOf(key, trackingId);
    await api.call('DELETE', `/trackings/${trackingId}/page`, { key });
    const former = await open(url, { 'Accept-Language': 'en' });
    expect(former.status).toBe(404);
    expect(former.body).toContain(`<form method="post" action="${new URL(lookupUrl).pathname.slice(3)}?lang=en">`);
    expect((await open(`${url}.json`)).status).toBe(404);
    expect((await post(url, { order_id: 'A-1001', postal_code: 'EC1A1BB' })).body).toContain('Page not found');
    await change(key, { allow_lookup: false });
    expect((await open(url)).body).not.toContain('<form');
    expect((await open(lookupUrl)).status).toBe(404);
    expect((await api.call('GET', '/account/pages', { key })).body.data).toMatchObject({
      allow_lookup: false,
      lookup_url: null,
    });
    await change(key, { allow_lookup: true, enabled: false });
    expect((await post(lookupUrl, { order_id: 'A-1001', postal_code: 'EC1A1BB' })).body).toContain('Page not found');
  });

  test('may try ten times an hour for an order, and sixty times from a network', async () => {
    const { lookupUrl } = await shop();
    const limited = await startTestApi({ databaseUrl: database.url, pageTokens, trustProxy: '1' });
    try {
      const url = `${limited.url}${new URL(lookupUrl).pathname}`;
      const guess = (order_id: string, postal_code: string, address: string) =>
        post(url, { order_id, postal_code }, { 'X-Forwarded-For': address });
      // Spellings of an order count together, from all networks; what is right is refused as well.
      for (let n = 0; n < 10; n++)
        expect((await guess(n % 2 ? 'a1001' : 'A-1001', `${n}`, `192.0.2.${n}`)).status).toBe(404);
      const refused = await guess('A-1001', 'EC1A1BB', '198.51.100.1');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
      expect(refused.body).toContain('Too many attempts');
      for (let n = 0; n < 60; n++) expect((await guess(`C-${n}`, '1', '203.0.113.9')).status).toBe(404);
      expect((await guess('C-60', '1', '203.0.113.9')).status).toBe(429);
      expect((await guess('C-60', '1', '203.0.113.10')).status).toBe(404);
    } finally {
      await limited.close();
    }
  });

  test('cannot post more than a form', async () => {
    const { lookupUrl } = await shop();
    expect((await post(lookupUrl, { order_id: 'x'.repeat(5000), postal_code: '1' })).status).toBeGreaterThanOrEqual(
      400,
    );
    expect((await post(lookupUrl, {})).status).toBe(404);
  });
});

describe('a page that has expired', () => {
  const LATER = new Date('2031-06-03T09:00:01Z');

  test('is gone 90 days after the delivery, and says only whose it was', async () => {
    const { url } = await parcel({ name: 'Nordlicht', shop_url: 'https://shop.example' }, DELIVERED);
    now = new Date('2031-06-02T09:00:00Z');
    expect((await open(url)).status).toBe(200);
    now = LATER;
    const gone = await open(`${url}?lang=de`);
    expect([gone.status, gone.headers.get('etag')]).toEqual([410, null]);
    expect(gone.body).toContain('Diese Seite ist abgelaufen');
    expect(gone.body).toContain('https://shop.example');
    expect(gone.body).not.toMatch(/YT8962646785999|YTO|杭州/);
    const docs_url = `${api.url}/docs/tracking-page`;
    expect(gone.headers.get('link')).toBe(`<${docs_url}>; rel="help"`);
    expect(JSON.parse((await open(`${url}.json`)).body)).toMatchObject({ code: 410, data: { docs_url } });
  });

  test.each(LANGUAGES)(
    'has the form in %s where the shop allows it, which finds the other parcels of a buyer',
    async (language) => {
      const { url, key } = await parcel({ allow_lookup: true, embed_origins: ['https://shop.example'] }, DELIVERED);
      const body = { tracking_number: 'YT8962646786001', order_id: 'B-2', postal_code: '24159' };
      const { id } = (await api.call('POST', '/trackings/create', { key, body })).body.data;
      now = LATER;
      const gone = await open(`${url}?lang=${language}`);
      expect(gone.status).toBe(410);
      expect(gone.headers.get('content-security-policy')).toContain("form-action 'self'");
      expect(gone.body).toContain(TEXTS[language].page.gone.title);
      expect(gone.body).not.toMatch(/YT8962646785999|YTO|杭州|ORDER-77/);
      const [, action = ''] = /<form method="post" action="([^"]+)">/.exec(gone.body) ?? [];
      const found = await post(new URL(action, url).href, { order_id: 'B-2', postal_code: '24159' });
      expect(new URL(found.location ?? '', url).href).toBe(`${await addressOf(key, id)}?lang=${language}`);
      // Neither an API client nor the frame of a shop posts it.
      expect((await open(`${url}.json`)).status).toBe(410);
      expect((await open(`${url}/embed`)).body).not.toContain('<form');
      await change(key, { allow_lookup: false });
      const { status, body: without } = await open(`${url}?lang=${language}`);
      expect([status, without.includes('<form')]).toEqual([410, false]);
    },
  );

  test('is shown in the frames of its shop, too', async () => {
    const origin = 'https://shop.example';
    const { url, key } = await parcel({ embed_origins: [origin], shop_url: origin }, DELIVERED);
    now = LATER;
    const { status, headers, body } = await open(`${url}/embed`);
    expect([status, headers.get('x-frame-options')]).toEqual([410, null]);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors https:\/\/shop\.example$/);
    expect(body).toContain('<base target="_blank">');
    await change(key, { embed_origins: [] });
    expect((await open(`${url}/embed`)).status).toBe(404);
  });

  test('is gone as long after its carrier has rejected the number, unless it is checked again', async () => {
    const { key } = await merchant();
    const id = await register(key);
    await answerWith(id, { kind: 'failed', failure: 'invalid_number', message: 'No such number.' });
    const url = await addressOf(key, id);
    expect((await open(url)).status).toBe(200);
    now = LATER;
    expect((await open(url)).status).toBe(410);
    await api.call('POST', `/trackings/retrack/${id}`, { key });
    expect((await open(url)).status).toBe(200);
  });

  test('after as many days as the account has chosen', async () => {
    const { url, key } = await parcel({ gone_after_days: 1 }, DELIVERED);
    now = new Date('2031-03-05T09:00:01Z');
    expect((await open(url)).status).toBe(410);
    await change(key, { gone_after_days: 365 });
    now = LATER;
    expect((await open(url)).status).toBe(200);
  });

  test('a parcel that is still on its way keeps its page', async () => {
    const { url } = await parcel();
    now = LATER;
    expect((await open(url)).status).toBe(200);
  });
});

describe('a shop', () => {
  test('has pages only once it turns them on: for parcels of before too, in records and in pushes', async () => {
    const { key } = await api.account();
    const id = await register(key);
    expect((await api.call('GET', '/account/pages', { key })).body.data).toMatchObject({
      enabled: false,
      gone_after_days: 90,
    });
    await report(id, HISTORY);
    expect([await addressOf(key, id), await pushedAddress(key, 'out_for_delivery')]).toEqual([undefined, undefined]);
    await change(key, { enabled: true });
    const url = await addressOf(key, id);
    expect((await open(url)).status).toBe(200);
    const [found] = (await api.call('GET', '/trackings/get?tracking_numbers=YT8962646785999', { key })).body.data
      .success;
    expect(found.tracking_page_url).toBe(url);
    await report(id, DELIVERED);
    expect(await pushedAddress(key, 'delivered')).toBe(`https://track.example.com${new URL(url).pathname}`);
    await change(key, { enabled: false });
    expect(await addressOf(key, id)).toBeUndefined();
    await change(key, { enabled: true });
    expect(await addressOf(key, id)).toBe(url);
  });

  test('renews and revokes the link of a parcel, which pushes follow', async () => {
    const { key, trackingId, url } = await parcel();
    const renewed = await api.call('POST', `/trackings/${trackingId}/page`, { key });
    const next = renewed.body.data.tracking_page_url;
    expect([next === url, (await open(url)).status, (await open(next)).status]).toEqual([false, 404, 200]);
    expect(await addressOf(key, trackingId)).toBe(next);
    expect((await api.call('DELETE', `/trackings/${trackingId}/page`, { key })).body.data).toEqual({
      id: trackingId,
      tracking_page_url: null,
    });
    expect([(await open(next)).status, await addressOf(key, trackingId)]).toEqual([404, undefined]);
    await report(trackingId, DELIVERED);
    expect(await pushedAddress(key, 'delivered')).toBeUndefined();
    const again = (await api.call('POST', `/trackings/${trackingId}/page`, { key })).body.data.tracking_page_url;
    expect([again === next, again === url, (await open(again)).status]).toEqual([false, false, 200]);
  });

  test("cannot touch the links of another shop's parcels, nor make links while its pages are off", async () => {
    const { trackingId, url } = await parcel();
    const other = await merchant();
    for (const method of ['POST', 'DELETE'])
      expect((await api.call(method, `/trackings/${trackingId}/page`, { key: other.key })).body.code).toBe(404);
    expect((await open(url)).status).toBe(200);
    const { key } = await api.account();
    const id = await register(key);
    const refused = await api.call('POST', `/trackings/${id}/page`, { key });
    expect([refused.body.code, refused.body.message]).toEqual([
      4130,
      expect.stringContaining('PATCH /api/v1/account/pages'),
    ]);
    // The refusal has changed nothing: the link is still the first one.
    await change(key, { enabled: true });
    const token = pageTokens.seal({ trackingId: id, generation: 0 });
    expect(await addressOf(key, id)).toBe(`${api.url}/t/${token}`);
  });

  test('has its name, its colour in both themes, and its logo, which comes from us', async () => {
    const { url, key } = await parcel({ name: 'Nord <licht>', color: '#0B6B58', logo: LOGO });
    const { body, headers } = await open(url);
    expect(body).toContain('Nord &lt;licht&gt;');
    expect(body).toContain(':root{--accent:#0b6b58}@media (prefers-color-scheme:dark){:root{--accent:#');
    const source = /<img [^>]*src="([^"]+)" width="1" height="1"/.exec(body)?.[1] ?? '';
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;");
    const response = await fetch(new URL(source, url));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(LOGO);
    await change(key, { logo: null });
    expect((await open(url)).body).not.toContain('<img');
    expect((await fetch(new URL(source, url))).status).toBe(404);
  });

  test('without a name, or with a blank one, is called by its address', async () => {
    const { url, key } = await parcel({ shop_url: 'https://www.shop.example/?a=b' });
    const expected = /<title>Out for delivery today, [^·]*<\/title>[\s\S]*<a class="shop" [^>]*>shop\.example<\/a>/;
    expect((await open(url)).body).toMatch(expected);
    await change(key, { name: '  ' });
    expect((await open(url)).body).toMatch(expected);
    await change(key, { logo: LOGO });
    expect((await open(url)).body).toContain('alt="shop.example"');
  });

  test('can hide the carrier and the places', async () => {
    const { url } = await parcel({ hide_carrier: true, hide_places: true });
    const both = (await open(url)).body + (await open(`${url}.json`)).body;
    expect(both).not.toMatch(/YTO|yto|YT8962646785999|杭州/);
  });

  test('can show pages in its own frames, and nobody else can', async () => {
    const { url, key } = await parcel();
    const missing = await open(`${url}/embed`);
    expect([missing.status, missing.headers.get('x-frame-options')]).toEqual([404, null]);
    expect(missing.body).not.toMatch(/YTO|YT8962646785999/);
    await change(key, { embed_origins: ['https://shop.example', 'https://www.shop.example:8443'] });
    const { status, headers, body } = await open(`${url}/embed?lang=de`);
    expect([status, headers.get('x-frame-options')]).toEqual([200, null]);
    expect(headers.get('content-security-policy')).toMatch(
      /frame-ancestors https:\/\/shop\.example https:\/\/www\.shop\.example:8443$/,
    );
    expect(body).not.toContain('<header>');
    expect((await open(url)).headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/);
  });

  // biome-ignore format: one change per line is readable as a table
  test.each([
    [{ color: '#ffd54a' }, 'color', 'needs at least 4.5:1'],
    [{ color: 'blue' }, 'color', ''],
    [{ shop_url: 'http://shop.example' }, 'shop_url', 'https'],
    [{ support_url: 'javascript:alert(1)' }, 'support_url', 'mailto:'],
    [{ notify_url: 'http://shop.example' }, 'notify_url', 'https'],
    [{ notify_url: 'tel:112' }, 'notify_url', 'mailto:'],
    [{ allow_lookup: 'yes' }, 'allow_lookup', ''],
    [{ embed_origins: ['https://a;b'] }, 'embed_origins.0', 'origin'],
    [{ logo: Buffer.from('<svg/>').toString('base64') }, 'logo', 'PNG'],
    [{ gone_after_days: 0 }, 'gone_after_days', ''],
    [{ name: 'x'.repeat(101) }, 'name', ''],
  ])('%j is refused with the field %s, and nothing changes', async (wrong, field, text) => {
    const { key } = await merchant({ name: 'Nordlicht' });
    const refused = await change(key, { ...wrong, enabled: false });
    expect(refused.body).toMatchObject({ code: 4130, data: { errors: [{ field, message: expect.stringContaining(text) }] } });
    expect((await api.call('GET', '/account/pages', { key })).body.data).toMatchObject({ enabled: true, name: 'Nordlicht', color: null });
  });

  test('changes only what it names, and clears with null', async () => {
    const { key } = await merchant({ name: 'Nordlicht', color: '#0b6b58', hide_places: true });
    const { body } = await change(key, { name: null, gone_after_days: 30 });
    expect(body.data).toMatchObject({
      enabled: true,
      name: null,
      color: '#0b6b58',
      hide_places: true,
      gone_after_days: 30,
    });
    expect((await change(key, {})).body.code).toBe(4130);
  });
});

test("the parcel's page on the carrier's site is in records, lists, exports and pushes that include it", async () => {
  const { key } = await api.account();
  const add = async (body: object): Promise<string> =>
    (await api.call('POST', '/trackings/create', { key, body })).body.data.id;
  const known = await add({ tracking_number: '1Z999AA10123456784', courier_code: 'ups' });
  const siteOnly = await add({ tracking_number: 'YT8962646785999', courier_code: 'yto' });
  const undecided = await add({ tracking_number: '77123456789012' });
  const url = 'https://www.ups.com/track?tracknum=1Z999AA10123456784';

  await report(known, HISTORY, undefined, 'ups');
  const read = async (query: string) => {
    const { shipments } = (await api.call('GET', `/shipments?${query}`, { key })).body.data;
    const ids = [known, siteOnly, undecided];
    const records = await Promise.all(ids.map((id) => api.call('GET', `/trackings/${id}?${query}`, { key })));
    const file = await fetch(`${api.url}/api/v1/shipments.csv?${query}`, { headers: { 'X-API-Key': key } });
    const [head = '', ...lines] = (await file.text()).trim().split('\r\n');
    expect(records[2]?.body.data.candidates.length).toBeGreaterThan(1);
    return {
      records: records.map(({ body }) => body.data.carrier_url),
      rows: ids.map((id) => shipments.find((row: { id: string }) => row.id === id).carrier_url),
      column: head.endsWith(',carrier_url'),
      cells: lines.filter((line) => line.endsWith(`,${url}`)).length,
    };
  };
  const none = [undefined, undefined, undefined];
  expect(await read('')).toEqual({ records: none, rows: none, column: false, cells: 0 });
  const all = [url, undefined, undefined];
  expect(await read('include=links')).toEqual({ records: all, rows: all, column: true, cells: 1 });

  expect((await pushed(key, 'out_for_delivery')).carrier_url).toBeUndefined();
  await api.call('PATCH', '/account', { key, body: { include: ['links'] } });
  await report(known, DELIVERED, undefined, 'ups');
  expect((await pushed(key, 'delivered')).carrier_url).toBe(url);
});

describe('texts in the language of the request', () => {
  const texts = { status_text: 'In Zustellung', sub_status_text: 'In Zustellung' };

  test('are in trackings and shipments only if it names one of ours', async () => {
    const { key, trackingId } = await parcel();
    const paths = [`/trackings/${trackingId}?`, '/trackings/get?tracking_numbers=YT8962646785999&', '/shipments?'];
    for (const path of paths) {
      const read = async (query: string, accept = '*') => {
        const { body, headers } = await api.call('GET', `${path}${query}`, {
          key,
          headers: { 'Accept-Language': accept },
        });
        expect(headers.get('vary')).toBe('X-API-Key, Tracking-Api-Key, Authorization, Accept-Language');
        const { success, shipments } = body.data;
        return (success ?? shipments)?.[0] ?? body.data;
      };
      const plain = await read('');
      expect(Object.keys(plain).filter((name) => /_text$|_lang$/.test(name))).toEqual([]);
      expect(await read('lang=nl')).toEqual(plain);
      expect(await read('lang=de')).toMatchObject(texts);
      expect(await read('', 'nl, de-AT;q=0.9, en;q=0.5')).toMatchObject(texts);
      expect(await read('lang=zh', 'de')).toMatchObject({ sub_status_text: '派送中' });
    }
    const { body } = await api.call('GET', `/trackings/${trackingId}?lang=de`, { key });
    expect(body.data.events_lang).toBe('zh');
    const rows = await api.call('GET', '/shipments?lang=de', { key });
    expect(rows.body.data.shipments[0].latest_event_lang).toBe('zh');
  });

  test('twice is a clear error', async () => {
    const { key, trackingId } = await parcel();
    for (const path of [`/trackings/${trackingId}`, '/shipments'])
      expect((await api.call('GET', `${path}?lang=de&lang=en`, { key })).body).toMatchObject({
        code: 4130,
        data: { errors: [{ field: 'lang' }] },
      });
  });

  test.each([
    ['zh-CN,zh;q=0.9', '', 'Webhook 不存在。'],
    ['de, zh;q=0.5', '', 'Webhook 不存在。'],
    ['de', '?lang=zh', 'Webhook 不存在。'],
    ['zh', '?lang=en', 'No such webhook.'],
    ['de', '', 'No such webhook.'],
    ['*', '', 'No such webhook.'],
  ])('with %j and %j, a refusal says %s', async (accept, query, says) => {
    const { key } = await api.account();
    const { body, headers } = await api.call('GET', `/webhooks/${'0'.repeat(24)}${query}`, {
      key,
      headers: { 'Accept-Language': accept },
    });
    expect(body.message).toContain(says);
    expect(headers.get('vary')).toContain('Accept-Language');
  });
});
