import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@pts/testing/app-process';
import { ownTimeOf } from '@pts/testing/clock';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type OwnPostgres, startOwnPostgres } from '@pts/testing/servers/postgres';
import { stores, testServer } from '@pts/testing/stores';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';
import { tuning } from '../support/tuning.ts';

const APPS = ['api', 'carrier-poller', 'webhook-dispatcher'] as const satisfies App[];
/** The promise, on a machine that is not overloaded. */
const RECOVERS_MS = 15_000;
const ENDS_MS = 10_000;
/** Often, so that little time is enough for every sweep to hang. */
const TUNING = tuning({ sweepIntervalMs: 200, databaseRequestTimeoutMs: 650 });
/** How long a fault lasts before it ends, and before the processes are stopped. */
const LASTS_MS = { ended: 3000, stopped: 1000 };

type World = {
  server: OwnPostgres;
  /** Between the processes and PostgreSQL, and between them and Redis. */
  postgres: Gate;
  redis: Gate;
  /** Answers every query while allowed; otherwise it accepts them and stays silent. */
  receiver: Receiver;
  holdReceiver(isHeld: boolean): void;
  service: Processes;
};

type Fault = {
  begin(world: World): unknown;
  end(world: World): unknown;
};

const LOCKED = ['accounts', 'trackings', 'checks', 'messages', 'deliveries', 'endpoint_turns', 'provider_pauses'];

const FAULTS: Record<string, Fault> = {
  'PostgreSQL is stopped': { begin: ({ server }) => server.freeze(), end: ({ server }) => server.thaw() },
  'connections to PostgreSQL are mute': {
    begin: ({ postgres }) => postgres.set('mute'),
    end: ({ postgres }) => postgres.set('open'),
  },
  'tables are locked': {
    // Again after a deadlock: a statement of the service may hold one of the tables and wait for another.
    begin: ({ server }) => eventually(() => lockTables(server)),
    end: ({ server }) => server.admin.query('ROLLBACK'),
  },
  'Redis hangs': { begin: ({ redis }) => redis.set('mute'), end: ({ redis }) => redis.set('open') },
  'a receiver hangs': {
    begin: ({ holdReceiver }) => holdReceiver(true),
    end: ({ holdReceiver }) => holdReceiver(false),
  },
};

async function lockTables({ admin }: OwnPostgres): Promise<void> {
  await admin.query('BEGIN');
  try {
    await admin.query(`LOCK TABLE ${LOCKED.map((name) => `public.${name}`).join(', ')} IN ACCESS EXCLUSIVE MODE`);
  } catch (error) {
    await admin.query('ROLLBACK');
    throw error;
  }
}

let world: World;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
}, 120_000);

async function start(store: 'redis' | 'postgres', env: Record<string, string> = {}): Promise<World> {
  const server = await startOwnPostgres();
  closing.push(() => server.close());
  const postgres = await startGate(server.url, 5432);
  const redis = await startGate(testServer('TEST_REDIS_URL'), 6379);
  closing.push(() => Promise.all([postgres.close(), redis.close()]));
  let isHeld = false;
  const held: (() => void)[] = [];
  const receiver = await startReceiver({
    respond: async () => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return { status: 200 };
    },
  });
  closing.push(() => receiver.close());
  const REDIS_URL = store === 'redis' ? { REDIS_URL: redis.url } : { REDIS_URL: '' };
  const service = await startProcesses({
    databaseUrl: postgres.url,
    directUrl: server.url,
    env: { SANDBOX_SPEED: '2', ...TUNING, ...REDIS_URL, ...env },
  });
  closing.push(() => service.stop());
  const holdReceiver = (isNow: boolean) => {
    isHeld = isNow;
    if (!isHeld) for (const letGo of held.splice(0)) letGo();
  };
  world = { server, postgres, redis, receiver, holdReceiver, service };
  return world;
}

let lastNumber = 8400;
/** Registers a parcel, and waits until its carrier was queried and its first push has arrived. */
async function worksFor({ service, receiver }: World): Promise<void> {
  const merchant = merchantOf(service);
  lastNumber += 1;
  const number = `SBXORDINARY${lastNumber}`;
  await eventually(() => merchant.register(number), { everyMs: 100 });
  await eventually(() => expect(receiver.requests.some(({ rawBody }) => rawBody.includes(number))).toBe(true), {
    everyMs: 20,
  });
}

/** Stops the three processes. @returns how long each took. */
async function stopAll({ service }: World): Promise<{ app: App; ms: number }[]> {
  return Promise.all(APPS.map(async (app) => ({ app, ms: await ownTimeOf(() => service.of(app).stop()) })));
}

const cases = stores().flatMap((store) =>
  Object.entries(FAULTS)
    .filter(([name]) => store === 'redis' || name !== 'Redis hangs')
    .map(([name, fault]) => [name, store, fault] as const),
);

test.each(cases)(
  'while %s (store %s), SIGTERM ends each process in under 10 s; work resumes within 15 s of recovery',
  async (_name, store, fault) => {
    const given = await start(store);
    // The first statements of an API on a busy machine may exceed its deadline: then it asks to be called again.
    await eventually(() => merchantOf(given.service).subscribe(given.receiver.url), {
      everyMs: 500,
    });
    // What the machine needs now for the same work without a fault.
    const usualMs = await ownTimeOf(() => worksFor(given));
    await fault.begin(given);
    // Everything that can hang does: requests, sweeps, jobs.
    const hanging = Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => merchantOf(given.service).register(`SBXORDINARY${8800 + n}`)),
    );
    await delay(LASTS_MS.ended);
    await hanging;
    const recovered = await ownTimeOf(async () => {
      await fault.end(given);
      await worksFor(given);
    });
    await fault.begin(given);
    await Promise.allSettled([merchantOf(given.service).register('SBXORDINARY8900'), delay(LASTS_MS.stopped)]);
    const stopped = await stopAll(given);
    await fault.end(given);
    expect(recovered).toBeLessThan(RECOVERS_MS + 2 * usualMs);
    for (const { app, ms } of stopped) expect({ app, inTime: ms < ENDS_MS + usualMs }).toEqual({ app, inTime: true });
  },
  240_000,
);
