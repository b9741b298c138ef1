import { connectedProviders } from '@pts/carriers/providers/configured';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { freshId } from '@pts/db/connection/ids';
import { tokenStore } from '@pts/db/providers/tokens';
import { insertWebhook } from '@pts/db/webhooks/endpoints';
import { createLogger } from '@pts/runtime/logger';
import { createAccount } from '@pts/service/accounts/create';
import { createEstimator } from '@pts/service/estimates/estimator';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { stores } from '@pts/testing/stores';
import { createPollerMetrics } from '../apps/carrier-poller/src/metrics.ts';
import { startPoller } from '../apps/carrier-poller/src/poller.ts';
import { paceOf } from '../apps/carrier-poller/src/provider/pace.ts';
import { createProviderMemory } from '../apps/carrier-poller/src/provider/provider-memory.ts';
import { startCarrierThread } from './parts/carrier.ts';
import { type Figure, figure, perSecond } from './parts/figure.ts';
import { openBenchQueue } from './parts/queue.ts';
import { seedParcels } from './seed/seed.ts';

/** Enough that the first seconds, in which V8 has not compiled the poller's code, count little. */
const COUNT = 100_000;
const CADENCE = { monitoredSeconds: 3600, idleSeconds: 3600, floorSeconds: 0 };
/** The poller's default. */
const SWEEP_MS = 1000;

/** Checks per second through a carrier that answers at once over HTTP, against the same calls alone; nothing has changed. */
export const benchCheck = () => onStores('check', 0);

/** The same, where one parcel in ten has a new scan, which is stored and pushed. */
export const benchCheckChanged = () => onStores('check-changed', 10);

async function onStores(name: string, oneIn: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) {
    const carrier = await startCarrierThread(oneIn);
    const stage = await openStage(store, carrier.url);
    try {
      await stage.calls();
      const before = await stage.calls();
      const ours = await stage.poll(oneIn === 0 ? 0 : COUNT / oneIn);
      const bare = (before + (await stage.calls())) / 2;
      figures.push(figure(name, ours, bare, 'checks/s', store));
    } finally {
      await stage.close();
      await carrier.close();
    }
  }
  return figures;
}

async function openStage(store: 'redis' | 'postgres', carrierUrl: string) {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10 });
  const env = { SANDBOX_URL: carrierUrl, PROVIDER_LIMITS: 'sandbox.calls_per_second=1000000' };
  const [provider] = connectedProviders(env, { tokens: tokenStore(db) });
  if (!provider) throw new Error('the sandbox is not on');
  await seedDue(db);
  const numbers = (await db.check.findMany({ select: { trackingNumber: true } })).map((check) => check.trackingNumber);
  const { batchSize, concurrency } = provider.limits;
  const call = async (index: number) => {
    const batch = numbers.slice(index * batchSize, (index + 1) * batchSize);
    const answers = await provider.ask(batch.map((number) => ({ number, carrier: 'sandbox' })));
    if (answers.some(({ kind }) => kind !== 'found'))
      throw new Error(`the carrier answers ${JSON.stringify(answers[0])}`);
  };
  return {
    /** Calls per second without the checks around them. */
    calls: async () => (await perSecond(COUNT / batchSize, concurrency, call)) * batchSize,
    poll: (changes: number) => poll({ db, databaseUrl: database.url, store, provider }, changes),
    close: async () => {
      await db.$disconnect();
      await database.close();
    },
  };
}

/** Parcels that are all due, of an account with an endpoint. */
async function seedDue(db: Db): Promise<void> {
  const now = new Date();
  const { account } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const endpoint = { url: 'http://127.0.0.1:9/hook', events: ['tracking_update' as const], encryptedSecret: 'sealed' };
  await insertWebhook(db, { id: freshId(now), accountId: account.id, createdAt: now, ...endpoint });
  const dueFrom = new Date(now.getTime() - 60_000);
  const parcels = { accountId: account.id, total: COUNT, changing: 0, intervalSeconds: 60, now, dueFrom };
  await seedParcels(db, parcels, () => {});
}

type Polled = {
  db: Db;
  databaseUrl: string;
  store: 'redis' | 'postgres';
  provider: ReturnType<typeof connectedProviders>[number];
};

/** Checks per second by a poller, from its start until all are made and `changes` changes are stored. */
async function poll({ db, databaseUrl, store, provider }: Polled, changes: number): Promise<number> {
  const { queue, producer, close } = await openBenchQueue(store, databaseUrl);
  let answered = 0;
  const counting = {
    ...provider,
    ask: async (...args: Parameters<typeof provider.ask>) => {
      const answers = await provider.ask(...args);
      answered += answers.length;
      return answers;
    },
  };
  const startedAt = performance.now();
  const poller = startPoller({
    queue,
    providers: [counting],
    depsFor: (each) => ({
      db,
      producer,
      signals: { publish: async () => {} },
      provider: each,
      cadence: CADENCE,
      estimator: createEstimator(db),
      pace: paceOf(each, db),
      callback: null,
      logger: createLogger({ app: 'bench', level: 'error', format: 'json' }),
      metrics: createPollerMetrics(),
      memory: createProviderMemory(),
      now: () => new Date(),
    }),
    sweepIntervalMs: SWEEP_MS,
    callGraceMs: 5000,
  });
  await eventually(
    async () => {
      if (answered < COUNT) throw new Error(`${answered} of ${COUNT} checks made`);
      const stored = changes === 0 ? 0 : await db.message.count();
      if (stored < changes) throw new Error(`${stored} of ${changes} changes stored`);
    },
    { deadlineMs: 300_000, everyMs: 10 },
  );
  const rate = COUNT / ((performance.now() - startedAt) / 1000);
  await poller.stop();
  await close();
  return rate;
}
