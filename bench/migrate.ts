import { type Db, openDatabase } from '@pts/db/connection/client';
import { migrate } from '@pts/db/migrate/migrate';
import { storeRegistrations } from '@pts/db/trackings/register';
import { MIGRATIONS } from '@pts/testing/migrate';
import { atRateWhile, newMerchant } from './http/accounts.ts';
import type { BenchOptions } from './options.ts';
import { type Figure, figure } from './parts/figure.ts';
import { startDurableServers } from './parts/servers.ts';
import { showProgress } from './seed/progress.ts';
import { seedParcels } from './seed/seed.ts';

/** A migration that builds an index of the largest table, which is built again. */
const MIGRATION = '20261124010001_subscriptions_index';
const INDEX = 'trackings_tracking_number_carrier_idx';
const PLAIN = `CREATE INDEX ${INDEX} ON trackings (tracking_number, carrier)`;
/** Half of them register a parcel, half change one. */
const WRITES_PER_SECOND = 200;
const QUIET_SECONDS = 20;
const PROGRESS_MS = 5000;
/** Parcels that writers change. */
const CHANGED = 10_000;
/** A plain build makes writers wait, and they are to be measured, not to give up. */
const PATIENT = { connectMs: 3_600_000, statementMs: 3_600_000 };

/** What writers noticed, and how long the work beside them took. */
type Spell = { seconds: number; slowest: number; p99: number };

/**
 * The slowest write while a migration builds an index of `rows` parcels online, beside the slowest without it; then while the
 * same index is built plainly, as the negative control.
 */
export async function benchMigrate({ rows }: BenchOptions): Promise<Figure[]> {
  const servers = await startDurableServers();
  const { url } = await servers.newDatabase();
  const db = openDatabase({ url, poolSize: 16, ...PATIENT });
  try {
    const { accountId } = await newMerchant(db);
    const parcels = { accountId, total: rows, changing: 0, intervalSeconds: 3600, now: new Date() };
    await seedParcels(db, parcels, showProgress(rows, console.error));
    await db.$connections.query('VACUUM (ANALYZE) trackings, checks, tracking_search');
    const write = await openWriter(db, accountId);
    const quiet = await beside(write, () => new Promise((ended) => setTimeout(ended, QUIET_SECONDS * 1000)));
    await db.$connections.query(`DROP INDEX ${INDEX}`);
    await db.$connections.query(`DELETE FROM _prisma_migrations WHERE migration_name = '${MIGRATION}'`);
    const settings = { databaseUrl: url, migrationsDir: MIGRATIONS, progressMs: PROGRESS_MS };
    const online = await beside(write, () => migrate({ ...settings, onProgress: console.error }));
    await db.$connections.query(`DROP INDEX ${INDEX}`);
    const plain = await beside(write, () => db.$connections.query(PLAIN));
    return [
      figure('migrate slowest write', online.slowest, quiet.slowest, 'ms (goal: 1000)'),
      figure('migrate p99 of writes', online.p99, quiet.p99, 'ms'),
      figure('migrate time', online.seconds, plain.seconds, 's'),
      figure('migrate slowest write, plain index', plain.slowest, quiet.slowest, 'ms'),
    ];
  } finally {
    await db.$disconnect();
    await servers.stop();
  }
}

/** Measures writes from when they are due, while something is done. */
async function beside(write: () => Promise<unknown>, work: () => Promise<unknown>): Promise<Spell> {
  const times: number[] = [];
  let isOver = false;
  const writing = atRateWhile(
    WRITES_PER_SECOND,
    () => !isOver,
    async () => {
      const begunAt = performance.now();
      await write();
      times.push(performance.now() - begunAt);
    },
  );
  const startedAt = performance.now();
  await work().finally(() => {
    isOver = true;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await writing;
  times.sort((a, b) => a - b);
  return { seconds, slowest: times.at(-1) ?? 0, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/** @returns a function that registers a new parcel or changes a seeded one, in turn. */
async function openWriter(db: Db, accountId: string): Promise<() => Promise<unknown>> {
  const { rows } = await db.$connections.query<{ id: string }>(`SELECT id FROM trackings LIMIT ${CHANGED}`);
  let count = 0;
  return () => {
    count += 1;
    const seeded = rows[count % rows.length];
    if (count % 2 === 0 && seeded)
      return db.$connections.query('UPDATE trackings SET updated_at = clock_timestamp() WHERE id = $1', [seeded.id]);
    const registration = { trackingNumber: `MIGRATE${count}`, carrier: 'yto', provider: 'bench', detected: true };
    return storeRegistrations(db, { accountId, quotaLimit: 1e9, registrations: [registration], now: new Date() });
  };
}
