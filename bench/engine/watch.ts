import { setMaxListeners } from 'node:events';
import { type CarrierAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/claim';
import { openDatabase } from '@pts/db/connection/client';
import { storeRegistrations } from '@pts/db/trackings/register';
import { queryQueue } from '@pts/queue/catalog';
import { createExecutor } from '@pts/queue/executor';
import { startWorker } from '@pts/queue/worker';
import { createLogger } from '@pts/runtime/logger';
import { createOutcomes } from '@pts/runtime/outcomes';
import { createAccount } from '@pts/service/accounts/create';
import { createEstimator } from '@pts/service/estimates/estimator';
import { testDatabase } from '@pts/testing/database';
import { stores } from '@pts/testing/stores';
import { query } from '../../apps/carrier-poller/src/check/query.ts';
import { createSave } from '../../apps/carrier-poller/src/check/save.ts';
import { createPollerMetrics } from '../../apps/carrier-poller/src/metrics.ts';
import { paceOf } from '../../apps/carrier-poller/src/provider/pace.ts';
import { createProviderMemory } from '../../apps/carrier-poller/src/provider/provider-memory.ts';
import { sweepDue } from '../../apps/carrier-poller/src/schedule/sweep.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { openBenchQueue } from '../parts/queue.ts';

const COUNT = { redis: 40_000, postgres: 20_000 };
const BATCH = 40;
const UNCHANGED: CarrierAnswer = { kind: 'not_found' };

/** Between two rounds of the benchmark's clock: in each, every parcel has its turn. */
const ROUND_MS = 500_000;

/**
 * Unchanged checks per second, from the claim in Postgres through the queue to the comparison, against the bare claim: the
 * provider answers at once, so this is what watching costs us. And the WAL of a check that is claimed with its slot, against
 * that of one that is claimed individually.
 */
export async function benchWatch(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) figures.push(...(await watch(store, COUNT[store])));
  return figures;
}

async function watch(store: 'redis' | 'postgres', count: number): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10, statementMs: 120_000 });
  const { queue, producer, close: closeQueue } = await openBenchQueue(store, database.url);
  const { account } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  for (let i = 0; i < count; i += 1000) await registerMany(db, account.id, i);
  await db.check.updateMany({ data: { fingerprint: fingerprintOf(UNCHANGED, new Date()) } });
  const cadence = { monitoredSeconds: 300, idleSeconds: 300, floorSeconds: 0 };

  let round = 0;
  const now = () => new Date(Date.now() + round * ROUND_MS);
  const claimAll = async () => {
    const [startedAt, wal] = [performance.now(), await walBytes(db)];
    for (let claimed = 0; claimed < count; )
      claimed += (await claimChecks(db, { provider: 'bench', limit: 1000, cadence, now: now() })).length;
    return { perSecond: count / ((performance.now() - startedAt) / 1000), wal: ((await walBytes(db)) - wal) / count };
  };
  const single = await claimAll();
  round = 1;
  const bare = await claimAll();
  round = 2;

  let checked = 0;
  const provider = {
    name: 'bench',
    limits: { batchSize: BATCH, callsPerSecond: 100_000, concurrency: 20, floorSeconds: 0 },
    serves: () => true,
    ask: async (questions: readonly unknown[]) => {
      checked += questions.length;
      return questions.map(() => UNCHANGED);
    },
  };
  const logger = createLogger({ app: 'bench', level: 'error', format: 'json' });
  const signals = { publish: async () => {} };
  const metrics = createPollerMetrics();
  const stopCalls = new AbortController().signal;
  setMaxListeners(0, stopCalls);
  const memory = createProviderMemory();
  const executor = createExecutor({ places: 20, maxWaiting: 40, onError: console.error });
  const pace = paceOf(provider, db);
  const estimator = createEstimator(db);
  const parts = {
    db,
    producer,
    executor,
    signals,
    provider,
    providers: [provider],
    cadence,
    callback: null,
    logger,
    metrics,
    memory,
    pace,
    claimOutcomes: createOutcomes(),
    estimator,
  };
  const given = { ...parts, now, stopCalls };
  const deps = { ...given, save: createSave(given) };
  const startedAt = performance.now();
  const worker = startWorker<'query'>(
    queue,
    queryQueue('bench'),
    { query: (job) => executor.run(() => query(deps, job)) },
    { concurrency: 20 },
    console.error,
  );
  while (checked < count) {
    const { more } = await sweepDue(deps);
    if (!more) await new Promise((resolve) => setImmediate(resolve));
  }
  const ours = count / ((performance.now() - startedAt) / 1000);
  await worker.close();
  await closeQueue();
  await db.$disconnect();
  await database.close();
  return [
    figure('watch', ours, bare.perSecond, 'unchanged checks/s', store),
    figure('watch-wal', bare.wal, single.wal, 'bytes/check', store),
  ];
}

async function walBytes(db: ReturnType<typeof openDatabase>): Promise<number> {
  const { rows } = await db.$connections.query<{ bytes: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
  );
  return Number(rows[0]?.bytes);
}

async function registerMany(db: ReturnType<typeof openDatabase>, accountId: string, from: number): Promise<void> {
  const registrations = Array.from({ length: 1000 }, (_, i) => ({
    trackingNumber: `BENCH${String(from + i).padStart(10, '0')}`,
    carrier: 'bench',
    provider: 'bench',
    detected: false,
  }));
  await storeRegistrations(db, { accountId, quotaLimit: 1_000_000, registrations, now: new Date() });
}
