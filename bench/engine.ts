import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@pts/core/id';
import type { Db } from '@pts/db/connection';
import { storeMessages } from '@pts/db/deliveries/pending';
import { rotateHistory } from '@pts/db/deliveries/retention';
import { beginHistory } from '@pts/db/testing/history';
import { enabledEndpoints } from '@pts/db/webhooks';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/wake';
import { lotPrefix } from '@pts/sandbox-carrier/stories';
import { addKey } from '@pts/service/accounts';
import { migrateDatabase, queryOnce } from '@pts/testing/database';
import {
  type Buckets,
  bucketsBetween,
  bucketsOf,
  type Figure,
  figure,
  percentile,
  quantileOf,
  totalOf,
} from './figure.ts';
import { type Installation, openInstallation, startDurableServers, type UsageByGroup } from './installation.ts';
import { atRateWhile, call, EXAMPLE, type Merchant, newMerchant, registerReceiver } from './merchant.ts';
import type { BenchOptions } from './options.ts';
import { chooseAccount } from './seed/options.ts';
import { seedParcels, showProgress } from './seed/seed.ts';
import { startSink } from './sink.ts';

const BATCH = 40;
/** Parcels seeded per second, a conservative estimate: the checks are spread over the interval after it. */
const SEEDED_PER_SECOND = 10_000;
const READ_EVERY_MS = 5000;

/**
 * A long run of the services, PostgreSQL and Redis as they are deployed, with a number of parcels of the sandbox
 * carrier, polled at an interval; along with registrations and events, if wanted. Everything is measured from outside.
 */
export async function benchEngine(options: BenchOptions): Promise<Figure[]> {
  const servers = options.databaseUrl === null ? await startDurableServers() : null;
  const database = await servers?.newDatabase();
  const sink = await startSink();
  const databaseUrl = database?.url ?? options.databaseUrl ?? '';
  const redisUrl = options.store === 'redis' ? (servers?.redisUrl ?? options.redisUrl ?? undefined) : undefined;
  try {
    if (options.store === 'redis' && redisUrl === undefined)
      throw new Error('REDIS_URL is not set, or use --store postgres');
    if (!servers) await migrateDatabase(databaseUrl);
    const round = await run(options, { databaseUrl, redisUrl, receiverUrl: sink.url });
    return figuresOf(round, options).map((each) => ({ ...each, store: options.store }));
  } finally {
    await sink.close();
    await servers?.stop();
  }
}

type Servers = { databaseUrl: string; redisUrl: string | undefined; receiverUrl: string };

async function run(options: BenchOptions, { databaseUrl, redisUrl, receiverUrl }: Servers): Promise<Round> {
  const { parcels, pollers, registrations, intervalSeconds } = options;
  // Twice the calls that the parcels need, so that the carrier's rate is not the limit. A registration has a call of
  // its own.
  const callsPerSecond = Math.max(100, Math.ceil(2 * (parcels / intervalSeconds / BATCH + registrations)));
  const env = {
    CHECK_INTERVAL_SECONDS: String(intervalSeconds),
    PROVIDER_LIMITS: `sandbox.calls_per_second=${Math.min(callsPerSecond, 10_000)}`,
    ENCRYPTION_KEY: options.encryptionKey,
  };
  const first = await openInstallation({ databaseUrl, redisUrl, apps: { api: 1 }, env });
  const merchant = await chooseMerchant(first);
  await registerReceiver(first.apiUrl, merchant, receiverUrl);
  const { startAt, isSeeded } = await seed(first, merchant, options, databaseUrl);
  await first.close();
  const apps = { 'sandbox-carrier': 1, api: 1, 'webhook-dispatcher': 1, 'carrier-poller': pollers };
  const installation = await openInstallation({ databaseUrl, redisUrl, apps, env });
  const loads: Load[] = [];
  try {
    if (isSeeded) await settle(databaseUrl);
    await delay(Math.max(0, startAt.getTime() - Date.now()));
    if (options.imported > 0) loads.push(startImport(installation, merchant, options.imported));
    if (options.registrations > 0) loads.push(startRegistrations(installation, merchant, options.registrations));
    if (options.deliveries > 0) loads.push(await startDeliveries(installation, merchant, options.deliveries));
    const readings = await readFor(installation, options.minutes * 60_000);
    const drop = options.attempts > 0 ? await dropAttempts(installation.db, databaseUrl) : null;
    return { readings, loads: await Promise.all(loads.map((load) => load.report())), drop };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    // The receiver ends with this run.
    await installation.db.webhook.deleteMany({ where: { accountId: merchant.accountId, url: receiverUrl } });
    await installation.close();
  }
}

/**
 * Has PostgreSQL do at once what it would still do about the seeded rows during the first minutes: it would make the
 * checks late.
 */
async function settle(databaseUrl: string): Promise<void> {
  await queryOnce(databaseUrl, 'VACUUM (ANALYZE) checks, trackings');
  await queryOnce(databaseUrl, 'CHECKPOINT');
}

/** The only account of a database, or a new one. */
async function chooseMerchant({ db }: Installation): Promise<Merchant> {
  const now = new Date();
  if ((await db.account.count()) === 0) return newMerchant(db);
  const { accountId } = await chooseAccount(
    db,
    { account: null, allowOtherAccounts: false, intervalSeconds: null },
    now,
  );
  const { apiKey } = await addKey({ db, now: () => now }, { id: accountId });
  return { accountId, apiKey };
}

/** Seeds what is missing. @returns when the first of their checks is due. */
async function seed({ db }: Installation, { accountId }: Merchant, options: BenchOptions, databaseUrl: string) {
  const { parcels, changing, from, intervalSeconds, attempts } = options;
  if (attempts > 0) await fillAttempts(db, databaseUrl, attempts, showProgress(attempts, console.error));
  const now = new Date();
  const known = await db.check.count({ where: { accountId } });
  const total = parcels - known;
  if (total <= 0) return { startAt: now, isSeeded: false };
  const startAt = new Date(now.getTime() + (total / SEEDED_PER_SECOND) * 1000 + 10_000);
  const dueFrom = from === 'pause' ? new Date(startAt.getTime() - 2 * intervalSeconds * 1000) : startAt;
  const seeded = { accountId, total, changing, intervalSeconds, now, dueFrom, apart: from === 'pause' };
  await seedParcels(db, seeded, showProgress(total, console.error));
  return { startAt, isSeeded: true };
}

/** Reads everything every few seconds, with a line of progress a minute. */
async function readFor(installation: Installation, forMs: number): Promise<Reading[]> {
  const readings = [await readEngine(installation)];
  const startedAt = performance.now();
  for (let n = 1; performance.now() - startedAt < forMs; n++) {
    await delay(Math.max(0, n * READ_EVERY_MS - (performance.now() - startedAt)));
    const reading = await readEngine(installation);
    const before = readings.at(-1) ?? reading;
    readings.push(reading);
    if (n % (60_000 / READ_EVERY_MS) === 0) {
      const rate = (reading.checks - before.checks) / ((reading.atMs - before.atMs) / 1000);
      console.error(`${Math.round((performance.now() - startedAt) / 60_000)} min: ${Math.round(rate)} checks/s`);
    }
  }
  return readings;
}

/**
 * The result of a load: the wanted and the achieved rate, the number of failures, and each duration if it was measured.
 */
type LoadReport = {
  name: string;
  wanted: number;
  made: number;
  failed: number;
  p50Ms?: number;
  p99Ms?: number;
  maxMs?: number;
};
type Load = { report(): LoadReport | Promise<LoadReport>; stop(): Promise<void> };

/** Batches of events per second. */
const BATCHES = 10;

/** Registers new parcels over HTTP at a rate, until it is stopped. */
function startRegistrations({ apiUrl }: Installation, merchant: Merchant, perSecond: number): Load {
  const prefix = lotPrefix({ startsAt: new Date(Date.now() - 7 * 86_400_000), everySeconds: 0 });
  const times: number[] = [];
  let next = 0;
  return keepUp('registrations', perSecond, times, async () => {
    const number = `${prefix}${String(next++).padStart(9, '0')}`;
    const startedAt = performance.now();
    await call(apiUrl, merchant, '/trackings/create', { tracking_number: number, courier_code: 'sandbox' });
    times.push(performance.now() - startedAt);
    return 1;
  });
}

/** Parcels in one request of an import, and requests at once. */
const IMPORT_BATCH = 40;
const IMPORT_CONCURRENCY = 4;

/**
 * Registers parcels in batches, as fast as the API takes them. Its times are those from a registration to the first
 * answer.
 */
function startImport({ apiUrl, db }: Installation, merchant: Merchant, total: number): Load {
  const prefix = lotPrefix({ startsAt: new Date(Date.now() - 7 * 86_400_000), everySeconds: 0 });
  const startedAt = performance.now();
  let [next, made, seconds, failed] = [0, 0, 0, 0];
  const lane = async () => {
    while (next < total) {
      const count = Math.min(IMPORT_BATCH, total - next);
      const numbers = Array.from({ length: count }, (_, n) => `${prefix}${String(next + n).padStart(9, '0')}`);
      next += count;
      try {
        const trackings = numbers.map((number) => ({ tracking_number: number, courier_code: 'sandbox' }));
        await call(apiUrl, merchant, '/trackings/batch', { trackings });
        made += count;
      } catch (error) {
        if (failed++ === 0) console.error('import:', error);
      }
    }
    seconds = (performance.now() - startedAt) / 1000;
  };
  const running = Promise.all(Array.from({ length: IMPORT_CONCURRENCY }, lane));
  return {
    report: async () => {
      const [times] = await db.$queryRaw<{ p50Ms: number; p99Ms: number; maxMs: number; answered: number }[]>`
        SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS "p50Ms", percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS "p99Ms",
          max(ms) AS "maxMs", count(ms)::int AS answered
        FROM (SELECT (extract(epoch FROM answered_at - created_at) * 1000)::float8 AS ms FROM trackings
          WHERE account_id = ${merchant.accountId} AND tracking_number LIKE ${`${prefix}%`}) t`;
      console.error(
        `import: ${made} registered in ${seconds.toFixed(1)} s, ${times?.answered} answered, ${JSON.stringify(times)}`,
      );
      return {
        name: 'import',
        wanted: total,
        made: made / (seconds || 1),
        failed: failed + made - (times?.answered ?? 0),
        ...times,
      };
    },
    stop: async () => {
      next = total;
      await running;
    },
  };
}

/** Stores events of a parcel and wakes the dispatcher, at a rate, until it is stopped. */
async function startDeliveries(installation: Installation, merchant: Merchant, perSecond: number): Promise<Load> {
  const { db, queue: place } = installation;
  // The sweeps find lost wake-ups, which this run shows.
  const queue = await openQueue({ ...place, onError: () => {} });
  const producer = createProducer(queue, () => {});
  const { accountId } = merchant;
  const [known] = await db.tracking.findMany({ where: { accountId }, select: { id: true }, take: 1 });
  const endpoints = await enabledEndpoints(db, [accountId]);
  const size = Math.max(1, Math.round(perSecond / BATCHES));
  // A parcel's event with the same seq and content is stored once.
  let seq = 0;
  const load = keepUp('events', perSecond / size, [], async () => {
    const now = new Date();
    const emitted = Array.from({ length: size }, () => ({
      event: 'tracking_update' as const,
      accountId,
      tracking: { ...EXAMPLE, id: known?.id ?? newId(now, randomBytes(8)), seq: ++seq },
    }));
    await producer.deliver(await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now)));
    return size;
  });
  return {
    report: async () => ({ ...(await load.report()), wanted: perSecond }),
    stop: async () => {
      await load.stop();
      await producer.close();
      await queue.close();
    },
  };
}

/** @param work returns how many it has made. */
function keepUp(name: string, perSecond: number, times: readonly number[], work: () => Promise<number>): Load {
  let made = 0;
  let failed = 0;
  let isOn = true;
  const startedAt = performance.now();
  const one = async () => {
    try {
      // Not `made += await …`, which would forget what others make meanwhile.
      const count = await work();
      made += count;
    } catch (error) {
      // A long run continues; the first failure is shown, and all are counted.
      if (failed++ === 0) console.error(`${name}:`, error);
    }
  };
  const running = atRateWhile(perSecond, () => isOn, one);
  return {
    report: () => ({
      name,
      wanted: perSecond,
      failed,
      made: made / ((performance.now() - startedAt) / 1000),
      ...(times.length > 0 && { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }),
    }),
    stop: async () => {
      isOn = false;
      await running;
    },
  };
}

/** Everything that is counted, at one moment. */
type Reading = {
  atMs: number;
  checks: number;
  changed: number;
  lag: Buckets;
  attempts: number;
  usage: UsageByGroup;
  walBytes: number;
  table: TableStats;
};
/** Statistics of `checks`. `rowsRead` and `pagesRead` are by all statements, and include those of its indexes. */
type TableStats = {
  live: number;
  dead: number;
  updates: number;
  hotUpdates: number;
  rowsRead: number;
  pagesRead: number;
};
type Round = {
  readings: readonly Reading[];
  loads: readonly LoadReport[];
  /** The seconds in which a month of attempts was dropped, and the rows it left dead. */
  drop: { seconds: number; dead: number } | null;
};

const WARM_UP_MS = 60_000;
const MIB = 2 ** 20;

async function readEngine({ db, usage, metrics, walBytes }: Installation): Promise<Reading> {
  const pollers = await metrics('carrier-poller');
  const [table] = await db.$queryRaw<TableStats[]>`
    SELECT n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, n_tup_upd::float8 AS updates,
      n_tup_hot_upd::float8 AS "hotUpdates", (seq_tup_read + idx_tup_fetch)::float8 AS "rowsRead",
      (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS "pagesRead"
    FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid, relname) WHERE relname = 'checks'`;
  return {
    atMs: performance.now(),
    checks: totalOf(pollers, 'pts_answers_total'),
    changed: await countEvents(db),
    lag: bucketsOf(pollers, 'pts_check_lag_seconds'),
    attempts: totalOf(await metrics('webhook-dispatcher'), 'pts_delivery_attempts_total'),
    usage: usage(),
    walBytes: await walBytes(),
    table: table ?? { live: 0, dead: 0, updates: 0, hotUpdates: 0, rowsRead: 0, pagesRead: 0 },
  };
}

/** Rows inserted into messages, without counting them. */
async function countEvents(db: Installation['db']): Promise<number> {
  const [row] = await db.$queryRaw<{ inserted: number }[]>`
    SELECT sum(n_tup_ins)::float8 AS inserted FROM pg_stat_user_tables JOIN public.history_partitions ON name = relname
    WHERE "table" = 'messages'`;
  return row?.inserted ?? 0;
}

/** The table of a run, as figures; wanted values and goals are the bare ones. */
function figuresOf({ readings, loads, drop }: Round, options: BenchOptions): Figure[] {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last || first === last) throw new Error('the run was too short');
  const { intervalSeconds } = options;
  const seconds = (last.atMs - first.atMs) / 1000;
  const per = (value: (reading: Reading) => number) => value(last) - value(first);
  const checks = per((reading) => reading.checks);
  const registered = loads.find(({ name }) => name === 'registrations')?.made ?? 0;
  const drained = readings.find((reading) => reading.checks - first.checks >= options.parcels);
  // Parcels that were registered during the run are due as well, once and then after each interval.
  const wanted = options.parcels / intervalSeconds + registered * (1 + regularChecks(seconds / intervalSeconds));
  const lag = bucketsBetween(first.lag, last.lag);
  // In the first minute, V8 compiles what it has not run before. A run of a minute or less has no other lags.
  const warm = readings.slice(0, -1).find(({ atMs }) => atMs - first.atMs >= WARM_UP_MS) ?? first;
  const warmLag = bucketsBetween(warm.lag, last.lag);
  const events = per((reading) => reading.changed);
  return [
    figure('engine checks', checks / seconds, wanted, '/s (bare: wanted)'),
    // Only if all were due at the start: until each has been made once.
    ...(options.from === 'pause' && drained
      ? [
          figure(
            'engine drain',
            (drained.checks - first.checks) / ((drained.atMs - first.atMs) / 1000),
            wanted,
            'checks/s until the backlog was gone (bare: wanted)',
          ),
        ]
      : []),
    ...(
      [
        ['p50', lag, 0.5],
        ['p99', lag, 0.99],
        ['max', lag, 1],
        ['p99 warm', warmLag, 0.99],
      ] as const
    ).map(([name, of, share]) =>
      figure(`engine lag ${name}`, quantileOf(of, share), intervalSeconds, 's (bare: the interval)'),
    ),
    ...cpuFigures(first.usage, last.usage, seconds, checks),
    figure('engine wal', per((reading) => reading.walBytes) / checks, 0, 'bytes/check, everything included'),
    figure('engine rows', per(({ table }) => table.rowsRead) / checks, 1, 'rows of checks read per check'),
    figure('engine pages', per(({ table }) => table.pagesRead) / checks, 1, 'pages of checks read per check'),
    figure('engine updates', per(({ table }) => table.updates) / checks, 1, 'updates of checks per check'),
    figure(
      'engine hot',
      per(({ table }) => table.hotUpdates) / checks,
      per(({ table }) => table.updates) / checks,
      'HOT updates per check (bare: all updates)',
    ),
    figure('engine dead', last.table.dead, last.table.live, 'dead rows of checks (bare: live ones)'),
    figure(
      'engine events',
      events / seconds,
      per((reading) => reading.attempts) / seconds,
      '/s stored (bare: attempts)',
    ),
    ...loads.flatMap((load) => loadFigures(load)),
    ...(drop ? [figure('engine drop', drop.seconds, drop.dead, 's for the attempts (bare: dead rows)')] : []),
  ];
}

function cpuFigures(before: UsageByGroup, after: UsageByGroup, seconds: number, checks: number): Figure[] {
  return Object.entries(after).flatMap(([group, usage]) => {
    const cpuMs = usage.cpuMs - (before[group as keyof UsageByGroup]?.cpuMs ?? 0);
    return [
      figure(`engine cpu ${group}`, cpuMs / (seconds * 1000), (cpuMs * 1000) / checks, 'cores (bare: µs/check)'),
      figure(
        `engine memory ${group}`,
        usage.memoryBytes / MIB,
        (before[group as keyof UsageByGroup]?.memoryBytes ?? 0) / MIB,
        'MiB (bare: at the start)',
      ),
    ];
  });
}

/** The mean number of regular checks of a parcel that is registered at any moment of a run of so many intervals. */
function regularChecks(intervals: number): number {
  const whole = Math.floor(intervals);
  return ((whole * (whole - 1)) / 2 + whole * (intervals - whole)) / intervals;
}

function loadFigures({ name, made, wanted, failed, p50Ms, p99Ms, maxMs }: LoadReport): Figure[] {
  return [
    figure(`engine ${name}`, made, wanted, '/s (bare: wanted)'),
    ...(failed === 0 ? [] : [figure(`engine ${name} failed`, failed, 0, 'in all (bare: none)')]),
    ...(p50Ms === undefined || p99Ms === undefined
      ? []
      : [figure(`engine ${name} p99`, p99Ms, p50Ms, 'ms (bare: p50)')]),
    ...(maxMs === undefined ? [] : [figure(`engine ${name} max`, maxMs, p50Ms ?? 0, 'ms (bare: p50)')]),
  ];
}

const DAY_MS = 24 * 3_600_000;
/** How far back the attempts go: a month, up to the days that retention keeps at least. */
const DAYS = 35;
const MIN_KEPT_DAYS = 4;
/** So long they are kept until `dropAttempts`. */
const KEPT_DAYS = 40;
const CONCURRENCY = 2;

/**
 * Gives an installation without history the partitions of the last month, with a number of attempts spread over them.
 */
async function fillAttempts(db: Db, url: string, total: number, show: (done: number) => void): Promise<void> {
  const now = Date.now();
  await beginHistory(db, new Date(now - DAYS * DAY_MS));
  for (let ago = DAYS; ago >= 0; ago--)
    await rotateHistory(db, { retentionDays: KEPT_DAYS, now: new Date(now - ago * DAY_MS) });
  const parts = await db.$queryRaw<{ name: string; begins: number; ends: number }[]>`
    SELECT name, begins, ends FROM history_partitions
    WHERE "table" = 'delivery_attempts' AND begins IS NOT NULL AND ends <= history_period(now() - make_interval(days => ${MIN_KEPT_DAYS})) ORDER BY begins`;
  const each = Math.ceil(total / parts.length);
  let done = 0;
  const lane = async () => {
    for (let part = parts.shift(); part; part = parts.shift()) {
      await queryOnce(url, insertInto(part, each));
      done += each;
      show(done);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  await queryOnce(url, "SELECT history_analyze('delivery_attempts')");
}

/**
 * Rows as the dispatcher writes them, but without the details of the connection; a thousand endpoints of a hundred
 * accounts, one in fifty failed.
 */
const insertInto = ({ name, begins, ends }: { name: string; begins: number; ends: number }, count: number) => `
INSERT INTO ${name} (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
SELECT lpad(to_hex(seconds), 8, '0') || lpad(to_hex(n), 16, '0'), n, lpad(to_hex(seconds >> 16), 4, '0') || left(md5(n::text), 20),
  lpad(to_hex(n % 1000), 24, 'b'), lpad(to_hex(n % 100), 24, 'a'), 'tracking_update', 1, to_timestamp(seconds),
  CASE WHEN n % 50 = 0 THEN 500 ELSE 200 END, CASE WHEN n % 50 = 0 THEN 'status code 500' END, 40
FROM (SELECT n, (${begins}::bigint << 16) + ${(ends - begins) * 65_536}::bigint * n / ${count} AS seconds
  FROM generate_series(0, ${count - 1}) n) rows`;

/** Drops that month as its retention ends. @returns seconds, and the rows that are left dead */
async function dropAttempts(db: Db, url: string): Promise<{ seconds: number; dead: number }> {
  const startedAt = performance.now();
  await rotateHistory(db, { retentionDays: MIN_KEPT_DAYS, now: new Date() });
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await queryOnce<{ dead: number }>(
    url,
    "SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_user_tables WHERE relname LIKE 'delivery_attempts%'",
  );
  return { seconds, dead: rows[0]?.dead ?? 0 };
}
