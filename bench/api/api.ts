import { LIMITS } from '@pts/contract/limits';
import { type Db, openDatabase } from '@pts/db/connection';
import { storeRegistrations } from '@pts/db/trackings/register';
import type { Store } from '@pts/queue/connection';
import { createAccount } from '@pts/service/accounts';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { type Figure, figure } from '../figure.ts';
import { EXAMPLE } from '../merchant.ts';
import { startBareProcess } from './bare.ts';
import { type Call, type Load, type LoadProcess, startLoadProcess } from './load.ts';
import { startApiProcess } from './process.ts';

/** Alternating runs of each server, and how long each is: the ratio is the median of its rounds. */
const ROUNDS = 5;
const RUN_MS = 1500;
/** Before the first run of a call, for each server: V8 takes seconds to compile what a busy server runs. */
const WARM_UP_MS = 4000;
const CONNECTIONS = [16, 64];
const ACCOUNTS = 100;
/** The calls, each with the numbers of accounts that make it. */
const CALLS: Record<Call, number[]> = {
  create: [1, ACCOUNTS],
  'get-one': [1],
  'get-forty': [1],
  batch: [1, ACCOUNTS],
  deliveries: [1],
  shipments: [1],
};
/** Trackings and delivery attempts of all accounts before the first request: with few, PostgreSQL would read whole tables. */
const KNOWN = 20_000;

const UNLIMITED = {
  RATE_LIMITS: Object.keys(LIMITS)
    .map((name) => `${name}=100000000`)
    .join(','),
  QUOTA_ENTERPRISE: '2000000000',
  LOG_LEVEL: 'info',
};

type Server = { url: string; cpuMs(): Promise<number> };
type Account = Load['accounts'][number];
type Stage = { store: Store; ours: Server; bare: Server; load: LoadProcess; accounts: readonly Account[] };

/**
 * Requests per second of the API as it is deployed, log and limits included, against a bare Express app that does the same
 * statements and the same enqueueing; for one account and, where accounts matter, for a hundred.
 */
export async function benchApi(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores())
    await onStage(store, ACCOUNTS, async (stage) => {
      for (const [call, counts] of Object.entries(CALLS) as [Call, number[]][])
        for (const count of counts)
          for (const connections of CONNECTIONS) figures.push(...(await compare(stage, call, count, connections)));
    });
  return figures;
}

async function compare(stage: Stage, call: Call, count: number, connections: number): Promise<Figure[]> {
  const { store, ours, bare } = stage;
  const accounts = stage.accounts.slice(0, count);
  const run = async (server: Server, forMs = RUN_MS) => {
    const before = await server.cpuMs();
    const answered = await stage.load.run({ url: server.url, call, connections, forMs, accounts });
    return { rate: answered / (forMs / 1000), cpuUs: (((await server.cpuMs()) - before) / answered) * 1000 };
  };
  await run(ours, WARM_UP_MS);
  await run(bare, WARM_UP_MS);
  const rounds: { ours: Run; bare: Run }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await run(ours), bare: await run(bare) });
  const name = `${call} ${count}×${connections}`;
  return [
    { ...typical(name, rounds, 'rate', 'requests/s'), store },
    { ...typical(`${name} cpu`, rounds, 'cpuUs', 'µs/request'), store },
  ];
}

type Run = { rate: number; cpuUs: number };

/** The round whose ratio is the median. */
function typical(name: string, rounds: { ours: Run; bare: Run }[], what: keyof Run, unit: string): Figure {
  const figures = rounds.map(({ ours, bare }) => figure(name, ours[what], bare[what], unit));
  const [middle] = figures.sort((a, b) => a.ratio - b.ratio).slice(Math.floor(ROUNDS / 2));
  if (!middle) throw new Error('no round was run');
  return middle;
}

async function onStage(store: Store, many: number, work: (stage: Stage) => Promise<void>): Promise<void> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const accounts: (Account & { id: string })[] = [];
  for (let n = 0; n < many; n++) accounts.push(await newAccount(db, n, KNOWN / many));
  await db.$executeRaw`CREATE TABLE bench_charges (account_id text NOT NULL, units int NOT NULL)`;
  await db.$executeRaw`VACUUM ANALYZE`;
  const ours = await startApiProcess(store, database.url, UNLIMITED);
  const bare = await startBareProcess({
    databaseUrl: database.url,
    redisUrl: redisUrlOn(store),
    prefix: `{bare-${process.pid}}`,
    accounts: Object.fromEntries(accounts.map(({ key, id }) => [key, id])),
  });
  const load = startLoadProcess();
  try {
    await work({ store, ours, bare, load, accounts });
  } finally {
    await Promise.all([ours.close(), bare.close(), endProcess(load.child)]);
    await db.$disconnect();
    await database.close();
  }
}

/** An account whose parcels have their history, and whose one endpoint has received their events. */
async function newAccount(db: Db, index: number, known: number): Promise<Account & { id: string }> {
  const now = new Date();
  const { account, key } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const numbers = Array.from({ length: known }, (_, n) => `PTSBENCH${index}N${String(n).padStart(6, '0')}`);
  const registrations = numbers.map((trackingNumber) => ({
    trackingNumber,
    carrier: 'sandbox',
    provider: 'sandbox',
    detected: true,
  }));
  for (let at = 0; at < known; at += 1000) {
    const some = registrations.slice(at, at + 1000);
    await storeRegistrations(db, { accountId: account.id, quotaLimit: 1e9, registrations: some, now });
  }
  const [events, latest] = [JSON.stringify(EXAMPLE.scans), JSON.stringify(EXAMPLE.scans.at(-1))];
  await db.$executeRaw`
    UPDATE trackings SET events = ${events}::jsonb, latest_event = ${latest}::jsonb, sub_status = 'out_for_delivery',
      status = '派送中', answered_at = now() WHERE account_id = ${account.id}`;
  await db.$executeRaw`
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code,
      duration_ms, response_excerpt)
    SELECT ${index * known}::int + n, lpad(n::text, 24, '0'), ${account.id}, ${account.id}, 'tracking_update', 1, now(), 200, 12, 'ok'
    FROM generate_series(1, ${known}::int) n`;
  return { id: account.id, key: key.apiKey, numbers };
}
