import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '@pts/db/connection/client';
import { newMerchant } from '../http/accounts.ts';
import type { BenchOptions } from '../options.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { cpuBetween, openInstallation } from '../parts/installation.ts';
import { lineChart } from '../parts/plot.ts';
import { totalOf } from '../parts/samples.ts';
import { type DurableServers, startDurableServers } from '../parts/servers.ts';
import { showProgress } from '../seed/progress.ts';
import { seedParcels } from '../seed/seed.ts';

/** Checks per second at every size, so that only the number of parcels differs. */
const RATE = 1000;
const SECONDS = { warmUp: 15, measured: 60 };
/** The largest number may cost at most this many times the smallest. */
const GOAL = 1.2;

/** What an unchanged check costs while this many parcels are polled. */
type Cost = { parcels: number; cpuUs: number; walBytes: number; imageBytes: number };

/**
 * CPU (poller, PostgreSQL, Redis) and WAL of an unchanged check at several numbers of parcels, at one rate of checks. The ratio
 * is that to the smallest number. Full-page images are listed separately: they depend on how long ago the last checkpoint was.
 */
export async function benchGrowth({ sizes }: BenchOptions): Promise<Figure[]> {
  const servers = await startDurableServers();
  const costs: Cost[] = [];
  try {
    for (const parcels of sizes) costs.push(await costAt(servers, parcels));
  } finally {
    await servers.stop();
  }
  return figuresOf(costs);
}

function figuresOf(costs: readonly Cost[]): Figure[] {
  const [smallest] = costs;
  if (!smallest) return [];
  const x = (parcels: number) => (parcels >= 1e6 ? `${parcels / 1e6}M` : `${parcels / 1e3}k`);
  const axes = { xLabel: 'parcels', isLogX: true, formatX: x };
  const line = (label: string, read: (cost: Cost) => number) => ({
    label,
    points: costs.map((cost) => [cost.parcels, read(cost)] as const),
  });
  const cpu = line('poller + PostgreSQL + Redis', ({ cpuUs }) => cpuUs);
  const wal = [line('records', ({ walBytes }) => walBytes), line('page images', ({ imageBytes }) => imageBytes)];
  const plots = {
    'growth-cpu': lineChart({ title: `CPU of an unchanged check at ${RATE}/s`, yLabel: 'µs', ...axes }, [cpu]),
    'growth-wal': lineChart({ title: `WAL of an unchanged check at ${RATE}/s`, yLabel: 'bytes', ...axes }, wal),
  };
  return costs.flatMap(({ parcels, cpuUs, walBytes, imageBytes }, n) => [
    {
      ...figure(`growth cpu ${x(parcels)}`, cpuUs, smallest.cpuUs, `µs/check (goal: ratio ${GOAL})`),
      ...(n === 0 && { plots }),
    },
    figure(`growth wal ${x(parcels)}`, walBytes, smallest.walBytes, `bytes/check (goal: ratio ${GOAL})`),
    figure(`growth images ${x(parcels)}`, imageBytes, smallest.imageBytes, 'bytes/check of page images'),
  ]);
}

async function costAt(servers: DurableServers, parcels: number): Promise<Cost> {
  const database = await servers.newDatabase();
  const intervalSeconds = Math.max(1, Math.round(parcels / RATE));
  const interval = String(intervalSeconds);
  const { redisUrl } = servers;
  const env = {
    CHECK_INTERVAL_SECONDS: interval,
    IDLE_CHECK_INTERVAL_SECONDS: interval,
    PROVIDER_LIMITS: 'sandbox.calls_per_second=1000',
  };
  const apps = { 'sandbox-carrier': 1 };
  // First the parcels: their checks become due while the poller runs.
  const seeding = await openInstallation({ databaseUrl: database.url, redisUrl, apps: {} });
  await seed(seeding.db, parcels, intervalSeconds);
  await seeding.close();
  const installation = await openInstallation({
    databaseUrl: database.url,
    redisUrl,
    apps: { ...apps, 'carrier-poller': 1 },
    env,
  });
  const { db, usage, metrics } = installation;
  try {
    await delay(SECONDS.warmUp * 1000);
    await db.$executeRawUnsafe('CHECKPOINT');
    const read = async () => ({
      checks: totalOf(await metrics('carrier-poller'), 'pts_answers_total'),
      wal: await lsnOf(db),
      usage: usage(),
    });
    const before = await read();
    await delay(SECONDS.measured * 1000);
    const after = await read();
    const checks = after.checks - before.checks;
    const { records, images } = await walBetween(db, before.wal, after.wal);
    const cpuMs = cpuBetween(before.usage, after.usage, ['carrier-poller', 'postgres', 'redis']);
    return { parcels, cpuUs: (cpuMs * 1000) / checks, walBytes: records / checks, imageBytes: images / checks };
  } finally {
    await installation.close();
    await database.drop();
  }
}

async function seed(db: Db, total: number, intervalSeconds: number): Promise<void> {
  const { accountId } = await newMerchant(db);
  const parcels = { accountId, total, changing: 0, intervalSeconds, now: new Date() };
  await seedParcels(db, parcels, showProgress(total, console.error));
  // The state that autovacuum would reach after a while.
  await db.$connections.query('VACUUM (ANALYZE) trackings, checks');
  await db.$executeRawUnsafe('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
}

async function lsnOf(db: Db): Promise<string> {
  const [row] = await db.$queryRaw<{ lsn: string }[]>`SELECT pg_current_wal_flush_lsn()::text AS lsn`;
  return row?.lsn ?? '0/0';
}

/** Bytes of records and of page images in a part of the WAL. */
async function walBetween(db: Db, from: string, until: string): Promise<{ records: number; images: number }> {
  const [row] = await db.$queryRaw<{ records: number; images: number }[]>`
    SELECT sum(record_size)::float8 AS records, sum(fpi_size)::float8 AS images
    FROM pg_get_wal_stats(${from}::pg_lsn, ${until}::pg_lsn)`;
  return row ?? { records: Number.NaN, images: Number.NaN };
}
