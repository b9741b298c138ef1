import { type Figure, figure } from '../figure.ts';
import type { Installation, UsageByGroup } from '../installation.ts';
import type { BenchOptions } from '../options.ts';
import { type Buckets, bucketsBetween, bucketsOf, quantileOf, totalOf } from '../samples.ts';
import type { LoadReport } from './engine-load.ts';

/** Everything that is counted, at one moment. */
export type Reading = {
  atMs: number;
  checks: number;
  changed: number;
  lag: Buckets;
  attempts: number;
  usage: UsageByGroup;
  walBytes: number;
  table: TableStats;
};
/** Of `checks`. `rowsRead` and `pagesRead` by all statements, with those of its indexes. */
type TableStats = {
  live: number;
  dead: number;
  updates: number;
  hotUpdates: number;
  rowsRead: number;
  pagesRead: number;
};
export type Round = {
  readings: readonly Reading[];
  loads: readonly LoadReport[];
  /** The seconds in which a month of attempts was dropped, and the rows it left dead. */
  drop: { seconds: number; dead: number } | null;
};

const WARM_UP_MS = 60_000;
const MIB = 2 ** 20;

export async function readEngine({ db, usage, metrics, walBytes }: Installation): Promise<Reading> {
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
export function figuresOf({ readings, loads, drop }: Round, options: BenchOptions): Figure[] {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last || first === last) throw new Error('the run was too short');
  const { store, intervalSeconds } = options;
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
    figure('engine checks', checks / seconds, wanted, '/s (bare: wanted)', store),
    // Only if all were due at the start: until each has been made once.
    ...(options.from === 'pause' && drained
      ? [
          figure(
            'engine drain',
            (drained.checks - first.checks) / ((drained.atMs - first.atMs) / 1000),
            wanted,
            'checks/s until the backlog was gone (bare: wanted)',
            store,
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
      figure(`engine lag ${name}`, quantileOf(of, share), intervalSeconds, 's (bare: the interval)', store),
    ),
    ...cpuFigures(first.usage, last.usage, seconds, checks, store),
    figure('engine wal', per((reading) => reading.walBytes) / checks, 0, 'bytes/check, everything included', store),
    figure('engine rows', per(({ table }) => table.rowsRead) / checks, 1, 'rows of checks read per check', store),
    figure('engine pages', per(({ table }) => table.pagesRead) / checks, 1, 'pages of checks read per check', store),
    figure('engine updates', per(({ table }) => table.updates) / checks, 1, 'updates of checks per check', store),
    figure(
      'engine hot',
      per(({ table }) => table.hotUpdates) / checks,
      per(({ table }) => table.updates) / checks,
      'HOT updates per check (bare: all updates)',
      store,
    ),
    figure('engine dead', last.table.dead, last.table.live, 'dead rows of checks (bare: live ones)', store),
    figure(
      'engine events',
      events / seconds,
      per((reading) => reading.attempts) / seconds,
      '/s stored (bare: attempts)',
      store,
    ),
    ...loads.flatMap((load) => loadFigures(load, store)),
    ...(drop ? [figure('engine drop', drop.seconds, drop.dead, 's for the attempts (bare: dead rows)', store)] : []),
  ];
}

function cpuFigures(
  before: UsageByGroup,
  after: UsageByGroup,
  seconds: number,
  checks: number,
  store: string,
): Figure[] {
  return Object.entries(after).flatMap(([group, usage]) => {
    const cpuMs = usage.cpuMs - (before[group as keyof UsageByGroup]?.cpuMs ?? 0);
    return [
      figure(`engine cpu ${group}`, cpuMs / (seconds * 1000), (cpuMs * 1000) / checks, 'cores (bare: µs/check)', store),
      figure(
        `engine memory ${group}`,
        usage.memoryBytes / MIB,
        (before[group as keyof UsageByGroup]?.memoryBytes ?? 0) / MIB,
        'MiB (bare: at the start)',
        store,
      ),
    ];
  });
}

/** The mean number of regular checks of a parcel that is registered at any moment of a run of so many intervals. */
function regularChecks(intervals: number): number {
  const whole = Math.floor(intervals);
  return ((whole * (whole - 1)) / 2 + whole * (intervals - whole)) / intervals;
}

function loadFigures({ name, made, wanted, failed, p50Ms, p99Ms, maxMs }: LoadReport, store: string): Figure[] {
  return [
    figure(`engine ${name}`, made, wanted, '/s (bare: wanted)', store),
    ...(failed === 0 ? [] : [figure(`engine ${name} failed`, failed, 0, 'in all (bare: none)', store)]),
    ...(p50Ms === undefined || p99Ms === undefined
      ? []
      : [figure(`engine ${name} p99`, p99Ms, p50Ms, 'ms (bare: p50)', store)]),
    ...(maxMs === undefined ? [] : [figure(`engine ${name} max`, maxMs, p50Ms ?? 0, 'ms (bare: p50)', store)]),
  ];
}
