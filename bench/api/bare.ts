import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freshId } from '@pts/db/ids';
import { jobOptions } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { endProcess } from '@pts/testing/app-process';
import express, { type Express } from 'express';
import pg from 'pg';
import { cpuMsOf } from './process.ts';

const BARE_FLAG = '--as-the-bare-api';

type Place = { databaseUrl: string; redisUrl: string | undefined; prefix: string; accounts: Record<string, string> };

/**
 * The limit that our API is measured against, in a separate process: the same calls as a minimal Express app over pg and
 * BullMQ. It does not authenticate, validate, limit, charge or log; the key identifies the account.
 * @param place `accounts`: the ids of accounts by their keys.
 */
export async function startBareProcess(place: Place) {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [BARE_FLAG]);
  child.send(place);
  const [url] = (await once(child, 'message')) as [string];
  return { url, cpuMs: () => cpuMsOf(child), close: () => endProcess(child) };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runBare(): Promise<boolean> {
  if (process.argv[2] !== BARE_FLAG) return false;
  process.on('disconnect', () => process.exit());
  const [place] = (await once(process, 'message')) as [Place];
  const server = (await bareApp(place)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.(process.cpuUsage()));
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  return true;
}

/** The same three inserts, without waiting for a quota: `bench_charges` has a row for each statement. */
const INSERT = `
  WITH created AS (
    INSERT INTO trackings (id, account_id, tracking_number, carrier, provider, detected, status, sub_status, updated_at)
    SELECT id, $1, number, 'sandbox', 'sandbox', true, '查询中', 'pending', now()
    FROM unnest($2::text[], $3::text[]) AS given(id, number)
    RETURNING id, account_id, tracking_number, provider, carrier, status
  ), watched AS (
    INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, next_check_at, expires_at)
    SELECT id, account_id, provider, carrier, tracking_number, now(), now() + interval '30 days' FROM created
  ), charged AS (
    INSERT INTO bench_charges (account_id, units) SELECT $1, count(*) FROM created
  )
  SELECT id, tracking_number, carrier, status FROM created`;
const GET = `
  SELECT id, tracking_number, carrier, status, sub_status, events, created_at, updated_at FROM trackings
  WHERE account_id = $1 AND tracking_number = ANY ($2::text[])`;
const DELIVERIES = `
  SELECT id, message_id, webhook_id, event, attempt, round, started_at, status_code, error, duration_ms, response_excerpt,
    next_attempt_at
  FROM delivery_attempts WHERE account_id = $1 ORDER BY id DESC LIMIT 51`;
const SHIPMENTS = `
  SELECT id, tracking_number, carrier, status, sub_status, latest_event, updated_at FROM trackings
  WHERE account_id = $1 ORDER BY updated_at DESC, id DESC LIMIT 51`;

async function bareApp({ databaseUrl, redisUrl, prefix, accounts }: Place): Promise<Express> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const queue = (await openQueue({ databaseUrl, redisUrl, prefix, onError: console.error })).queue('bare');
  const add = (ids: string[]) => queue.add('query', { ids }, jobOptions('query'));
  const app = express();
  const accountOf = (key: string | undefined) => accounts[key ?? ''];
  const insert = async (key: string | undefined, numbers: readonly string[]) => {
    const ids = numbers.map(() => freshId(new Date()));
    const { rows } = await pool.query<{ id: string }>(INSERT, [accountOf(key), ids, numbers]);
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
    const { rows } = await pool.query(GET, [accountOf(request.get('X-API-Key')), numbers]);
    response.json({ code: 200, data: rows });
  });
  for (const [path, sql] of [
    ['webhooks/deliveries', DELIVERIES],
    ['shipments', SHIPMENTS],
  ] as const)
    app.get(`/api/v1/${path}`, async (request, response) => {
      const { rows } = await pool.query(sql, [accountOf(request.get('X-API-Key'))]);
      response.json({ code: 200, data: rows });
    });
  return app;
}
