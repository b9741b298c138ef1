import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Agent, request } from 'undici';

const ROLE = '--as-the-bare-dispatcher';
/** The list, and the channel, by which it is woken for an endpoint. */
const WAKE = 'bare_wake';

type Servers = { databaseUrl: string; redisUrl: string | undefined };

/** A process that delivers with the fewest steps that keep a delivery over a crash, and how it is woken. */
export type BareDispatcher = { child: ChildProcess; wake(webhookId: string): Promise<void>; close(): Promise<void> };

/**
 * Starts it. It waits for an endpoint to be named, reads what is pending for it, sends it unsigned, and records it with the rows
 * that we record: one wake-up, two statements and one request for an event. No leases, retries, limits, metrics or log.
 */
export async function startBareDispatcher(servers: Servers): Promise<BareDispatcher> {
  const child = fork(fileURLToPath(import.meta.url), [ROLE, servers.databaseUrl, servers.redisUrl ?? '']);
  await once(child, 'message');
  const redis = servers.redisUrl === undefined ? null : new Redis(servers.redisUrl);
  const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 2 });
  return {
    child,
    async wake(webhookId) {
      if (redis) await redis.lpush(WAKE, webhookId);
      else await pool.query({ name: 'wake', text: 'SELECT pg_notify($1, $2)', values: [WAKE, webhookId] });
    },
    async close() {
      child.disconnect();
      redis?.disconnect();
      await Promise.all([once(child, 'exit'), pool.end()]);
    },
  };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export function runBareDispatcher(): boolean {
  const [role, databaseUrl = '', redisUrl = ''] = process.argv.slice(2);
  if (role !== ROLE) return false;
  process.on('disconnect', () => process.exit());
  void (redisUrl === '' ? listenToPostgres(databaseUrl) : popFromRedis(databaseUrl, redisUrl));
  return true;
}

async function popFromRedis(databaseUrl: string, redisUrl: string): Promise<void> {
  const deliver = createDelivery(databaseUrl);
  const redis = new Redis(redisUrl);
  process.send?.('ready');
  for (;;) {
    const woken = await redis.brpop(WAKE, 0);
    if (woken) await deliver(woken[1]);
  }
}

async function listenToPostgres(databaseUrl: string): Promise<void> {
  const deliver = createDelivery(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let last = Promise.resolve();
  client.on('notification', ({ payload = '' }) => {
    last = last.then(() => deliver(payload));
  });
  await client.query(`LISTEN ${WAKE}`);
  process.send?.('ready');
}

function createDelivery(databaseUrl: string): (webhookId: string) => Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const dispatcher = new Agent({ connections: 64 });
  const send = async ({ url, body }: { url: string; body: string }) => {
    const response = await request(url, { dispatcher, method: 'POST', body });
    await response.body.dump();
  };
  return async (webhookId) => {
    const { rows } = await pool.query({ name: 'load', text: LOAD, values: [webhookId] });
    await Promise.all(rows.map(send));
    if (rows.length > 0) await pool.query({ name: 'record', text: RECORD, values: [rows.map(({ id }) => id)] });
  };
}

const LOAD = `
  SELECT d.id, w.url, m.body FROM deliveries d JOIN messages m ON m.id = d.message_id JOIN webhooks w ON w.id = d.webhook_id
  WHERE d.webhook_id = $1 AND d.state = 'owed' AND d.fresh ORDER BY d.id LIMIT 10`;

const RECORD = `
  WITH done AS (
    UPDATE deliveries SET state = 'delivered', attempts = 1, next_attempt_at = NULL WHERE id = ANY ($1::bigint[]) RETURNING *)
  INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at, status_code,
    duration_ms)
  SELECT id, message_id, webhook_id, account_id, 'tracking_update', 1, 0, now(), 200, 1 FROM done`;
