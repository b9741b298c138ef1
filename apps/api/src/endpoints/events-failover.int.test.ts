import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { listEvents } from '@pts/db/feed';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { createOpaqueTokens, tokenKeysFrom } from '@pts/runtime/encryption/tokens';
import { migrateDatabase, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newTrackings } from '@pts/testing/factories';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type Standby, startStandby } from '@pts/testing/servers/postgres';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const PARCELS = 4;
const folder = () => mkdtempSync(join(tmpdir(), 'pts-failover-'));

let primary: Postgres;
let standby: Standby;
let replication: Gate;
let before: TestApi;
let after: TestApi;
const tokens = createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64')));

type Account = { id: string; key: string };
type Event = { id: string; event: string; data: { id: string; seq: number } };

/** One more scan of each parcel, each in a transaction of its own. */
async function news(api: TestApi, ids: readonly string[], minute: number, status = 'in_transit') {
  const time = `2031-04-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: `stop ${minute}`, status };
  const answer = { kind: 'found', scans: [scan] } as CarrierAnswer;
  for (const trackingId of ids)
    await saveAnswers(api.db, [{ trackingId, answer, fingerprint: String(minute), finalLook: false }], CADENCE, NOW);
}

const get = (api: TestApi, { key }: Account, cursor = '') =>
  api.call('GET', `/events?limit=200&after=${cursor}`, { key });
/** All events after a cursor, as soon as there are so many. */
const read = (api: TestApi, account: Account, count: number, cursor?: string) =>
  eventually(async () => {
    const { body } = await get(api, account, cursor);
    expect(body.data.events).toHaveLength(count);
    return body.data as { events: Event[]; next_cursor: string };
  });
const idsOf = (events: readonly Event[]) => events.map(({ id }) => id);

/** The feed of a merchant before and after an asynchronous failover that loses its newest events. */
let merchant: Account & { parcels: string[] };
let idle: Account;
let kept: Awaited<ReturnType<typeof read>>;
let lost: Awaited<ReturnType<typeof read>>;
let cursors: Record<'kept' | 'lost' | 'latest' | 'idle', string>;
let lostPlace: { xact: bigint; position: bigint };

beforeAll(async () => {
  const dir = folder();
  primary = await startPostgres({ dir, persistent: false });
  await migrateDatabase(primary.url);
  replication = await startGate(primary.url, primary.port);
  standby = await startStandby({
    primary: { ...primary, dir },
    dir: folder(),
    persistent: false,
    through: replication.url,
  });
  before = await startTestApi({ databaseUrl: primary.url, tokens });
  const account = await before.account({ plan: 'enterprise' });
  const numbers = Array.from({ length: PARCELS }, (_, n) => `FAILOVER${n}`);
  merchant = { ...account, parcels: await newTrackings(before.db, account.id, numbers, NOW) };
  idle = await before.account();
  await news(before, merchant.parcels, 1);
  kept = await read(before, merchant, PARCELS);
  const idleCursor = (await get(before, idle)).body.data.next_cursor;
  await standby.catchUp();
  replication.set('mute');
  for (let minute = 2; minute <= 9; minute++) await news(before, merchant.parcels, minute);
  lost = await read(before, merchant, 8 * PARCELS, kept.next_cursor);
  lostPlace = await before.db.message.findUniqueOrThrow({ where: { id: lost.events.at(-1)?.id ?? '' } });
  const latest = (await get(before, merchant, 'latest')).body.data.next_cursor;
  cursors = { kept: kept.next_cursor, lost: lost.next_cursor, latest, idle: idleCursor };
  await before.close();
  primary.quit();
  await primary.exited;
  await standby.promote();
  after = await startTestApi({ databaseUrl: standby.url, tokens });
  // The first two events are stored again, and one that the lost server never had.
  await news(after, merchant.parcels, 2);
  await news(after, merchant.parcels, 3);
  await news(after, merchant.parcels.slice(0, 1), 30, 'delivered');
}, 120_000);
afterAll(async () => {
  await after?.close();
  await replication?.close();
  await Promise.all([primary?.stop(), standby?.stop()]);
});

const NEW = 2 * PARCELS + 2;

test('a reader whose events the promoted server has goes on without noticing', async () => {
  const { events } = await read(after, merchant, NEW, cursors.kept);
  expect(idsOf(events).some((id) => idsOf(kept.events).includes(id))).toBe(false);
  expect((await get(after, idle, cursors.idle)).body).toMatchObject({ code: 200, data: { events: [] } });
});

test.each(['lost', 'latest'] as const)(
  'a reader that is ahead of the promoted server gets a 409 with the cursor to go on from: %s',
  async (name) => {
    await read(after, merchant, NEW, cursors.kept);
    const refused = await get(after, merchant, cursors[name]);
    expect([refused.status, refused.body.code, refused.body.meta]).toEqual([409, 409, 409]);
    expect(refused.body.message).toContain('data.next_cursor');
    const { events } = await read(after, merchant, NEW, refused.body.data.next_cursor);
    expect(idsOf(events)).toEqual(idsOf((await read(after, merchant, NEW, cursors.kept)).events));
  },
);

test('no event of the promoted server has the number or the id of a lost one: each is higher than all of its parcel', async () => {
  const { events } = await read(after, merchant, NEW, cursors.kept);
  const known = new Set(idsOf(lost.events));
  expect(events.filter(({ id }) => known.has(id))).toEqual([]);
  for (const parcel of merchant.parcels) {
    const of = (all: readonly Event[]) => all.filter(({ data }) => data.id === parcel).map(({ data }) => data.seq);
    const [first = 0, ...next] = of(events);
    expect(of(lost.events)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(first).toBeGreaterThan(9);
    expect(next).toEqual(next.map((_, index) => first + index + 1));
  }
});

test('it is still a 409 when the numbers of the promoted server have passed the cursor; going on by numbers alone skips events', async () => {
  await eventually(async () => {
    const { rows } = await queryOnce<{ next: string }>(standby.url, 'SELECT pg_current_xact_id()::text AS next');
    expect(BigInt(rows[0]?.next ?? 0)).toBeGreaterThan(lostPlace.xact + 1n);
  });
  expect((await get(after, merchant, cursors.lost)).status).toBe(409);
  // The negative control: a rule that compares only the numbers, which two timelines share.
  const skipping = await listEvents(after.db, { accountId: merchant.id, after: lostPlace, limit: 200 });
  expect(skipping.events.length).toBeLessThan(NEW);
});

test('a cursor from an epoch that the promoted server never saw starts over', async () => {
  const unknown = tokens.seal({ kind: 'events', accountId: merchant.id }, [12345n, 1n, 1n]);
  const { status, body } = await get(after, merchant, unknown);
  expect(status).toBe(409);
  const { events } = await read(after, merchant, PARCELS + NEW, body.data.next_cursor);
  expect(idsOf(events).slice(0, PARCELS)).toEqual(idsOf(kept.events));
});
