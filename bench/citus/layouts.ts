import type pg from 'pg';

/** How the tables are spread over a cluster. Tables that are not named stay on the coordinator. */
export type Layout = {
  name: string;
  /** A copy on each server: small tables that others are joined with. */
  references: readonly string[];
  /** By which column the rows of a table are spread. */
  distributed: Readonly<Record<string, string>>;
};

const OF_ACCOUNTS = [
  ...['trackings', 'checks', 'tracking_search', 'quota_usage', 'messages', 'deliveries', 'delivery_attempts'],
  ...['stat_deltas', 'stat_parcels', 'stat_counts', 'stat_endpoints', 'stat_transits'],
  ...['replays', 'idempotency_keys', 'bulk_actions', 'stream_leases'],
];

/** Everything of an account is on one worker. */
export const BY_ACCOUNT: Layout = {
  name: 'by account',
  // Found by the hash of a key, or by the id of an endpoint: without an account.
  references: ['accounts', 'api_keys', 'webhooks', 'page_settings'],
  distributed: Object.fromEntries(OF_ACCOUNTS.map((table) => [table, 'account_id'])),
};

/** What grows most, by keys that it has already; everything else stays where it is. */
export const HISTORY_BY_MESSAGE: Layout = {
  name: 'history by message',
  references: [],
  distributed: { messages: 'id', deliveries: 'message_id', delivery_attempts: 'message_id' },
};

/** What Citus answers when the tables of a layout are distributed as the migrations leave them, by table. */
export async function refusals(client: pg.Client, { distributed }: Layout): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  for (const [table, column] of Object.entries(distributed)) {
    await client.query('BEGIN');
    try {
      await client.query(`SELECT create_distributed_table('${table}', '${column}', colocate_with => 'none')`);
    } catch (error) {
      refused.set(table, faultOf(error));
    }
    await client.query('ROLLBACK');
  }
  return refused;
}

/** The words of the server. */
export function faultOf(error: unknown): string {
  const { name, message, detail, cause, meta } = error as {
    name: string;
    message: string;
    detail?: string;
    cause?: { originalMessage?: string };
    meta?: { driverAdapterError?: { cause?: { originalMessage?: string } } };
  };
  const inner = cause?.originalMessage ?? meta?.driverAdapterError?.cause?.originalMessage;
  const line = name === 'AssertionError' ? 0 : -1;
  return [inner ?? message.trim().split('\n').at(line), detail].filter(Boolean).join(' DETAIL: ');
}

/**
 * Makes the changes without which Citus distributes nothing, and distributes: each unique key gets the column that the table is
 * distributed by, and their foreign keys and triggers go.
 */
export async function distribute(client: pg.Client, { references, distributed }: Layout): Promise<void> {
  // The order of these steps is that of what Citus refuses first.
  const tables = Object.keys(distributed);
  await dropForeignKeys(client, tables);
  for (const [table, column] of Object.entries(distributed)) await widenKeys(client, table, column);
  await dropTriggers(client, tables);
  for (const table of references) await client.query(`SELECT create_reference_table('${table}')`);
  let first: string | undefined;
  for (const [table, column] of Object.entries(distributed)) {
    await client.query(
      `SELECT create_distributed_table('${table}', '${column}', colocate_with => '${first ?? 'none'}')`,
    );
    first ??= table;
  }
}

async function dropForeignKeys(client: pg.Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `SELECT conrelid::regclass AS "table", conname AS name FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[]))`,
    [tables],
  );
  for (const { table, name } of rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
}

/** Also on the server that the figures are compared with. */
export async function dropTriggers(client: pg.Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `SELECT tgrelid::regclass AS "table", tgname AS name FROM pg_trigger
     WHERE NOT tgisinternal AND tgparentid = 0 AND tgrelid = ANY ($1::regclass[])`,
    [tables],
  );
  for (const { table, name } of rows) await client.query(`DROP TRIGGER ${name} ON ${table}`);
}

/** Adds a column in front of each unique key that lacks it. */
async function widenKeys(client: pg.Client, table: string, column: string): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string; constraint: string | null }>(
    `SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition, pg_get_constraintdef(k.oid) AS constraint
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_constraint k ON k.conindid = c.oid AND k.contype IN ('p', 'u')
     WHERE i.indrelid = $1::regclass AND i.indisunique AND NOT EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = $2 AND a.attnum = ANY (i.indkey::int2[]))`,
    [table, column],
  );
  for (const { name, definition, constraint } of rows) {
    if (constraint === null) {
      await client.query(`DROP INDEX ${name}`);
      await client.query(definition.replace('btree (', `btree (${column}, `));
    } else {
      const wider = constraint.replace('(', `(${column}, `);
      await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} ${wider}`);
    }
  }
}
