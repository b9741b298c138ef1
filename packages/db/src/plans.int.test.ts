import { ATTENTION_DAYS, ATTENTION_REASONS } from '@pts/core/attention';
import { BEGINNING } from '@pts/core/continuation';
import type { Found } from '@pts/core/tracking/answer';
import { copyOf, openTestDatabase, PATIENT, type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { attemptOf, newTrackings } from '@pts/testing/factories';
import { findKeyHolder } from './accounts/accounts.ts';
import { pagesOf } from './accounts/personal-data.ts';
import { analyzeGrown } from './analyze.ts';
import { clearMarks, emitAttention, findAttention } from './attention.ts';
import { saveBatch } from './checks/answers.ts';
import {
  claimChecks,
  clearFailing,
  findExpired,
  findWaitingUndecided,
  giveBackChecks,
  keepInterval,
  markFailing,
  moveDueChecks,
  moveUnknownChecks,
  readBacklogs,
  takeDue,
} from './checks/schedule.ts';
import { type Db, openDatabase } from './connection.ts';
import { endLeases, loadDue, recordAttempts, takeAndLoad } from './deliveries/attempts.ts';
import { listAttempts, messagesOfTracking } from './deliveries/log.ts';
import { cancelPending, pendingEndpoints, sendNotices } from './deliveries/pending.ts';
import { prune } from './deliveries/retention.ts';
import { findPlaceBefore, listEvents } from './feed.ts';
import { findExpiring, findFailing, findRecovered, storeDisabled, storeNotice } from './notices.ts';
import { findPage } from './pages.ts';
import {
  countAttention,
  countShipments,
  listShipments,
  NEWEST_CHANGE_FIRST,
  NEWEST_REGISTRATION_FIRST,
  type ShipmentCursor,
  type ShipmentFilter,
} from './shipments.ts';
import { foldStats, pruneStats, readFigures } from './stats.ts';
import { findWatched, noteCallback, recordOutcomes, wantSubscriptions } from './subscriptions.ts';
import {
  ACCOUNT,
  API_KEY,
  idOf,
  leaveSlots,
  NOW,
  type ParcelState,
  PROVIDER,
  readSoFar,
  storeParcels,
  storeStats,
  WEBHOOK,
  withoutAutovacuum,
} from './testing/parcel-states.ts';
import {
  findAnswered,
  findByIds,
  findByNumbers,
  findTracking,
  registeredWithin,
  updateInputs,
} from './trackings/records.ts';

const COUNT = 10_000;
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const CLAIM = { provider: PROVIDER, cadence: CADENCE, now: NOW };
const TO = [{ carrier: 'yto', provider: 'other', floorSeconds: 0 }];

let fresh = 0;
/** Parcels of the large account that no other statement of the test has used, spread over the tables. */
const some = (count: number) => Array.from({ length: count }, () => idOf(1000 + ((997 * fresh++) % COUNT)));
const someKeys = (count: number) => some(count).map((trackingId) => ({ trackingId, accountId: ACCOUNT }));
const parcels = (count: number) => ({ ids: some(count), accounts: [ACCOUNT] });

/** What may be read for a list that no index has in its order, made small for small tables. */
const BOUNDS = { near: 40, candidates: 100, far: 100, texts: 100 };
const OLDEST_REGISTRATION_FIRST = { by: 'created', isAscending: true } as const;
const IN_FOUR_DAYS = new Date(NOW.getTime() + 4 * 86_400_000);

const WATCH = { accountId: ACCOUNT, since: NOW, settings: null };
const watchAttention = (db: Db) =>
  db.attentionWatch.createMany({ data: [{ accountId: ACCOUNT, since: NOW, nextAt: NOW }], skipDuplicates: true });

/** Pages of a list in both orders, and its count. @returns what they may read. */
async function readLists(db: Db, given: Omit<ShipmentFilter, 'accountId'>): Promise<number> {
  const filter = { accountId: ACCOUNT, ...given };
  for (const order of [NEWEST_CHANGE_FIRST, NEWEST_REGISTRATION_FIRST])
    await listShipments(db, { filter, order, limit: 20 }, BOUNDS);
  await countShipments(db, filter, BOUNDS);
  return 100;
}

/**
 * Reads of requests and streams, which rely on statistics: pollers collect them within seconds.
 * @returns what they have found.
 */
const READS: Record<string, (db: Db) => Promise<number>> = {
  'the holder of a key is found': async (db) => ((await findKeyHolder(db, API_KEY)) ? 1 : 0),
  'a number is found': async (db) => (await findByNumbers(db, ACCOUNT, ['N4321'])).length,
  'forty numbers are found': async (db) =>
    (
      await findByNumbers(
        db,
        ACCOUNT,
        Array.from({ length: 40 }, (_, n) => `N${97 * n}`),
      )
    ).length,
  'a parcel is found': async (db) => ((await findTracking(db, ACCOUNT, idOf(4321))) ? 1 : 0),
  'forty parcels are found': async (db) => (await findByIds(db, ACCOUNT, some(40))).length,
  'of forty, those with an answer are found': async (db) => (await findAnswered(db, ACCOUNT, some(40))).length,
  'the page of a parcel is found': async (db) =>
    (await findPage(db, { trackingId: idOf(4321), generation: 0 })) ? 1 : 0,
  'a page of shipments is listed': (db) => pageOf(db),
  'shipments of a status are listed': (db) => pageOf(db, { states: ['查询中'] }),
  'shipments with these ids are listed': (db) => pageOf(db, { ids: some(40) }),
  'a deep page of shipments is listed': (db) => pageOf(db, {}, { updatedAt: NOW, id: idOf(3000) }),
  'the feed is read': async (db) =>
    (await listEvents(db, { accountId: ACCOUNT, after: BEGINNING, limit: 50 })).events.length,
  'the newest events are found': async (db) =>
    (await findPlaceBefore(db, { accountId: ACCOUNT, count: 50 })).place ? 50 : 0,
  'the events of a parcel are listed': async (db) =>
    (await messagesOfTracking(db, { accountId: ACCOUNT, id: idOf(4321) })).length,
  'attempts are listed': async (db) => (await listAttempts(db, { accountId: ACCOUNT, limit: 50 })).rows.length,
  'attempts of an endpoint are listed': async (db) =>
    (await listAttempts(db, { accountId: ACCOUNT, webhookId: 'w', limit: 50 })).rows.length,
  'attempts of an event are listed': async (db) =>
    (await listAttempts(db, { accountId: ACCOUNT, event: 'tracking_update', limit: 50 })).rows.length,
  'failed attempts are listed': async (db) =>
    (await listAttempts(db, { accountId: ACCOUNT, failed: true, limit: 50 })).rows.length,
};

/** A page of shipments in the order of their changes. */
async function pageOf(db: Db, given: Omit<ShipmentFilter, 'accountId'> = {}, after?: ShipmentCursor): Promise<number> {
  const filter = { accountId: ACCOUNT, ...given };
  return (await listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, after, limit: 50 })).rows.length;
}

const STATEMENTS: Record<string, (db: Db) => Promise<number>> = {
  'the sweep takes 500': async (db) => {
    const taken = await takeDue(db, { ...CLAIM, limit: 500 });
    await taken.settle();
    return taken.checks.length;
  },
  'a job claims one': async (db) => (await claimChecks(db, { ...CLAIM, limit: 1 }, parcels(1))).length,
  'a job claims forty': async (db) => (await claimChecks(db, { ...CLAIM, limit: 40 }, parcels(40))).length,
  'a job fills its call': async (db) => (await claimChecks(db, { ...CLAIM, limit: 40 }, parcels(1))).length,
  'checks are given back': async (db) => {
    await giveBackChecks(db, PROVIDER, someKeys(40), NOW);
    return 40;
  },
  'a taken sweep is given back': async (db) => {
    const taken = await takeDue(db, { ...CLAIM, limit: 80 });
    await taken.giveBack(NOW);
    return taken.checks.length;
  },
  'checks keep their interval': async (db) => {
    await keepInterval(db, PROVIDER, someKeys(40), { cadence: CADENCE, now: NOW });
    return 40;
  },
  'checks fail': async (db) => {
    await markFailing(
      db,
      PROVIDER,
      someKeys(40).map((key) => ({ ...key, failure: 'timeout' })),
      NOW,
    );
    return 40;
  },
  'checks succeed again': async (db) => {
    await clearFailing(db, someKeys(40));
    return 40;
  },
  'forty answers are saved': async (db) => {
    const answer = { kind: 'found', scans: [scan('已取件')] } as Found;
    const answers = someKeys(40).map((key) => ({ ...key, answer, fingerprint: 'new', finalLook: false }));
    await saveBatch(db, answers, CADENCE, NOW);
    return 40;
  },
  'parcels without news are found': async (db) => (await findExpired(db, 200, NOW)).length,
  'due checks move to another provider': async (db) =>
    (await moveDueChecks(db, { ...CLAIM, to: TO, limit: 200, overdueSeconds: 0 })).length,
  'unknown numbers move to another provider': async (db) => {
    const routes = [{ carrier: 'yto', route: [PROVIDER, 'other'].map((provider) => ({ provider, floorSeconds: 0 })) }];
    return (await moveUnknownChecks(db, { ...CLAIM, routes, limit: 200, afterHours: 24, newsDays: 30 })).length;
  },
  'undecided numbers leave a paused provider': async (db) =>
    (await findWaitingUndecided(db, { ...CLAIM, others: ['other'], limit: 200 })).length,
  'subscriptions are wanted': async (db) => {
    const wanted = { provider: PROVIDER, cadence: CADENCE, resubscribeSeconds: 60, onlyFound: false, now: NOW };
    await wantSubscriptions(db, someKeys(40), wanted);
    return 40;
  },
  'who watches a number is found': async (db) => (await findWatched(db, PROVIDER, 'N4321')).watched.length,
  'a callback is received': async (db) => {
    const note = { provider: PROVIDER, carrier: 'yto', trackingNumber: 'N4321', resubscribeSeconds: 60 };
    await noteCallback(db, { ...note, state: 'active' }, CADENCE, NOW);
    return 1;
  },
  'forty subscriptions are refused': async (db) => {
    const refused = Array.from({ length: 40 }, (_, n) => `N${97 * n}`);
    await recordOutcomes(
      db,
      PROVIDER,
      refused.map((trackingNumber) => ({ carrier: 'yto', trackingNumber, state: 'refused' })),
      { checkWithinSeconds: 60, floorSeconds: 0, now: NOW },
    );
    return 40;
  },
  'a number is registered': async (db) => (await newTrackings(db, ACCOUNT, [`F${fresh++}`.padEnd(8, 'X')], NOW)).length,
  'forty numbers are registered': async (db) =>
    (
      await newTrackings(
        db,
        ACCOUNT,
        Array.from({ length: 40 }, () => `F${fresh++}`.padEnd(8, 'X')),
        NOW,
      )
    ).length,
  'forty get other inputs': async (db) =>
    (
      await updateInputs(
        db,
        ACCOUNT,
        some(40).map((id) => ({ id, inputs: { orderId: `A-${fresh++}`, phone: '5678' } })),
        NOW,
      )
    ).size,
  'of forty, those registered within a time are found': async (db) => {
    await registeredWithin(db, ACCOUNT, some(40), { since: NOW, until: NOW });
    return 40;
  },
  'deliveries are loaded and recorded': async (db) => {
    const due = await loadDue(
      db,
      [{ webhookId: WEBHOOK, accountId: ACCOUNT, after: null, inFlight: [], page: { fresh: 40, late: 10 } }],
      NOW,
    );
    await recordAttempts(
      db,
      due.map((each) => attemptOf(each, { startedAt: NOW })),
    );
    return due.length;
  },
  'the lease of an endpoint is taken with its deliveries': async (db) => {
    const request = {
      webhookId: WEBHOOK,
      accountId: ACCOUNT,
      after: null,
      inFlight: [],
      page: { fresh: 40, late: 10 },
    };
    const { due } = await takeAndLoad(db, 'reader', [request], NOW);
    expect(due).not.toEqual([]);
    await endLeases(db, 'reader', [WEBHOOK]);
    return due.length;
  },
  'the backlog is counted': async (db) => {
    const backlogs = await readBacklogs(db, NOW, 50);
    // Of a provider whose checks have left their slots, each slot is looked at.
    return backlogs.reduce((sum, { due }) => sum + due, 200);
  },
  'endpoints with pending deliveries are found': async (db) => (await pendingEndpoints(db)).length,
  'pending deliveries are cancelled': async (db) => {
    const enable = (enabled: boolean) => db.$executeRaw`UPDATE webhooks SET enabled = ${enabled} WHERE id = ${WEBHOOK}`;
    await enable(false);
    const cancelled = await cancelPending(db, { webhookId: WEBHOOK, accountId: ACCOUNT }, 40);
    await enable(true);
    expect(cancelled).toBe(40);
    return cancelled;
  },
  'a page of registrations is listed': async (db) => {
    const list = { filter: { accountId: ACCOUNT }, order: NEWEST_REGISTRATION_FIRST, limit: 50 };
    return (await listShipments(db, list)).rows.length;
  },
  'a bulk action takes its next shipments': async (db) => {
    const list = { filter: { accountId: ACCOUNT, states: ['查询中' as const] }, order: OLDEST_REGISTRATION_FIRST };
    return (await listShipments(db, { ...list, after: { updatedAt: NOW, id: idOf(3000) }, limit: 100 }, BOUNDS)).rows
      .length;
  },
  'a page of an export or copy is read': async (db) => {
    for await (const page of pagesOf(db, { name: 'trackings', key: ['updated_at', 'id'] }, ACCOUNT)) return page.length;
    return 0;
  },
  'attempts with a result that never was are walked': async (db) => {
    const page = await listAttempts(db, { accountId: ACCOUNT, statusCode: 418, limit: 20 }, 100);
    return page.rows.length + 100;
  },
  'a number is searched': (db) => readLists(db, { texts: ['N4321'] }),
  'what all parcels have in common is searched': (db) => readLists(db, { texts: ['N12'] }),
  'what no parcel has is searched': (db) => readLists(db, { texts: ['nothing like it'] }),
  'the parcels of a carrier without any are listed': (db) => readLists(db, { carrier: 'ups' }),
  'parcels that need attention are listed': async (db) => {
    const attention = { reasons: ATTENTION_REASONS, now: IN_FOUR_DAYS, days: ATTENTION_DAYS };
    const list = { filter: { accountId: ACCOUNT, attention }, order: NEWEST_CHANGE_FIRST, limit: 50 };
    return (await listShipments(db, list)).rows.length;
  },
  'parcels with a rare reason are listed': (db) =>
    readLists(db, { attention: { reasons: ['customs'], now: NOW, days: ATTENTION_DAYS } }),
  'reasons for attention are counted': async (db) =>
    [...(await countAttention(db, ACCOUNT, { now: NOW, days: ATTENTION_DAYS })).values()].reduce(
      (sum, count) => sum + count,
      0,
    ),
  'attention that begins is found': async (db) => (await findAttention(db, WATCH, 200, IN_FOUR_DAYS)).length,
  'the events of attention are stored': async (db) => {
    await watchAttention(db);
    await emitAttention(db, WATCH, some(40), { now: IN_FOUR_DAYS, pages: undefined });
    return 40;
  },
  'attention that has ended is found': async (db) => {
    await watchAttention(db);
    await db.attentionMark.createMany({
      data: some(40).map((trackingId) => ({ accountId: ACCOUNT, trackingId, reason: 'not_found', since: NOW })),
      skipDuplicates: true,
    });
    return clearMarks(db, WATCH, 200, NOW);
  },
  'webhooks that fail, that work again, and keys that expire are found': async (db) => {
    await db.webhook.update({ where: { id: WEBHOOK }, data: { lastFailedAt: NOW } });
    const which = { accountId: ACCOUNT, webhookId: WEBHOOK, url: 'https://example.com/', reason: 'gone' };
    await storeDisabled(db, which, NOW);
    for (const find of [findFailing, findRecovered, findExpiring]) await find(db, NOW);
    return 1;
  },
  'notices are sent': async (db) => {
    const kind = { kind: 'webhook_recovered' as const, details: { url: 'https://example.com/' } };
    await storeNotice(db, { ...kind, accountId: ACCOUNT, subject: idOf(9000 + fresh++), since: NOW });
    return (await sendNotices(db, { limit: 200, now: NOW })).sent;
  },
  'the figures of an account are read': async (db) => {
    const range = { from: new Date(NOW.getTime() - 7 * 24 * 3_600_000), to: NOW, interval: 'hour' as const };
    const { counts, transits } = await readFigures(db, { accountId: ACCOUNT, ...range });
    // Transit times are summed up over the days.
    return counts.length + 8 * transits.length;
  },
  'events and attempts are counted': async (db) => {
    await foldStats(db, () => null, 200);
    // Each attempt has a delivery.
    return 3 * 200;
  },
  'old figures are deleted': async (db) => {
    const before = new Date(NOW.getTime() - 990 * 24 * 3_600_000);
    // There is a step for each account, too.
    return 1000 + (await pruneStats(db, { hoursBefore: before, daysBefore: before, batch: 200 }));
  },
  'old attempts are deleted': (db) => prune(db, { before: NOW, overdue: NOW, batch: 200 }),
};

const scan = (description: string) => ({
  time: '2031-04-05T05:00:00Z',
  timeRaw: '2031-04-05T05:00:00Z',
  zoneSource: 'carrier' as const,
  location: '云溪市',
  description,
  status: 'in_transit' as const,
});

/** What a state is, and what PostgreSQL knows of it: whether and when its tables were analyzed. */
const STATES: [string, ParcelState, 'never' | 'before' | 'after'][] = [
  ['a fresh import', { count: COUNT, checks: 'new' }, 'never'],
  ['a backlog of checks that left their slots', { count: COUNT, checks: 'slots' }, 'before'],
  ['a large merchant among small ones', { count: COUNT, checks: 'apart', others: 500 }, 'after'],
];
const MODES = ['force_generic_plan', 'force_custom_plan'] as const;

describe.each(STATES)('after %s', (_name, parcels, analyzed) => {
  // Each mode reads and writes a copy of its own: storing the parcels takes longer than everything else.
  let stored: TestDatabase;
  beforeAll(async () => {
    stored = await testDatabase();
    const setup = openDatabase({ url: stored.url, poolSize: 1, ...PATIENT });
    await withoutAutovacuum(setup);
    await storeParcels(setup, parcels);
    await storeStats(setup, ACCOUNT);
    if (analyzed === 'after' || analyzed === 'before') await setup.$executeRaw`ANALYZE`;
    if (analyzed === 'before') await leaveSlots(setup);
    await untilReadable(setup);
    await setup.$disconnect();
  }, 120_000);
  afterAll(() => stored.close());

  describe.each(MODES)('with %s', (mode) => {
    let database: TestDatabase;
    let db: Db;
    beforeAll(async () => {
      database = await copyOf(stored);
      // One connection, which keeps its plans.
      db = openDatabase({ url: database.url, poolSize: 1, preparedStatements: 'on', ...PATIENT });
      await db.$executeRawUnsafe(`SET plan_cache_mode = ${mode}`);
    });
    afterAll(async () => {
      await db.$disconnect();
      await database.close();
    });

    const statements = analyzed === 'never' ? STATEMENTS : { ...READS, ...STATEMENTS };
    test.each(Object.entries(statements))('%s reads only what they take', (name, work) =>
      expectFewReads(db, name, work),
    );

    if (analyzed !== 'never') return;
    test('reads read only what they take, too, once grown tables are analyzed', async () => {
      await analyzeGrown(db, ['public']);
      await readSoFar(db);
      for (const [name, work] of Object.entries(READS)) await expectFewReads(db, name, work);
    });
  });
});

test('plans that were made while the tables were empty read only what they take, once grown tables are analyzed', async () => {
  const database = await openTestDatabase(1);
  const db = openDatabase({ url: database.url, poolSize: 1, preparedStatements: 'on', ...PATIENT });
  const all = { ...READS, ...STATEMENTS };
  try {
    await withoutAutovacuum(db);
    for (let times = 0; times < 6; times++) for (const work of Object.values(all)) await work(db).catch(() => {});
    // On its connection, so that this keeps its plans.
    await storeParcels(db, { count: COUNT, checks: 'new' });
    await storeStats(db, idOf(9));
    await analyzeGrown(db, ['public']);
    await untilReadable(db);
    for (const [name, work] of Object.entries(all)) await expectFewReads(db, name, work);
  } finally {
    await db.$disconnect();
    await database.close();
  }
}, 120_000);

/** Until no transaction of the server is open that began before the events were stored: the feed waits for those. */
async function untilReadable(db: Db): Promise<void> {
  const first = { accountId: ACCOUNT, after: BEGINNING, limit: 1 };
  await eventually(async () => expect((await listEvents(db, first)).events).toHaveLength(1));
}

/**
 * Lets a connection pass over rows that died before. It would go on reading them while the oldest transaction of the
 * server, in any database, is the same as when it last looked for one in its own; a vacuum looks again.
 */
async function passOverDead(db: Db): Promise<void> {
  await db.$executeRaw`VACUUM pg_am`;
}

async function expectFewReads(db: Db, name: string, work: (db: Db) => Promise<number>): Promise<void> {
  // The second time a prepared plan is used again.
  for (const _again of [1, 2]) {
    await passOverDead(db);
    const before = await readSoFar(db);
    const taken = await work(db);
    const after = await readSoFar(db);
    const read = { rows: after.rows - before.rows, pages: after.pages - before.pages };
    const isFew = read.rows < 200 + 12 * taken && read.pages < 1000 + 100 * taken;
    expect({ name, taken, ...read, isFew }).toEqual({ name, taken, ...read, isFew: true });
    if (name in READS) expect(taken).toBeGreaterThan(0);
  }
}
