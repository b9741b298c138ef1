import { openDatabase } from '@pts/db/connection/client';
import { beginHistory } from '@pts/db/testing/history';
import { migrateDatabase } from '@pts/testing/migrate';
import { startRedis } from '@pts/testing/servers/redis';
import pg from 'pg';
import { type Figure, figure } from '../parts/figure.ts';
import { citusBinaries } from './binaries.ts';
import { startCluster, startSingle } from './cluster.ts';
import { BY_ACCOUNT, distribute, dropTriggers, faultOf, HISTORY_BY_MESSAGE, type Layout, refusals } from './layouts.ts';
import { claimKey, runMainJob } from './main-job.ts';
import { deliveryRate, registrationRate } from './rates.ts';
import { REWRITTEN } from './rewritten.ts';
import { storeFixture, WORK } from './statements.ts';

const PARCELS = 2400;
const HISTORY_BEGAN_MS = 10 * 86_400_000;
/** Nothing is distributed: all tables are on the coordinator. */
const LOCAL: Layout = { name: 'nothing', references: [], distributed: {} };
const LAYOUTS = [LOCAL, BY_ACCOUNT, HISTORY_BY_MESSAGE];

/** Figures of a server, or of a cluster with its tables in some layout. NaN: it cannot do that. */
type Measured = { registered: number; delivered: number; main: { registered: number; pushed: number } };

/**
 * The service on Citus, a coordinator and two workers, beside one PostgreSQL of the same version: prints what works in each layout,
 * and what Citus says about the rest, as docs/scaling.md has it. It needs CITUS_SOURCE (`citusBinaries`).
 */
export async function benchCitus(): Promise<Figure[]> {
  const binaries = await citusBinaries(process.env);
  const redis = await startRedis({ log: console.error });
  try {
    const single = await trySingle(binaries, redis.url);
    const figures: Figure[] = [];
    for (const layout of LAYOUTS) {
      const { registered, delivered, main } = await tryLayout(binaries, layout, redis.url);
      const name = `citus ${layout.name}`;
      figures.push(
        figure(`${name}: main job, registered`, main.registered, single.main.registered, '/s (bare: one PostgreSQL)'),
        figure(`${name}: main job, pushed`, main.pushed, single.main.pushed, '/s (bare: one PostgreSQL)'),
        figure(`${name}: register`, registered, single.registered, '/s (bare: one PostgreSQL)'),
        figure(`${name}: store and record`, delivered, single.delivered, 'deliveries/s (bare: one PostgreSQL)'),
      );
    }
    return figures;
  } finally {
    await redis.stop();
  }
}

async function trySingle(binaries: string, redisUrl: string): Promise<Measured> {
  const { url, stop } = await startSingle(binaries);
  const { db, client, close } = await open(url);
  try {
    await migrateDatabase(url);
    await claimKey(db);
    const main = await mainJob(url, redisUrl);
    await dropTriggers(client, Object.keys(BY_ACCOUNT.distributed));
    const { accounts } = await storeFixture(db);
    return { main, ...(await measure(db, accounts)) };
  } finally {
    await close();
    await stop();
  }
}

async function tryLayout(binaries: string, layout: Layout, redisUrl: string): Promise<Measured> {
  const cluster = await startCluster(binaries);
  const { db, client, close } = await open(cluster.url);
  try {
    await migrateDatabase(cluster.url);
    await claimKey(db);
    await beginHistory(db, new Date(Date.now() - HISTORY_BEGAN_MS));
    console.log(`\n## ${layout.name}\n`);
    for (const [table, fault] of await refusals(client, layout)) console.log(`- ${table}: ${fault}`);
    await distribute(client, layout);
    const fixture = await storeFixture(db);
    console.log('\n| What the service does | Citus |\n|---|---|');
    // Without distribution, as a control.
    const works = layout === HISTORY_BY_MESSAGE ? WORK : [...WORK, ...REWRITTEN];
    for (const { name, run } of works)
      console.log(`| ${name} | ${await run(db, fixture).then(() => 'works', faultOf)} |`);
    // Their secrets are not real.
    await db.webhook.updateMany({ data: { enabled: false } });
    const logged = cluster.log().length;
    const main = await mainJob(cluster.url, redisUrl);
    for (const [fault, count] of faultsIn(cluster.log().slice(logged))) console.log(`${count} times: ${fault}`);
    await db.webhook.updateMany({ data: { enabled: true } });
    if (layout === LOCAL) await dropTriggers(client, Object.keys(BY_ACCOUNT.distributed));
    return { main, ...(await measure(db, fixture.accounts)) };
  } finally {
    await close();
    await cluster.stop();
  }
}

async function open(url: string) {
  const db = openDatabase({ url, poolSize: 10, statementMs: 60_000 });
  const client = new pg.Client(url);
  await client.connect();
  const close = async () => {
    await client.end();
    await db.$disconnect();
  };
  return { db, client, close };
}

async function measure(db: ReturnType<typeof openDatabase>, accounts: readonly { accountId: string }[]) {
  // Not the last one, which was erased.
  const ids = accounts.slice(0, -1).map(({ accountId }) => accountId);
  const orNot = (rate: Promise<number>) =>
    rate.catch((error: unknown) => {
      console.log(`\nno rate: ${faultOf(error)}`);
      return Number.NaN;
    });
  return { registered: await orNot(registrationRate(db, ids)), delivered: await orNot(deliveryRate(db, ids)) };
}

async function mainJob(databaseUrl: string, redisUrl: string): Promise<Measured['main']> {
  try {
    const { registeredPerSecond, pushedPerSecond } = await runMainJob({ databaseUrl, redisUrl }, PARCELS);
    return { registered: registeredPerSecond, pushed: pushedPerSecond };
  } catch (error) {
    console.log(`\nthe main job stops: ${faultOf(error)}`);
    return { registered: Number.NaN, pushed: Number.NaN };
  }
}

function faultsIn(log: string): [string, number][] {
  const counts = new Map<string, number>();
  for (const [, fault = ''] of log.matchAll(/ERROR: +(.*)/g)) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
