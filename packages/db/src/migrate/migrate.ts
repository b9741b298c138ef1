import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineGlue from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';
import { openConnections } from '../connection/connections.ts';
import { DEADLINES } from '../connection/deadline.ts';
import { isTransactionPooled } from '../connection/pooler.ts';

export type MigrateOptions = {
  /** The server itself, or a pooler that keeps a session for each client. */
  databaseUrl: string;
  /** The folder with `migration_lock.toml` and one folder a migration. */
  migrationsDir: string;
  onApplied?: (name: string) => void;
};

/**
 * Applies pending migrations like `prisma migrate deploy`: the same files, the same engine, the same bookkeeping in
 * `_prisma_migrations`. Several processes may run it at once; all but one wait. Throws with what went wrong, never the password.
 */
export async function migrate({
  databaseUrl,
  migrationsDir,
  onApplied,
}: MigrateOptions): Promise<{ applied: string[] }> {
  const server = addressOf(databaseUrl);
  const migrationsList = await readMigrations(migrationsDir);
  // One connection: advisory locks belong to a session, and the engine's own calls must run in the one that holds it.
  const { pool, close } = openConnections({
    url: databaseUrl,
    poolSize: 1,
    statementMs: DEADLINES.migration,
    connectMs: 10_000,
  });
  const scripts = { failure: undefined as unknown };
  try {
    if (await isTransactionPooled(databaseUrl)) throw new Error(POOLED);
    await takeTurn(pool);
    const SchemaEngine = await loadEngine();
    const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapterFactory(pool, scripts));
    try {
      await forgetUnfinished(pool, engine, migrationsList.migrationDirectories);
      const { appliedMigrationNames: applied } = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
      for (const name of applied) onApplied?.(name);
      return { applied };
    } finally {
      engine.free();
    }
  } catch (error) {
    throw new Error(`could not migrate the database at ${server}: ${reason(error, scripts.failure)}`);
  } finally {
    await close();
  }
}

const POOLED =
  'this is a pooler in transaction mode, which loses locks between statements; set MIGRATE_DATABASE_URL to the PostgreSQL server itself';

const NO_FILTERS = { externalTables: [], externalEnums: [] };

type Engine = engineGlue.SchemaEngine;
type Migration = { path: string; migrationFile: { content: { value: string } } };

/** The engine's own lock, taken first: the engine gives up after ten seconds, but another migration may take longer. */
async function takeTurn(pool: pg.Pool): Promise<void> {
  await pool.query(`SET lock_timeout = '10min'`);
  await pool.query('SELECT pg_advisory_lock(72707369)');
  await pool.query('RESET lock_timeout');
}

/**
 * A run that failed or was killed leaves an unfinished row, and the engine refuses to continue. A file that ran as one
 * transaction left nothing else, so it can run again; for any other, an operator must decide.
 */
async function forgetUnfinished(pool: pg.Pool, engine: Engine, migrations: Migration[]): Promise<void> {
  const { rows } = await pool.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`);
  if (!rows[0]?.present) return;
  const unfinished = await pool.query<{ name: string }>(
    'SELECT DISTINCT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
  for (const { name } of unfinished.rows) {
    const sql = migrations.find((migration) => migration.path === name)?.migrationFile.content.value;
    if (sql && !/\b(commit|concurrently)\b/i.test(sql)) await engine.markMigrationRolledBack({ migrationName: name });
  }
}

function adapterFactory(pool: pg.Pool, scripts: { failure: unknown }) {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    // The adapter's own version cuts the file at every `;`, also those in comments and function bodies. Sent whole, it is
    // also one transaction, as the engine's binary does it.
    adapter.executeScript = async (script) => {
      try {
        await pool.query(script);
      } catch (error) {
        scripts.failure = error;
        throw error;
      }
    };
    return adapter;
  };
  return bindMigrationAwareSqlAdapterFactory(factory);
}

async function readMigrations(baseDir: string) {
  const names = (await readdir(baseDir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const file = async (name: string) => ({
    path: 'migration.sql',
    content: { tag: 'ok' as const, value: await readFile(join(baseDir, name, 'migration.sql'), 'utf8') },
  });
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: await readFile(join(baseDir, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({ path: name, migrationFile: await file(name) })),
    ),
  };
}

// Neither Node's types nor ES2023's declare it.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<typeof engineGlue.SchemaEngine> | undefined;

/** Once a process: the glue keeps the instance in a variable of its module. */
function loadEngine(): Promise<typeof engineGlue.SchemaEngine> {
  loading ??= (async () => {
    // The glue writes a panic's text there before it traps.
    Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panic });
    const imports = { './schema_engine_bg.js': withIdleTimers({ ...engineGlue }) };
    const { exports } = (await WebAssembly.instantiate(await readFile(engineFile()), imports)).instance;
    engineGlue.__wbg_set_wasm(exports);
    if (typeof exports.__wbindgen_start === 'function') exports.__wbindgen_start();
    return engineGlue.SchemaEngine;
  })();
  return loading;
}

const panic = {
  message: '',
  set_message(text: string) {
    panic.message = text;
  },
};

/** The engine never clears its ten seconds for the lock; they must not keep a process from ending. */
function withIdleTimers(glue: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(glue).filter((key) => key.startsWith('__wbg_setTimeout'))) {
    glue[name] = (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref();
  }
  return glue;
}

/** Next to the bundle, where the build copies it, or in its package. */
function engineFile(): string {
  const name = 'schema_engine_bg.wasm';
  const nearby = join(dirname(fileURLToPath(import.meta.url)), name);
  if (existsSync(nearby)) return nearby;
  return join(dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')), name);
}

function reason(error: unknown, scriptFailure: unknown): string {
  if (panic.message) return panic.message;
  const said = messageOf(error);
  // The engine only says where it failed; the database said why.
  if (scriptFailure)
    return `migration ${said.match(/migration_name="([^"]+)"/)?.[1] ?? ''}: ${messageOf(scriptFailure)}`;
  return said;
}

function messageOf(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: unknown[] };
  // Node has one of these for a host with several addresses, without a message of its own.
  if (!message && errors) return errors.map(messageOf).join('; ');
  return String(message ?? error).trim();
}

/** Host, port and database, to name the server without its password. */
function addressOf(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('DATABASE_URL must have the form postgresql://user:password@host:port/database');
  return `${url.hostname}:${url.port || 5432}${url.pathname}`;
}
