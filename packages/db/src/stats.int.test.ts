import type { DeliveryEstimate } from '@pts/core/estimates';
import { intervalsOf, statsRange, type Transit } from '@pts/core/stats';
import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { readTrackingBody } from '@pts/core/webhook/push';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import fc from 'fast-check';
import { expireTrackings } from './checks/answers.ts';
import type { Db } from './connection.ts';
import { loadDue, recordAttempts, recordPings } from './deliveries/attempts.ts';
import { supersedePending } from './deliveries/pending.ts';
import { beginRound } from './deliveries/send-again.ts';
import { countParcels, foldStats, pruneStats, readEndpointHours, readFigures, recount } from './stats.ts';
import { foldAll } from './testing/fold-all.ts';
import { keysOf } from './testing/parcel-keys.ts';
import { readSoFar, withoutAutovacuum } from './testing/parcel-states.ts';
import { saveAnswers } from './testing/save-answers.ts';
import { deleteTracking, retrack, updateTracking } from './trackings/records.ts';

const START = new Date('2031-04-01T22:10:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const RANGE = { from: new Date('2031-03-30T00:00:00Z'), to: new Date('2031-06-30T00:00:00Z') };

let database: OpenTestDatabase;
let db: Db;
beforeAll(async () => {
  database = await openTestDatabase(6);
  db = database.db;
}, 60_000);
afterAll(() => database.close());

/** The rule for transit times is not the subject here: each delivery counts, by its carrier and its promise. */
function transitOf(body: string, expected: DeliveryEstimate | null): Transit {
  const { carrier } = readTrackingBody(body).data;
  const promise = expected && { source: expected.source, isKept: expected.to > '2031-04-04' };
  return { carrier, origin: 'CN-GD', destination: 'CN-BJ', hours: 24, promise };
}

/** A fold that is killed after some statements; the last number is after all of them, before its commit. */
function killedFold(after: number): Promise<unknown> {
  const $hotTransaction: Db['$hotTransaction'] = (work) =>
    db.$hotTransaction(async (tx) => {
      let sent = 0;
      await work({
        $hot: (text, values) => {
          sent += 1;
          if (sent > after) throw new Error('killed');
          return tx.$hot(text, values);
        },
      });
      throw new Error('killed');
    });
  return expect(foldStats({ $hotTransaction }, transitOf)).rejects.toThrow('killed');
}

type Merchant = { accountId: string; webhookId: string; registered: number };
type Parcel = { id: string; merchant: Merchant };

/** Two merchants and their parcels; every change is a moment after the one before. */
async function newWorld() {
  const merchants: Merchant[] = [];
  for (const _ of [1, 2]) {
    const accountId = await newAccount(db, START);
    merchants.push({ accountId, webhookId: (await newWebhook(db, accountId, START)).id, registered: 0 });
  }
  return { merchants, parcels: [] as Parcel[], now: START, carriers: 0 };
}
type World = Awaited<ReturnType<typeof newWorld>>;

/** Waiting for the next moment makes hours and days pass. */
function later(world: World): Date {
  world.now = new Date(world.now.getTime() + 37 * 60_000);
  return world.now;
}

function answerOf(status: ScanStatus, now: Date, to: string | null): CarrierAnswer {
  const time = toUtcSeconds(now);
  const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '深圳市', description: status, status };
  return {
    kind: 'found',
    scans: [scan],
    ...(to === null ? {} : { estimatedDelivery: { from: to, to } }),
  } as CarrierAnswer;
}

const STATUSES = ['in_transit', 'out_for_delivery', 'delivered', 'exception', 'returned'] as const;
const ESTIMATES = [null, '2031-04-03', '2031-04-09'] as const;
const nth = fc.nat(40);

type Work = (world: World) => Promise<unknown>;
const pick = ({ parcels }: World, n: number) => parcels[n % Math.max(1, parcels.length)];

const registers = fc.tuple(fc.nat(1), fc.array(fc.nat(12), { minLength: 1, maxLength: 4 })).map(
  ([owner, numbers]): Work =>
    async (world) => {
      const merchant = world.merchants[owner];
      if (!merchant) return;
      const names = [...new Set(numbers)].map((n) => `N${merchant.accountId}${n}`.toUpperCase().slice(0, 40));
      for (const id of await newTrackings(db, merchant.accountId, names, later(world))) {
        if (world.parcels.some((parcel) => parcel.id === id)) continue;
        world.parcels.push({ id, merchant });
        merchant.registered += 1;
      }
    },
);
const answers = fc
  .array(fc.tuple(nth, fc.constantFrom(...STATUSES), fc.constantFrom(...ESTIMATES)), { maxLength: 5 })
  .map(
    (given): Work =>
      async (world) => {
        const now = later(world);
        const changed = given.flatMap(([n, status, to]) => {
          const id = pick(world, n)?.id;
          const fingerprint = `${now.getTime()}${status}`;
          return id ? { trackingId: id, answer: answerOf(status, now, to), fingerprint, finalLook: false } : [];
        });
        await saveAnswers(db, changed, CADENCE, now);
      },
  );
const moves = nth.map(
  (n): Work =>
    async (world) => {
      const parcel = pick(world, n);
      if (!parcel) return;
      world.carriers += 1;
      const move = { carrier: `carrier-${world.carriers}`, provider: 'scripted', detected: false, floorSeconds: 0 };
      const { accountId } = parcel.merchant;
      await updateTracking(db, { accountId, id: parcel.id, change: { move }, now: later(world) });
    },
);
const deletes = nth.map(
  (n): Work =>
    async (world) => {
      const parcel = pick(world, n);
      if (
        parcel &&
        (await deleteTracking(db, { accountId: parcel.merchant.accountId, id: parcel.id, now: new Date() }))
      )
        world.parcels.splice(world.parcels.indexOf(parcel), 1);
    },
);
const retracks = nth.map(
  (n): Work =>
    async (world) => {
      const parcel = pick(world, n);
      if (!parcel) return;
      const { accountId } = parcel.merchant;
      await retrack(db, { accountId, id: parcel.id, floorSeconds: 0, now: later(world) });
    },
);
const expires = nth.map(
  (n): Work =>
    async (world) => {
      const id = pick(world, n)?.id;
      const now = new Date(world.now.getTime() + 31 * 24 * 3_600_000);
      if (id) await expireTrackings(db, await keysOf(db, [id]), CADENCE, now);
    },
);
const pushes = fc.tuple(fc.nat(1), fc.boolean(), fc.nat(90_000)).map(
  ([owner, isAccepted, durationMs]): Work =>
    async (world) => {
      const now = later(world);
      const { webhookId = '', accountId = '' } = world.merchants[owner] ?? {};
      const due = await loadDue(db, [allDue({ id: webhookId, accountId })], now);
      const failure = {
        statusCode: 500,
        error: 'the receiver responded with 500',
        state: 'owed',
        nextAttemptAt: now,
      } as const;
      const outcomes = due.map((each) =>
        attemptOf(each, { startedAt: now, durationMs, ...(isAccepted ? {} : failure) }),
      );
      await recordAttempts(db, outcomes);
      // The same records again, as after a lost answer.
      await recordAttempts(db, outcomes);
    },
);
const redeliveries = fc.nat(1).map(
  (owner): Work =>
    async (world) => {
      const accountId = world.merchants[owner]?.accountId ?? '';
      const record = await db.deliveryAttempt.findFirst({ where: { accountId }, orderBy: { id: 'desc' } });
      if (record) await beginRound(db, { accountId, recordId: record.id, now: later(world) });
    },
);
const superseding = fc.nat(1).map(
  (owner): Work =>
    async (world) => {
      const { webhookId = '', accountId = '' } = world.merchants[owner] ?? {};
      await db.webhook.update({ where: { id: webhookId }, data: { supersede: true, failingSince: world.now } });
      await supersedePending(db, { webhookId, accountId }, { after: null, limit: 10, now: later(world) });
    },
);
const folds = fc.integer({ min: 1, max: 8 }).map(
  (size): Work =>
    () =>
      foldStats(db, transitOf, size),
);
const twoFolds: Work = () => Promise.all([foldStats(db, transitOf, 3), foldStats(db, transitOf)]);
const kills = fc.nat(7).map(
  (after): Work =>
    () =>
      killedFold(after),
);
const recounts = fc.nat(1).map(
  (owner): Work =>
    async (world) => {
      const merchant = world.merchants[owner];
      if (!merchant) return;
      await recount(db, merchant.accountId, transitOf);
      // Of what was deleted, nothing is left to count.
      merchant.registered = await db.tracking.count({ where: { accountId: merchant.accountId } });
    },
);
const foldsMeanwhile = answers.map(
  (answer): Work =>
    async (world) => {
      await Promise.all([answer(world), foldStats(db, transitOf, 5), foldStats(db, transitOf)]);
    },
);

const operations = fc.oneof(
  { weight: 4, arbitrary: registers },
  { weight: 8, arbitrary: answers },
  { weight: 4, arbitrary: pushes },
  { weight: 1, arbitrary: redeliveries },
  { weight: 1, arbitrary: superseding },
  { weight: 2, arbitrary: moves },
  { weight: 2, arbitrary: deletes },
  { weight: 1, arbitrary: retracks },
  { weight: 1, arbitrary: expires },
  { weight: 3, arbitrary: folds },
  { weight: 1, arbitrary: fc.constant(twoFolds) },
  { weight: 2, arbitrary: foldsMeanwhile },
  { weight: 2, arbitrary: kills },
  { weight: 1, arbitrary: recounts },
);

type Sums = Record<string, number>;
function sums(entries: readonly (readonly [key: string, count: number])[]): Sums {
  const all: Sums = {};
  for (const [key, count] of entries) all[key] = (all[key] ?? 0) + count;
  return all;
}
const hourOf = (time: Date, isDay: boolean) => time.toISOString().slice(0, isDay ? 10 : 13);

async function parcelsOf(accountId: string): Promise<Sums> {
  const { statuses, subStatuses, carriers } = await countParcels(db, accountId);
  return Object.fromEntries([...statuses, ...subStatuses, ...carriers]);
}

/** The figures as they can be read. */
async function figuresOf(accountId: string) {
  const [byHour, byDay] = [
    await readFigures(db, { accountId, ...RANGE, interval: 'hour' }),
    await readFigures(db, { accountId, ...RANGE, interval: 'day' }),
  ];
  const countsOf = ({ counts }: typeof byHour, isDay: boolean) =>
    sums(
      counts.flatMap((interval) =>
        interval.counts.map(
          ([figure, bucket, amount]) => [`${hourOf(interval.at, isDay)} ${figure} ${bucket}`, amount] as const,
        ),
      ),
    );
  return {
    parcels: await parcelsOf(accountId),
    hours: countsOf(byHour, false),
    days: countsOf(byDay, true),
    endpoints: sums(
      (await readEndpointHours(db, { accountId, from: RANGE.from })).flatMap(({ webhookId, at, accepted, failed }) => [
        [`${hourOf(at, false)} ${webhookId} accepted`, accepted] as const,
        [`${hourOf(at, false)} ${webhookId} failed`, failed] as const,
      ]),
    ),
    transits: sums(
      byDay.transits.flatMap(({ carrier, parcels, carrierExpected, carrierInTime }) => [
        [`${carrier} parcels`, parcels] as const,
        [`${carrier} expected`, carrierExpected] as const,
        [`${carrier} in time`, carrierInTime] as const,
      ]),
    ),
  };
}

test('a request reads what is counted, however much waits, and says whether something waits for long', async () => {
  const own = await openTestDatabase(1);
  try {
    await withoutAutovacuum(own.db);
    const accountId = await newAccount(own.db, START);
    const add = (count: number, secondsAgo: number) => own.db.$executeRaw`
      INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
      SELECT lpad(to_hex(((extract(epoch FROM now()) - ${secondsAgo}::int) * 1048576)::bigint + i), 13, '0') || '00000000000', -i, 'm', 'w',
        ${accountId}, 'tracking_update', 1, ${RANGE.from.toISOString()}::timestamptz, 500, 'failed', 5 FROM generate_series(1, ${count}::int) i`;
    const read = () => readFigures(own.db, { accountId, ...RANGE, interval: 'day' });
    const failures = ({ counts }: Awaited<ReturnType<typeof read>>) =>
      counts.flatMap((interval) => interval.counts).reduce((sum, [, , amount]) => sum + amount, 0);
    await add(10_000, 30);
    const soon = await read();
    expect([soon.isUpToDate, failures(soon)]).toEqual([true, 0]);
    await add(50_000, 90);
    const before = await readSoFar(own.db);
    const late = await read();
    expect([late.isUpToDate, failures(late)]).toEqual([false, 0]);
    expect((await readSoFar(own.db)).rows - before.rows).toBeLessThan(100);
    await foldAll(own.db, transitOf);
    const folded = await read();
    expect([folded.isUpToDate, failures(folded)]).toEqual([true, 60_000]);
  } finally {
    await own.close();
  }
});

const lagBucket = (ms: number) => Math.ceil(4 * Math.log2(Math.max(1, ms)));

/** The same, counted from the tables. */
async function recountOf({ accountId, registered }: Merchant) {
  const [trackings, messages, attempts] = await Promise.all([
    db.tracking.findMany({ where: { accountId } }),
    db.message.findMany({ where: { accountId }, orderBy: { seq: 'asc' } }),
    db.deliveryAttempt.findMany({ where: { accountId } }),
  ]);
  const created = new Map((await db.delivery.findMany({ where: { accountId } })).map((row) => [row.id, row.createdAt]));
  const counting = attempts.filter(
    ({ deliveryId, error }) => deliveryId !== null && !error?.includes('attempt.superseded'),
  );
  const pushed = counting.map(({ deliveryId, error, round, startedAt, durationMs }) => {
    const lag = startedAt.getTime() + durationMs - (created.get(deliveryId ?? 0n)?.getTime() ?? 0);
    const figure = error === null ? `accepted ${round > 0 ? -1 : lagBucket(lag)}` : 'failed 0';
    return [startedAt, figure] as const;
  });
  const events = messages.map(({ createdAt, event }) => [createdAt, `${event} 0`] as const);
  const counted = (isDay: boolean) =>
    sums([...pushed, ...events].map(([at, figure]) => [`${hourOf(at, isDay)} ${figure}`, 1]));
  const delivered = messages.filter(({ event }) => event === 'tracking_delivered');
  const transits = delivered.flatMap(({ trackingId, body, seq }) => {
    const { carrier } = readTrackingBody(body).data;
    const own = messages.filter((each) => each.trackingId === trackingId && (each.seq ?? 0) < (seq ?? 0));
    const estimates = own.flatMap((each) => {
      const { data } = readTrackingBody(each.body);
      return data.carrier === carrier && data.estimated_delivery ? data.estimated_delivery : [];
    });
    const { promise } = transitOf(body, estimates[0] ?? null);
    return [
      [`${carrier} parcels`, 1] as const,
      [`${carrier} expected`, promise ? 1 : 0] as const,
      [`${carrier} in time`, promise?.isKept ? 1 : 0] as const,
    ];
  });
  return {
    parcels: sums(
      trackings.flatMap(({ carrier, status, subStatus }) =>
        [carrier, status, subStatus].map((value) => [value, 1] as const),
      ),
    ),
    hours: counted(false),
    days: counted(true),
    endpoints: sums(
      counting.flatMap(({ webhookId, startedAt, error }) =>
        ['accepted', 'failed'].map(
          (result) =>
            [
              `${hourOf(startedAt, false)} ${webhookId} ${result}`,
              Number((error === null) === (result === 'accepted')),
            ] as const,
        ),
      ),
    ),
    registered,
    transits: sums(transits),
  };
}

/**
 * Registrations are not in the tables any more once they are deleted: their sum is compared with what the test
 * registered.
 */
function withoutRegistered(counts: Sums): [Sums, number] {
  const isRegistered = ([key]: [string, number]) => key.includes('registered');
  const entries = Object.entries(counts);
  const total = entries.filter(isRegistered).reduce((sum, [, count]) => sum + count, 0);
  return [Object.fromEntries(entries.filter((entry) => !isRegistered(entry))), total];
}

async function expectExact(world: World): Promise<void> {
  for (const merchant of world.merchants) {
    const [found, expected] = [await figuresOf(merchant.accountId), await recountOf(merchant)];
    const [hours, byHour] = withoutRegistered(found.hours);
    const [days, byDay] = withoutRegistered(found.days);
    expect({ parcels: found.parcels, hours, days, endpoints: found.endpoints, byHour, byDay }).toEqual({
      parcels: expected.parcels,
      hours: expected.hours,
      days: expected.days,
      endpoints: expected.endpoints,
      byHour: expected.registered,
      byDay: expected.registered,
    });
  }
}

async function expectTransits(world: World): Promise<void> {
  for (const merchant of world.merchants)
    expect((await figuresOf(merchant.accountId)).transits).toEqual((await recountOf(merchant)).transits);
}

test('after any operations, folds and kills, the figures are those that a recount of the tables gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 10, maxLength: 40 }), async (works) => {
      const world = await newWorld();
      for (const work of works) await work(world);
      await foldAll(db, transitOf);
      await expectExact(world);
      await expectTransits(world);
    }),
    { numRuns: 12 },
  );
}, 180_000);

test('a recount of an account whose rows were copied is exact while transactions are running', async () => {
  const world = await newWorld();
  const [merchant] = world.merchants;
  if (!merchant) throw new Error('there are no merchants');
  const ids = await newTrackings(db, merchant.accountId, ['OLDER1', 'OLDER2', 'OLDER3'], START);
  merchant.registered = ids.length;
  const delivered = (id: string) => [
    { trackingId: id, answer: answerOf('delivered', START, null), fingerprint: id, finalLook: false },
  ];
  await saveAnswers(db, delivered(ids[0] ?? ''), CADENCE, START);
  // As in a copy: nothing is counted.
  for (const table of ['stat_counts', 'stat_transits'])
    await db.$executeRawUnsafe(`DELETE FROM ${table} WHERE account_id = '${merchant.accountId}'`);
  await saveAnswers(db, delivered(ids[1] ?? ''), CADENCE, START);
  await db.$transaction(async (tx) => {
    await tx.tracking.update({ where: { id: ids[2] ?? '' }, data: { status: '异常', subStatus: 'exception' } });
    await recount(db, merchant.accountId, transitOf);
  });
  await foldAll(db, transitOf);
  await expectExact(world);
  await expectTransits(world);
});

test('pings and superseded updates are no pushes, and a redelivery has no lag', async () => {
  const world = await newWorld();
  const [merchant] = world.merchants;
  if (!merchant) throw new Error('there are no merchants');
  const { accountId, webhookId } = merchant;
  const [id = ''] = await newTrackings(db, accountId, ['PUSHED1'], START);
  merchant.registered = 1;
  for (const status of ['in_transit', 'out_for_delivery', 'exception'] as const) {
    const answer = answerOf(status, later(world), null);
    await saveAnswers(db, [{ trackingId: id, answer, fingerprint: status, finalLook: false }], CADENCE, world.now);
  }
  await db.webhook.update({ where: { id: webhookId }, data: { supersede: true, failingSince: START } });
  const page = { after: null, limit: 10, now: world.now };
  expect(await supersedePending(db, { webhookId, accountId }, page)).toMatchObject({ dropped: 2 });
  const ping = {
    messageId: 'ping',
    webhookId,
    accountId,
    attempt: 1,
    startedAt: START,
    statusCode: 200,
    durationMs: 5,
  };
  await recordPings(db, [{ ...ping, error: null, responseExcerpt: null, trace: null }]);
  const [first, second] = (await loadDue(db, [allDue({ id: webhookId, accountId })], later(world))).slice(0, 2);
  if (!first || !second) throw new Error('two pushes are due');
  const failure = { statusCode: 0, error: 'no answer', state: 'exhausted' as const };
  await recordAttempts(db, [
    attemptOf(first, { startedAt: world.now }),
    attemptOf(second, { startedAt: world.now, ...failure }),
  ]);
  const record = await db.deliveryAttempt.findFirstOrThrow({ where: { accountId, error: 'no answer' } });
  await beginRound(db, { accountId, recordId: record.id, now: world.now });
  const again = await loadDue(db, [allDue({ id: webhookId, accountId })], later(world));
  await recordAttempts(
    db,
    again.map((each) => attemptOf(each, { startedAt: world.now })),
  );
  await foldAll(db, transitOf);
  const { days } = await figuresOf(accountId);
  const pushed = Object.entries(days).filter(([key]) => /accepted|failed/.test(key));
  expect(pushed.map(([key, count]) => [key.slice(11), count])).toEqual(
    expect.arrayContaining([
      ['accepted -1', 1],
      ['failed 0', 1],
      [expect.stringMatching(/accepted \d+/), 1],
    ]),
  );
  expect(pushed).toHaveLength(3);
  await expectExact(world);
});

test('what is stored at an earlier place by a transaction that ends later is counted, too', async () => {
  const accountId = await newAccount(db, START);
  const event = { accountId, event: 'tracking_update', body: '{}', createdAt: START };
  const counted = async () => {
    await foldStats(db, transitOf);
    await foldStats(db, transitOf);
    return (await db.statCount.findMany({ where: { accountId, series: 'day' } })).map(({ amount }) => amount);
  };
  await foldAll(db, transitOf);
  await db.$transaction(async (tx) => {
    await tx.message.create({ data: { ...event, id: 'earlier' } });
    await db.message.create({ data: { ...event, id: 'later' } });
    // It does not wait for the transaction either.
    expect(await counted()).toEqual([]);
  });
  await foldAll(db, transitOf);
  expect(await counted()).toEqual([2]);
});

test('only one process folds at a time', async () => {
  const accountId = await newAccount(db, START);
  await foldAll(db, transitOf);
  await db.message.create({ data: { id: 'one', accountId, event: 'tracking_update', body: '{}', createdAt: START } });
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 AS taken FROM pg_advisory_xact_lock(7351001)`;
    expect(await foldStats(db, transitOf)).toEqual({ more: false });
    expect(await db.statCount.count({ where: { accountId } })).toBe(0);
  });
  await foldAll(db, transitOf);
  expect(await db.statCount.count({ where: { accountId } })).toBe(2);
});

test('hours and days are removed when they can no longer be read', async () => {
  const accountId = await newAccount(db, START);
  const at = (daysAgo: number) => new Date(Date.UTC(2031, 3, 1 - daysAgo));
  const rows = [0, 35, 36, 400, 401, 402].flatMap((daysAgo) => [
    { accountId, series: 'hour', at: at(daysAgo), figure: 'failed', bucket: 0, amount: 1 },
    { accountId, series: 'day', at: at(daysAgo), figure: 'failed', bucket: 0, amount: 1 },
  ]);
  await db.statCount.createMany({ data: rows });
  const pushes = { series: 'endpoint', figure: 'w1', bucket: 1, amount: 1 };
  await db.statCount.createMany({
    data: [0, 35, 36, 37].map((daysAgo) => ({ accountId, at: at(daysAgo), ...pushes })),
  });
  const lane = { carrier: 'yto', origin: '*', destination: '*', hours: 24, parcels: 1 };
  const promises = { carrierExpected: 0, carrierInTime: 0, historyExpected: 0, historyInTime: 0 };
  await db.statTransit.createMany({
    data: [0, 402].flatMap((daysAgo) =>
      (['day', 'week'] as const).map((grain) => ({ accountId, grain, at: at(daysAgo), ...lane, ...promises })),
    ),
  });
  const kept = { hoursBefore: at(36), daysBefore: at(401), batch: 2 };
  expect(await pruneStats(db, kept)).toBe(6);
  expect(await pruneStats(db, kept)).toBe(1);
  expect(await pruneStats(db, kept)).toBe(0);
  const left = await db.statCount.findMany({ where: { accountId }, orderBy: [{ series: 'desc' }, { at: 'desc' }] });
  expect(left.map((row) => [row.series, row.at])).toEqual([
    ...[0, 35, 36].map((daysAgo) => ['hour', at(daysAgo)]),
    ...[0, 35, 36].map((daysAgo) => ['endpoint', at(daysAgo)]),
    ...[0, 35, 36, 400, 401].map((daysAgo) => ['day', at(daysAgo)]),
  ]);
  expect(await db.statTransit.count({ where: { accountId } })).toBe(2);
  const oldest = statsRange({ from: at(35).toISOString(), to: at(30).toISOString(), interval: 'hour' }, at(-0.9));
  expect('field' in oldest ? oldest : intervalsOf(oldest)[0]).toEqual(at(35));
});
