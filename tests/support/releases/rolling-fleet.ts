import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, keyHint, newApiKey } from '@pts/core/account/api-key';
import { freshId } from '@pts/db/connection/ids';
import { migrate } from '@pts/db/migrate/migrate';
import { type App, freeAddresses, PROCESSES } from '@pts/testing/app-process';
import { emptyDatabase, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { testServer } from '@pts/testing/servers/servers-env';
import { createBalancer } from '../../../chaos/load/balancer.ts';
import type { Merchant } from '../../../chaos/load/merchants.ts';
import { createTimeline } from '../../../chaos/timeline.ts';
import { startWorldCarriers } from '../../../chaos/world/carriers.ts';
import { nothingLost } from '../../../chaos/world/failover.ts';
import { startWorldReceivers } from '../../../chaos/world/receivers.ts';
import { type Replica, startReplica } from '../../../chaos/world/replica.ts';
import { register, settings } from '../../../chaos/world/world.ts';
import { PATIENT_DATABASE } from '../patient-database.ts';

const REPLICAS = [1, 2];
/** How long a caller waits: a busy machine must not look like a request that was refused. */
const PATIENT_MS = 60_000;

export type RollingFleet = Awaited<ReturnType<typeof startRollingFleet>>;

/**
 * Two replicas of each process of a release on a database of its schema, behind a balancer, with a merchant whose endpoints are
 * registered; and the means to replace the processes one by one.
 * @param root the checkout of the release, with its bundles.
 */
export async function startRollingFleet(root: string) {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closeNext of closers.splice(0).reverse()) await closeNext();
  };
  try {
    return { ...(await start(root, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(root: string, closers: (() => unknown)[]) {
  const logDir = mkdtempSync(join(tmpdir(), 'pts-rolling-'));
  closers.push(() => rmSync(logDir, { recursive: true }));
  const database = await emptyDatabase();
  closers.push(database.close);
  await migrate({ databaseUrl: database.url, migrationsDir: join(root, 'prisma/migrations') });
  const timeline = createTimeline();
  const receivers = await startWorldReceivers(timeline);
  closers.push(receivers.close);
  const redis = { url: testServer('TEST_REDIS_URL') };

  const startOne = async (release: string | undefined, app: App, n: number, env: Record<string, string>) => {
    const name = `${app} ${n} ${release === undefined ? 'new' : 'old'}`;
    const replica = startReplica({
      app,
      name,
      env,
      addresses: await freeAddresses(),
      logDir,
      ...(release ? { root: release } : {}),
    });
    closers.push(() => replica.stop());
    await eventually(async () => expect([name, await replica.isReady()]).toEqual([name, true]), { everyMs: 100 });
    return replica;
  };
  const sandbox = await startOne(undefined, 'sandbox-carrier', 1, { SANDBOX_SPEED: '6', LOG_LEVEL: 'warn' });
  const carriers = await startWorldCarriers(sandbox.url, timeline);
  closers.push(carriers.close);
  const env = {
    ...settings({ postgres: database, redis, carriers, hasSweeps: true }),
    ...PATIENT_DATABASE,
    QUEUE_PREFIX: `{rolling-${randomBytes(6).toString('hex')}}`,
    COMPAT_0_2_0: 'true',
  };

  const running = new Map<string, Replica>();
  const apis: Replica[] = [];
  const gone: Replica[] = [];
  const replace = async (release: string | undefined, app: App, n: number) => {
    const next = await startOne(release, app, n, env);
    const former = running.get(`${app} ${n}`);
    running.set(`${app} ${n}`, next);
    if (app === 'api') apis.push(next);
    if (!former) return;
    // As a proxy does while a pod ends: new requests go to the others, and those in flight are finished.
    if (app === 'api') apis.splice(apis.indexOf(former), 1);
    expect([former.name, await former.stop('SIGTERM')]).toEqual([former.name, 0]);
    gone.push(former);
  };
  await Promise.all(REPLICAS.flatMap((n) => PROCESSES.map((app) => replace(root, app, n))));

  const call = createBalancer(apis, timeline.request, PATIENT_MS);
  const merchants = [await newMerchant(database.url)];
  const endpoints = await register(call, merchants, receivers);
  return {
    call,
    merchants,
    endpoints,
    receivers,
    sandboxUrl: sandbox.url,
    postgres: { directUrl: database.url, lost: nothingLost() },
    env,
    /**
     * Replaces all processes, one after the other.
     * @param release the checkout of a release; undefined: this one.
     * @param halfway called when there is one of each release of every process.
     */
    replaceAll: async (release: string | undefined, halfway: () => Promise<void>) => {
      for (const n of REPLICAS) {
        for (const app of PROCESSES) await replace(release, app, n);
        if (n === 1) await halfway();
      }
    },
    /** How often a process has ended by itself. */
    crashes: () => [...gone, ...running.values()].reduce((sum, replica) => sum + replica.crashes(), 0),
  };
}

/** By the columns of the previous release, on whose schema it is created. */
async function newMerchant(databaseUrl: string): Promise<Merchant> {
  const apiKey = newApiKey(randomBytes(24));
  const account = freshId(new Date());
  await queryOnce(databaseUrl, `INSERT INTO accounts (id, name, plan) VALUES ('${account}', 'merchant', 'enterprise')`);
  await queryOnce(
    databaseUrl,
    `INSERT INTO api_keys (id, account_id, key_hash, hint) VALUES
       ('${freshId(new Date())}', '${account}', '\\x${Buffer.from(hashApiKey(apiKey)).toString('hex')}', '${keyHint(apiKey)}')`,
  );
  return { account, apiKey };
}
