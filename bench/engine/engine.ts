import { setTimeout as delay } from 'node:timers/promises';
import { addKey } from '@pts/service/accounts';
import { queryOnce } from '@pts/testing/database';
import { migrateDatabase } from '@pts/testing/migrate';
import type { Figure } from '../figure.ts';
import { type Installation, openInstallation, startDurableServers } from '../installation.ts';
import { type Merchant, newMerchant, registerReceiver } from '../merchant.ts';
import type { BenchOptions } from '../options.ts';
import { chooseAccount } from '../seed/options.ts';
import { seedParcels, showProgress } from '../seed/seed.ts';
import { startSink } from '../sink.ts';
import { dropAttempts, fillAttempts } from './attempts.ts';
import { type Load, startDeliveries, startImport, startRegistrations } from './engine-load.ts';
import { figuresOf, type Reading, type Round, readEngine } from './engine-report.ts';

const BATCH = 40;
/** Parcels seeded per second, a conservative estimate: the checks are spread over the interval after it. */
const SEEDED_PER_SECOND = 10_000;
const READ_EVERY_MS = 5000;

/**
 * A long run of the services, PostgreSQL and Redis as they are deployed, with a number of parcels of the sandbox carrier, polled
 * at an interval; along with registrations and events, if wanted. Everything is measured from outside.
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
    return figuresOf(round, options);
  } finally {
    await sink.close();
    await servers?.stop();
  }
}

type Place = { databaseUrl: string; redisUrl: string | undefined; receiverUrl: string };

async function run(options: BenchOptions, { databaseUrl, redisUrl, receiverUrl }: Place): Promise<Round> {
  const { parcels, pollers, registrations, intervalSeconds } = options;
  // Twice the calls that the parcels need, so that the carrier's rate is not the limit. A registration has a call of its own.
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

/** What PostgreSQL would still do about the seeded rows during the first minutes: it would make the checks late. */
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
