import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { prune } from '@pts/db/deliveries/retention';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newWebhook } from '@pts/testing/factories';
import { cursorAhead } from '../testing/cursor-ahead.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

let database: TestDatabase;
let api: TestApi;
beforeAll(async () => {
  database = await testDatabase();
  api = await startTestApi({ databaseUrl: database.url });
}, 60_000);
afterAll(async () => {
  await api.close();
  await database.close();
});

/** An account with parcels, each of which moves twice and is delivered: four events a parcel. */
async function history(...numbers: string[]) {
  const account = await api.account();
  for (const tracking_number of numbers) {
    const created = await api.call('POST', '/trackings/create', { key: account.key, body: { tracking_number } });
    const trackingId = created.body.data.id;
    for (const [minute, status] of ['in_transit', 'out_for_delivery', 'delivered'].entries()) {
      const time = `2031-04-01T00:0${minute}:00Z`;
      const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '杭州市', description: status, status };
      const answer = { kind: 'found', scans: [scan] } as CarrierAnswer;
      await saveAnswers(api.db, [{ trackingId, answer, fingerprint: status, finalLook: false }], CADENCE, NOW);
    }
  }
  return account;
}

const read = async (key: string, query = '') => (await api.call('GET', `/events${query}`, { key })).body.data;
/** All events, once the newest ones can be read. */
const readAll = (key: string, count: number) =>
  eventually(async () => {
    const data = await read(key, '?limit=200');
    expect(data.events).toHaveLength(count);
    return data;
  });

test('answers every event with the id and the data of its push, oldest first, also without a webhook', async () => {
  const { id, key } = await history('EVENTA1');
  const { events, has_more } = await readAll(key, 4);
  expect(has_more).toBe(false);
  expect(events.map(({ event, data }: { event: string; data: { seq: number } }) => [event, data.seq])).toEqual([
    ['tracking_update', 1],
    ['tracking_update', 2],
    ['tracking_update', 3],
    ['tracking_delivered', 4],
  ]);
  const stored = await api.db.message.findMany({ where: { accountId: id }, orderBy: { seq: 'asc' } });
  expect(events).toEqual(stored.map((message) => ({ id: message.id, ...JSON.parse(message.body) })));
});

test('last starts with the newest events, oldest first, and goes on from there', async () => {
  const { key } = await history('EVENTL1');
  const { events } = await readAll(key, 4);
  const page = await read(key, '?last=3&limit=2');
  expect(page.events).toEqual(events.slice(1, 3));
  const rest = await read(key, `?last=3&after=${page.next_cursor}`);
  expect([rest.events, rest.has_more]).toEqual([events.slice(3), false]);
  expect((await read(key, '?last=200')).events).toEqual(events);
  expect((await read(key, '?last=1&after=latest')).events).toEqual([]);
  for (const last of ['0', '201', 'x'])
    expect((await api.call('GET', `/events?last=${last}`, { key })).body.code).toBe(4130);
});

test('each page continues where the cursor points, also after an empty page', async () => {
  const { id, key } = await history('EVENTB1', 'EVENTB2');
  const all = (await readAll(key, 8)).events;
  const seen: { id: string }[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const data = await read(key, `?limit=3&after=${cursor}`);
    seen.push(...data.events);
    expect(data.has_more).toBe(page < 2);
    cursor = data.next_cursor;
  }
  expect(seen).toEqual(all);
  expect(await read(key, `?after=${cursor}`)).toEqual({ events: [], next_cursor: cursor, has_more: false });
  const [trackingId = ''] = (await api.db.tracking.findMany({ where: { accountId: id } })).map((row) => row.id);
  const returned = { time: '2031-04-02T00:00:00Z', location: '', description: 'back', status: 'returned' };
  const answer = { kind: 'found', scans: [{ ...returned, timeRaw: '', zoneSource: 'carrier' }] } as CarrierAnswer;
  await saveAnswers(api.db, [{ trackingId, answer, fingerprint: 'new', finalLook: false }], CADENCE, NOW);
  await eventually(async () => {
    const { events } = await read(key, `?after=${cursor}`);
    expect(events.map((entry: { event: string }) => entry.event)).toEqual(['tracking_update', 'tracking_exception']);
  });
});

describe('a filter', () => {
  test.each<[query: string, isWanted: (event: { event: string; data: { tracking_number: string } }) => boolean]>([
    ['event=tracking_delivered', ({ event }) => event === 'tracking_delivered'],
    ['event=tracking_update', ({ event }) => event === 'tracking_update'],
    ['event=tracking_exception', () => false],
    ['tracking_id=', () => true],
    ['tracking_id=$2', ({ data }) => data.tracking_number === 'EVENTF2'],
    [
      'tracking_id=$3&event=tracking_delivered',
      ({ event, data }) => event === 'tracking_delivered' && data.tracking_number === 'EVENTF3',
    ],
    ['tracking_id=0123456789abcdef01234567', () => false],
  ])('%s leaves the other events out, page by page, and its cursor goes on', async (query, isWanted) => {
    const { id: accountId, key } = await history('EVENTF1', 'EVENTF2', 'EVENTF3');
    const all = (await readAll(key, 12)).events;
    const rows = await api.db.tracking.findMany({ where: { accountId } });
    const idOf = (n: string) => rows.find(({ trackingNumber }) => trackingNumber === `EVENTF${n}`)?.id ?? '';
    const filter = query.replace(/\$(\d)/, (_all, n) => idOf(n));
    const seen: unknown[] = [];
    let page = { events: [], next_cursor: '', has_more: true };
    for (let pages = 0; page.has_more && pages < 20; pages++) {
      page = await read(key, `?limit=2&${filter}&after=${page.next_cursor}`);
      seen.push(...page.events);
    }
    expect([seen, page.has_more]).toEqual([all.filter(isWanted), false]);
    // Nothing is left behind the cursor, with the filter; without it, only what the filter has not read.
    expect((await read(key, `?${filter}&after=${page.next_cursor}`)).events).toEqual([]);
  });

  test('of an unknown kind, or of no id, is refused', async () => {
    const { key } = await api.account();
    for (const query of ['event=ping', 'event=delivered', 'tracking_id=x', 'tracking_number=SBX1'])
      expect((await api.call('GET', `/events?${query}`, { key })).status).toBe(400);
  });
});

test('an account without events, and latest, answer an empty page with a cursor', async () => {
  const none = await api.account();
  const empty = { events: [], next_cursor: expect.any(String), has_more: false };
  expect(await read(none.key)).toEqual(empty);
  const { key } = await history('EVENTC1');
  await readAll(key, 4);
  const latest = await read(key, '?after=latest&limit=1');
  expect(latest).toEqual(empty);
  expect(await read(key, `?after=${latest.next_cursor}`)).toEqual({ ...empty, next_cursor: latest.next_cursor });
});

test("another account's events are not read, and its cursor is refused; a ping is not an event", async () => {
  const [mine, other] = [await api.account(), await history('EVENTD1')];
  const { next_cursor } = await readAll(other.key, 4);
  await newWebhook(api.db, mine.id, NOW);
  await api.call('POST', '/webhooks/test', { key: mine.key });
  expect((await read(mine.key)).events).toEqual([]);
  const refused = await api.call('GET', `/events?after=${next_cursor}`, { key: mine.key });
  expect([refused.body.code, refused.body.data.errors[0].field]).toEqual([4130, 'after']);
});

test('events of a deleted tracking stay in the feed', async () => {
  const { id, key } = await history('EVENTE1');
  const tracking = await api.db.tracking.findFirstOrThrow({ where: { accountId: id } });
  expect((await api.call('DELETE', `/trackings/${tracking.id}`, { key })).status).toBe(200);
  await readAll(key, 4);
});

test('cursors are opaque: plain numbers do not tell the current transaction number: all get the same answer', async () => {
  const { key } = await history('EVENTH1');
  await readAll(key, 4);
  const [low, high] = [cursor('1.0'), cursor('9223372036854775807.0')];
  const forged = (path: string) =>
    Promise.all([low, high].map((after) => api.call('GET', `${path}?after=${after}`, { key })));
  for (const path of ['/events', '/events/stream']) {
    const [one, other] = await forged(path);
    expect([one?.status, one?.body.code, one?.body.data.errors[0].field]).toEqual([400, 4130, 'after']);
    expect(other?.body).toEqual(one?.body);
  }
});

test('a cursor ahead of all transactions, as after a disk was set back, is a 409 that starts over', async () => {
  const { id, key } = await history('EVENTG1');
  const { events } = await readAll(key, 4);
  const { status, body } = await api.call('GET', `/events?after=${await cursorAhead(api, id)}`, { key });
  expect([status, body.code, body.data.events_removed]).toEqual([409, 409, undefined]);
  expect((await read(key, `?after=${body.data.next_cursor}`)).events).toEqual(events);
});

test('a cursor after which events were removed is a 409 that goes on right after them; others go on as before', async () => {
  const { id, key } = await history('EVENTR1');
  const { events } = await readAll(key, 4);
  const [first, second] = [await read(key, '?limit=1'), await read(key, '?limit=2')];
  await api.db.$executeRaw`
    UPDATE messages SET created_at = '2001-01-01', id = history_id_at('2001-01-01') || substr(id, 5) WHERE account_id = ${id} AND seq <= 2`;
  const before = new Date('2001-02-01');
  await prune(api.db, { before, overdue: before, batch: 100 });
  const { status, body } = await api.call('GET', `/events?after=${first.next_cursor}`, { key });
  expect([status, body.message]).toEqual([409, expect.stringContaining('end of their retention')]);
  expect(body.data.events_removed).toBe(true);
  for (const after of [body.data.next_cursor, second.next_cursor, ''])
    expect((await read(key, `?after=${after}`)).events).toEqual(events.slice(2));
});

const cursor = (text: string) => Buffer.from(text).toString('base64url');
test.each([
  ['after', 'garbage', 'garbage'],
  ['after', 'a number alone', cursor('12')],
  ['after', 'a negative number', cursor('-1.5')],
  ['after', 'numbers beyond 64 bits', cursor('9999999999999999999.1')],
  ['after', 'SQL', cursor("1.1'; DROP TABLE messages; --")],
  ['after', 'a NUL byte', cursor('1.1\u0000')],
  ['after', 'more than any cursor', 'A'.repeat(101)],
])('%s: %s is refused with the field named', async (field, _, value) => {
  const { key } = await api.account();
  const { status, body } = await api.call('GET', `/events?after=${encodeURIComponent(value)}`, { key });
  expect([status, body.code, body.data.errors[0].field]).toEqual([400, 4130, field]);
});

test.each(['limit=0', 'limit=201', 'limit=ten', 'limit=-1', 'limit=1&limit=2'])('%s is refused', async (query) => {
  const { key } = await api.account();
  const { status, body } = await api.call('GET', `/events?${query}`, { key });
  expect([status, body.code, body.data.errors[0].field]).toEqual([400, 4130, 'limit']);
});

test('without a key 401; 5 requests a second', async () => {
  expect((await api.call('GET', '/events')).status).toBe(401);
  const limited = await startTestApi({ limits: ['events=1'], limitWindowSeconds: 3600 });
  const { key } = await limited.account();
  const answers = await Promise.all(Array.from({ length: 20 }, () => limited.call('GET', '/events', { key })));
  expect(answers.some(({ status }) => status === 429)).toBe(true);
  await limited.close();
  const usual = await startTestApi({ limits: [] });
  const { headers } = await usual.call('GET', '/events', { key: (await usual.account()).key });
  expect(headers.get('RateLimit-Limit')).toBe('5');
  await usual.close();
}, 30_000);
