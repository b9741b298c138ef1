import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@pts/contract/limits';
import { type Db, openDatabase } from '@pts/db/connection';
import { freshId } from '@pts/db/ids';
import { storeRegistrations } from '@pts/db/trackings/register';
import { freePort } from '@pts/embedded/machine';
import { JOB_OPTIONS } from '@pts/queue/catalog';
import { openQueue, type Store } from '@pts/queue/connection';
import { NODE_FLAGS } from '@pts/runtime/process/node-flags';
import { createAccount } from '@pts/service/accounts';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn, stores } from '@pts/testing/stores';
import express, { type Express } from 'express';
import pg from 'pg';
import { Pool } from 'undici';
import { runApi } from '../apps/api/src/serve.ts';
import { type Figure, figure } from './figure.ts';
import { EXAMPLE } from './merchant.ts';

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
/**
 * Trackings and delivery attempts of all accounts before the first request: with few, PostgreSQL would read whole
 * tables.
 */
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
 * Requests per second of the API as it is deployed, log and limits included, against a bare Express app with one table,
 * one statement and one job for each request; for one account and, where accounts matter, for a hundred.
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
  await db.$executeRawUnsafe(TABLE);
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

const LOAD_FLAG = '--as-the-load';

/** The requests to a server: with `numbers`, new ones in a body; otherwise known ones in the path. */
type Call = 'create' | 'get-one' | 'get-forty' | 'batch' | 'deliveries' | 'shipments';

type Load = {
  url: string;
  call: Call;
  connections: number;
  forMs: number;
  /** The accounts that send requests, round robin, by their keys, each with the numbers that it has registered. */
  accounts: readonly { key: string; numbers: readonly string[] }[];
};

/** The load's process; `run` resolves to the number of requests that were answered with 200. */
type LoadProcess = { run(load: Load): Promise<number>; child: ChildProcess };

function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(import.meta.url), [LOAD_FLAG]);
  return {
    child,
    async run(load) {
      child.send(load);
      const [answered] = (await once(child, 'message')) as [number | string];
      if (typeof answered === 'string') throw new Error(answered);
      return answered;
    },
  };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export function runLoad(): boolean {
  if (process.argv[2] !== LOAD_FLAG) return false;
  process.on('disconnect', () => process.exit());
  process.on('message', (load) => {
    ask(load as Load).then(
      (answered) => process.send?.(answered),
      (error) => process.send?.(String(error)),
    );
  });
  return true;
}

/** One request after the other on each connection. */
async function ask({ url, call, connections, forMs, accounts }: Load): Promise<number> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const requests = requestsOf(call, accounts);
  const until = performance.now() + forMs;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < until) {
      const { statusCode, body } = await pool.request(requests());
      if (statusCode !== 200) throw new Error(`${call} was answered ${statusCode}: ${await body.text()}`);
      await body.dump();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await pool.close();
  return answered;
}

type Sent = Parameters<Pool['request']>[0];

function requestsOf(call: Call, accounts: Load['accounts']): () => Sent {
  // Each run has its own numbers: none is registered yet.
  const run = randomBytes(5).toString('hex').toUpperCase();
  let count = 0;
  const fresh = () => `PTS${run}${String(count++).padStart(8, '0')}`;
  const get = (path: string, key: string): Sent => ({ method: 'GET', path, headers: { 'x-api-key': key } });
  const post = (path: string, key: string, body: object): Sent => ({
    method: 'POST',
    path,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let turn = 0;
  return () => {
    const { key, numbers } = accounts[turn++ % accounts.length] ?? { key: '', numbers: [] };
    const known = (max: number) => {
      const from = (turn * 7919) % Math.max(1, numbers.length - max);
      return `/api/v1/trackings/get?tracking_numbers=${numbers.slice(from, from + max).join(',')}`;
    };
    switch (call) {
      case 'create':
        return post('/api/v1/trackings/create', key, { tracking_number: fresh() });
      case 'batch':
        return post('/api/v1/trackings/batch', key, { tracking_numbers: Array.from({ length: 40 }, fresh) });
      case 'get-one':
        return get(known(1), key);
      case 'get-forty':
        return get(known(40), key);
      case 'deliveries':
        return get('/api/v1/webhooks/deliveries', key);
      case 'shipments':
        return get('/api/v1/shipments', key);
    }
  };
}

const BARE_FLAG = '--as-the-bare-api';

type BareSettings = {
  databaseUrl: string;
  redisUrl: string | undefined;
  prefix: string;
  accounts: Record<string, string>;
};

/**
 * The limit that our API is measured against, in a separate process: the same calls as a minimal Express app over pg
 * and BullMQ. It does not authenticate, validate, limit, charge or log; the key identifies the account.
 * @param place `accounts`: the ids of accounts by their keys.
 */
async function startBareProcess(place: BareSettings) {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [BARE_FLAG]);
  child.send(place);
  const [url] = (await once(child, 'message')) as [string];
  return { url, cpuMs: () => cpuMsOf(child), close: () => endProcess(child) };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runBare(): Promise<boolean> {
  if (process.argv[2] !== BARE_FLAG) return false;
  process.on('disconnect', () => process.exit());
  const [place] = (await once(process, 'message')) as [BareSettings];
  const server = (await bareApp(place)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.(process.cpuUsage()));
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  return true;
}

/**
 * Parcels of the bare app: one table without our indexes, so that what these cost is seen. Statements have names, as
 * ours do. A list reads whole rows, as somebody would who has one table.
 */
const TABLE = `
  CREATE TABLE bench_parcels (id varchar(24) PRIMARY KEY, account_id varchar(24), number varchar(50), carrier varchar(40),
    events jsonb DEFAULT '[]', created_at timestamptz(3) DEFAULT now(), UNIQUE (account_id, number, carrier))`;
const INSERT = `
  INSERT INTO bench_parcels (id, account_id, number, carrier)
  SELECT id, $1, number, 'sandbox' FROM unnest($2::text[], $3::text[]) AS given(id, number) RETURNING id, number, carrier`;
const GET = 'SELECT * FROM trackings WHERE account_id = $1 AND tracking_number = ANY ($2::text[])';
const DELIVERIES = 'SELECT * FROM delivery_attempts WHERE account_id = $1 ORDER BY id DESC LIMIT 50';
const SHIPMENTS = 'SELECT * FROM trackings WHERE account_id = $1 ORDER BY updated_at DESC, id DESC LIMIT 50';

async function bareApp({ databaseUrl, redisUrl, prefix, accounts }: BareSettings): Promise<Express> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const queue = (await openQueue({ databaseUrl, redisUrl, prefix, onError: console.error })).queue('bare');
  const add = (ids: string[]) => queue.add('query', { ids }, JOB_OPTIONS);
  const app = express();
  const accountOf = (key: string | undefined) => accounts[key ?? ''];
  const insert = async (key: string | undefined, numbers: readonly string[]) => {
    const ids = numbers.map(() => freshId(new Date()));
    const { rows } = await pool.query<{ id: string }>({
      name: 'insert',
      text: INSERT,
      values: [accountOf(key), ids, numbers],
    });
    return rows;
  };
  app.post('/api/v1/trackings/create', express.json(), async (request, response) => {
    const [created] = await insert(request.get('X-API-Key'), [request.body.tracking_number]);
    await add([created?.id ?? '']);
    response.json({ code: 200, data: created });
  });
  app.post('/api/v1/trackings/batch', express.json(), async (request, response) => {
    const created = await insert(request.get('X-API-Key'), request.body.tracking_numbers);
    await add(created.map(({ id }) => id));
    response.json({ code: 200, data: created });
  });
  app.get('/api/v1/trackings/get', async (request, response) => {
    const numbers = String(request.query.tracking_numbers).split(',');
    const { rows } = await pool.query({
      name: 'get',
      text: GET,
      values: [accountOf(request.get('X-API-Key')), numbers],
    });
    response.json({ code: 200, data: rows });
  });
  for (const [path, sql] of [
    ['webhooks/deliveries', DELIVERIES],
    ['shipments', SHIPMENTS],
  ] as const)
    app.get(`/api/v1/${path}`, async (request, response) => {
      const { rows } = await pool.query({ name: path, text: sql, values: [accountOf(request.get('X-API-Key'))] });
      response.json({ code: 200, data: rows });
    });
  return app;
}

const API_FLAG = '--as-the-api';
/** Half of the memory limit of the API in k8s/base, which is Node's choice there. */
const HEAP_MIB = 256;

/**
 * The API as deployed, in a separate process with the same heap size.
 * @param settings environment variables that differ.
 */
async function startApiProcess(store: Store, databaseUrl: string, settings: Record<string, string> = {}) {
  const port = await freePort();
  const redisUrl = redisUrlOn(store);
  const child = fork(fileURLToPath(import.meta.url), [API_FLAG], {
    execArgv: [...NODE_FLAGS, `--max-old-space-size=${HEAP_MIB}`],
    env: {
      PATH: process.env.PATH,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      DATABASE_URL: databaseUrl,
      QUEUE_PREFIX: `{bench-${process.pid}}`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SANDBOX_URL: 'http://127.0.0.1:9',
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'error',
      ...settings,
    },
    // Nothing else reads its log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => {
    const { status } = await fetch(`${url}/healthz`);
    if (status !== 200) throw new Error(`the API answers ${status}`);
  };
  await eventually(isUp, { deadlineMs: 60_000 });
  return {
    url,
    /** Milliseconds of CPU that the process has used. */
    cpuMs: () => cpuMsOf(child),
    close: () => endProcess(child),
  };
}

/** Milliseconds of CPU used by a process that answers `cpu`. */
async function cpuMsOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1000;
}

/** The program of the API's process; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runApiProcess(): Promise<boolean> {
  if (process.argv[2] !== API_FLAG) return false;
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.(process.cpuUsage()));
  await runApi(process.env);
  return true;
}
