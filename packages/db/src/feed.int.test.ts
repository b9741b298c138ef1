import { BEGINNING } from '@pts/core/continuation';
import type { Scan } from '@pts/core/tracking/scan';
import { PATIENT, type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import pg from 'pg';
import { type Db, openDatabase } from './connection.ts';
import { type FeedFilter, findServer, findStanding, listEvents, pageStatement, recordEpoch } from './feed.ts';
import { saveAnswers } from './testing/save-answers.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

let database: TestDatabase;
let db: Db;
let slow: pg.Client;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 8, ...PATIENT });
  slow = new pg.Client({ connectionString: database.url });
  await slow.connect();
}, 60_000);
afterAll(async () => {
  await slow.end();
  await db.$disconnect();
  await database.close();
});

async function parcels(count: number) {
  const accountId = await newAccount(db, NOW);
  return { accountId, ids: await newTrackings(db, accountId, Array.from({ length: count }, freshNumber), NOW) };
}

/** One more scan of each of some parcels, in one transaction. */
function news(ids: readonly string[], minute: number, status: Scan['status'] = 'in_transit') {
  const time = new Date(Date.UTC(2031, 3, 1, 0, minute)).toISOString().replace('.000Z', 'Z');
  const scan: Scan = {
    time,
    timeRaw: time,
    zoneSource: 'carrier',
    location: '',
    description: `stop ${minute}`,
    status,
  };
  const answer = { kind: 'found' as const, scans: [scan] };
  const changed = ids.map((trackingId) => ({ trackingId, answer, fingerprint: String(minute), finalLook: false }));
  return saveAnswers(db, changed, CADENCE, NOW);
}

/** A reader that polls from its last position, page by page. */
function reader(accountId: string) {
  const seen: { id: string; tracking: string; seq: number; event: string }[] = [];
  let after = BEGINNING;
  return {
    seen,
    poll: async () => {
      const { events: page } = await listEvents(db, { accountId, after, limit: 3 });
      after = page.at(-1)?.place ?? after;
      for (const { id, body } of page) {
        const { event, data } = JSON.parse(body);
        seen.push({ id, tracking: data.id, seq: data.seq, event });
      }
      return page.length;
    },
  };
}

const pageOf = async (accountId: string, after: typeof BEGINNING) =>
  (await listEvents(db, { accountId, after, limit: 9 })).events;

/** An event stored by a transaction that is open until `end` is called. */
async function openTransaction(accountId: string, trackingId: string) {
  const body = JSON.stringify({ event: 'tracking_update', created_at: '', data: { id: trackingId, seq: 1 } });
  await slow.query('BEGIN');
  await slow.query(
    `INSERT INTO messages (id, account_id, tracking_id, event, seq, body) VALUES ($1, $2, $3, 'tracking_update', 1, $4)`,
    [`${trackingId.slice(0, 20)}ffff`, accountId, trackingId, body],
  );
  return { end: (how: 'COMMIT' | 'ROLLBACK') => slow.query(how) };
}

test('events of a transaction that began earlier and commits later are neither missed nor read twice', async () => {
  const { accountId, ids } = await parcels(3);
  const [held = '', ...others] = ids;
  const { seen, poll } = reader(accountId);
  const open = await openTransaction(accountId, held);
  await news(others, 1);
  await news(others, 2);
  // The later ones are committed, but the open one would come before them.
  expect(await poll()).toBe(0);
  await open.end('COMMIT');
  await eventually(async () => {
    await poll();
    expect(seen).toHaveLength(5);
  });
  expect(seen[0]?.tracking).toBe(held);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
  expect(await poll()).toBe(0);
});

test('an event whose transaction is rolled back leaves no gap and delays nothing', async () => {
  const { accountId, ids } = await parcels(2);
  const [held = '', other = ''] = ids;
  const { seen, poll } = reader(accountId);
  const open = await openTransaction(accountId, held);
  await news([other], 1);
  await open.end('ROLLBACK');
  await eventually(async () => {
    await poll();
    expect(seen.map(({ tracking }) => tracking)).toEqual([other]);
  });
});

test('a reader that polls during many writes sees every event once, and those of each parcel in order', async () => {
  const { accountId, ids } = await parcels(12);
  const { seen, poll } = reader(accountId);
  let isWriting = true;
  const writing = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let minute = 0; minute < 10; minute++) {
        const some = ids.filter((_id, index) => (index + minute + writer) % 3 !== 0);
        await news(some, minute * 4 + writer);
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  while (isWriting) await poll();
  await writing;
  await news(ids, 1000, 'delivered');
  const stored = await db.message.findMany({ where: { accountId }, select: { id: true } });
  await eventually(async () => {
    await poll();
    expect(seen).toHaveLength(stored.length);
  });
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(stored.map(({ id }) => id)));
  for (const id of ids) {
    const own = seen.filter(({ tracking }) => tracking === id);
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
    expect(own.slice(-2).map(({ event }) => event)).toEqual(['tracking_update', 'tracking_delivered']);
  }
}, 60_000);

test("other accounts' events are not read, and from the end only later ones are", async () => {
  const [mine, other] = [await parcels(1), await parcels(1)];
  await news(other.ids, 1);
  await news(mine.ids, 1);
  await eventually(async () => expect(await pageOf(mine.accountId, BEGINNING)).toHaveLength(1));
  const end = { xact: (await findServer(db)).oldestOpen, position: 0n };
  await news(mine.ids, 2);
  await eventually(async () => {
    const page = await pageOf(mine.accountId, end);
    expect(page.map(({ body }) => JSON.parse(body).data.seq)).toEqual([2]);
  });
});

test('a page says which epoch its server is in, also an empty one; the epoch is recorded once', async () => {
  const { accountId } = await parcels(1);
  const { server, events } = await listEvents(db, { accountId, after: BEGINNING, limit: 9 });
  expect(events).toEqual([]);
  const [epoch, ...others] = await db.feedEpoch.findMany();
  expect(others).toEqual([]);
  expect(server).toMatchObject({ epochId: epoch?.id });
  await Promise.all([1, 2, 3].map(() => recordEpoch(db)));
  expect(await db.feedEpoch.findMany()).toEqual([epoch]);
});

test('in a new epoch, `seq` goes on above all that earlier ones may have sent', async () => {
  const { ids } = await parcels(2);
  const kept = await db.feedEpoch.findMany();
  const seqs = async () => {
    const found = await db.message.findMany({ where: { trackingId: { in: ids } }, orderBy: { position: 'asc' } });
    return ids.map((id) => found.flatMap(({ trackingId, seq }) => (trackingId === id ? [seq] : [])));
  };
  try {
    await news(ids, 1);
    expect(await seqs()).toEqual([[1], [1]]);
    await db.feedEpoch.deleteMany(); // as after a restore
    await news(ids, 2);
    await news(ids, 3);
    const [epoch] = await db.feedEpoch.findMany();
    // By the clock, so that a second restore of the same backup is above the first one.
    const seconds = Math.round(((epoch?.since.getTime() ?? 0) - Date.UTC(2026, 0)) / 1000);
    const floor = epoch?.seqFloor ?? 0;
    expect(Math.abs(floor - seconds)).toBeLessThanOrEqual(1);
    expect(await seqs()).toEqual(ids.map(() => [1, floor + 1, floor + 2]));
    // An answer without news counts nothing.
    await db.feedEpoch.updateMany({ data: { seqFloor: floor + 1000 } });
    await news(ids, 3);
    const stored = await db.tracking.findMany({ where: { id: { in: ids } } });
    expect(stored.map(({ seq }) => seq)).toEqual(ids.map(() => floor + 2));
  } finally {
    await db.feedEpoch.deleteMany();
    await db.feedEpoch.createMany({ data: kept });
  }
});

test('how a place stands that was reached in another epoch', async () => {
  const { accountId, ids } = await parcels(1);
  await db.feedEpoch.create({ data: { id: 7, timeline: 0 } });
  await news(ids, 1);
  await news(ids, 2);
  const [first, second] = await db.message.findMany({ where: { accountId }, orderBy: { seq: 'asc' } });
  if (!first || !second) throw new Error('the events are not stored');
  // As if the first event had been stored in that epoch.
  await db.message.update({ where: { id: first.id }, data: { timeline: 0 } });
  const standing = (place: typeof BEGINNING, epochId = 7) => findStanding(db, { accountId, epochId, place });
  const known = { xact: first.xact, position: first.position };
  expect(await standing(second)).toMatchObject({ epoch: { id: 7 }, lastTimeline: 1, lastKnown: known, isHere: true });
  expect(await standing({ ...first, position: first.position + 1n })).toMatchObject({ lastTimeline: 0, isHere: false });
  expect(await standing(BEGINNING)).toMatchObject({ lastTimeline: null, lastKnown: null, isHere: false });
  expect(await standing(BEGINNING, 8)).toMatchObject({ epoch: null, current: { timeline: 1 } });
});

test('an event that is stored already, as in tables restored from different times, is not stored twice', async () => {
  const { accountId, ids } = await parcels(1);
  await news(ids, 1);
  const [first] = await db.message.findMany({ where: { accountId } });
  await db.tracking.update({ where: { id: ids[0] ?? '' }, data: { seq: 0, events: [], subStatus: 'pending' } });
  await news(ids, 1);
  expect(await db.message.findMany({ where: { accountId } })).toEqual([first]);
  await news(ids, 2);
  expect(await db.message.count({ where: { accountId } })).toBe(2);
});

test('a page with a filter reads a bounded part of the feed, or of its parcel, by their indexes', async () => {
  const { accountId } = await parcels(1);
  const parcel = '0'.repeat(24);
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, tracking_id, event, seq, body)
    SELECT lpad(to_hex(i + 1048576), 24, '0'), ${accountId}, CASE WHEN i % 5000 = 0 THEN ${parcel} ELSE 'other' END,
      CASE WHEN i = 1500 THEN 'tracking_delivered' ELSE 'tracking_update' END, i, i::text
    FROM generate_series(1, 20000) i`;
  await db.$executeRaw`ANALYZE messages`;
  const pageFrom = async (after: typeof BEGINNING, filter: FeedFilter) => {
    const page = await listEvents(db, { accountId, after, limit: 3, filter });
    return { bodies: page.events.map(({ body }) => body), isCut: page.isCut, end: page.end ?? BEGINNING };
  };
  const delivered = { event: 'tracking_delivered' } as const;
  const first = await pageFrom(BEGINNING, delivered);
  expect(first).toMatchObject({ bodies: [], isCut: true });
  const second = await pageFrom(first.end, delivered);
  expect(second).toMatchObject({ bodies: ['1500'], isCut: true });
  expect(await pageFrom(BEGINNING, { trackingId: parcel })).toMatchObject({
    bodies: ['5000', '10000', '15000'],
    isCut: false,
  });
  expect(await pageFrom(BEGINNING, { trackingId: parcel, ...delivered })).toMatchObject({ bodies: [], isCut: false });
  const planOf = async (filter: FeedFilter) => {
    const { text, values } = pageStatement({ accountId, after: BEGINNING, limit: 3, filter });
    const rows = await db.$queryRawUnsafe<Record<string, string>[]>(`EXPLAIN ${text}`, ...values);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  expect(await planOf(delivered)).toMatch(/Limit[\s\S]*Index Scan using messages_floor_account_id_xact_position_idx/);
  expect(await planOf({ trackingId: parcel })).toMatch(/messages_floor_tracking_id_seq_idx/);
  expect(await planOf({ trackingId: parcel })).not.toMatch(/xact_position_idx/);
});

test('a page is a range of its index, which is not sorted, even while a transaction is open that is older than all events', async () => {
  const { accountId } = await parcels(1);
  const { end } = await openTransaction(accountId, '0'.repeat(24));
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, tracking_id, event, seq, body)
    SELECT lpad(to_hex(i), 24, '0'), CASE WHEN i % 2 = 0 THEN ${accountId} ELSE 'another' END, 't', 'tracking_update', i, '{}'
    FROM generate_series(1, 20000) i`;
  await db.$executeRaw`ANALYZE messages`;
  const { text, values } = pageStatement({ accountId, after: { xact: 5n, position: 5n }, limit: 50 });
  const rows = await db.$queryRawUnsafe<Record<string, string>[]>(`EXPLAIN ${text}`, ...values);
  await end('ROLLBACK');
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Scan using messages_floor_account_id_xact_position_idx/);
  expect(plan).toMatch(/Index Cond: .*account_id.*ROW\(xact, "position"\) > ROW.*xact < /);
  // Otherwise, the planner might read and sort them all.
  expect(Number(/on messages_floor .*rows=(\d+)/.exec(plan)?.[1])).toBeGreaterThan(50);
  // Only the rows of the page are sorted.
  expect(plan).toMatch(/^Sort[\s\S]*Limit[\s\S]*Index Scan using messages/);
  expect(plan).not.toMatch(/Limit[\s\S]*-> {2}(Incremental )?Sort/);
});
