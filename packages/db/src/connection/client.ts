import { PrismaPg } from '@prisma/adapter-pg';
import { within } from '@pts/waiting/within';
import type pg from 'pg';
import { type Prisma, PrismaClient } from '../generated/client.ts';
import { openConnections } from './connections.ts';
import { createHot, type PreparedStatements, type RunHotTransaction, type SendHot } from './hot.ts';

export {
  isDatabaseUnreachable,
  isDuplicate,
  isPassing,
  isTooSlow,
  lacksRight,
  lacksTable,
  violates,
} from './faults.ts';

/** Open connections, those of them that wait for a statement, and statements that wait for a connection. */
type PoolUse = { open: number; idle: number; waiting: number };
/** Connections for statements that bypass Prisma. */
export type Connections = Pick<pg.Pool, 'query'>;
export type Db = PrismaClient & {
  /** Direct connections, for the few hot statements where Prisma's overhead would be most of the cost. */
  readonly $connections: Connections;
  /** Sends a hot statement that bypasses Prisma, named if the connection allows it (`hotRows`). */
  readonly $hot: SendHot;
  /** A transaction of hot statements. */
  readonly $hotTransaction: RunHotTransaction;
  /** How its connections are used at the moment. */
  $poolUse(): PoolUse;
  /** The process is about to end: from now on every statement, including running ones, gets two seconds. */
  $hurry(): void;
};
/** A database handle inside a transaction. */
export type Tx = Prisma.TransactionClient;

/**
 * In milliseconds. Each statement has its own deadline; this bounds a transaction of several, which has time for at least two.
 */
const TRANSACTIONS = { maxWait: 5000, timeout: 20_000 };

type DatabaseOptions = {
  url: string;
  poolSize: number;
  /** Milliseconds to get or open a connection. Default 5000. */
  connectMs?: number;
  /** Milliseconds for a statement. Default 8000; `withDeadline` sets another. */
  statementMs?: number;
  /** Milliseconds after which the server ends an idle transaction. Default 15,000. */
  idleTransactionMs?: number;
  /** Where hot statements are named. Default: on connections without a pooler. */
  preparedStatements?: PreparedStatements;
};

/** Time for Prisma to roll back open transactions. */
const ROLL_BACK_MS = 3000;

/**
 * Opens the database. Connections are made when first needed; every statement fails if it has no answer within its
 * deadline (`DEADLINES`), and `$disconnect` returns within seconds even if a connection hangs.
 * @throws an Error that names the parameter that the URL must not have.
 */
export function openDatabase(options: DatabaseOptions): Db {
  refuseSchema(options.url);
  const { pool, hurry, close } = openConnections(options);
  const { connectMs = TRANSACTIONS.maxWait, statementMs = 0 } = options;
  const client = new PrismaClient({
    adapter: new PrismaPg(pool),
    errorFormat: 'minimal',
    transactionOptions: { maxWait: connectMs, timeout: Math.max(TRANSACTIONS.timeout, 2 * statementMs) },
  });
  const disconnect = client.$disconnect.bind(client);
  const hot = createHot(pool, options.preparedStatements ?? 'auto');
  return Object.assign(client, {
    $connections: pool,
    $hot: hot.send,
    $hotTransaction: hot.transaction,
    $poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    $hurry: hurry,
    $disconnect: async () => {
      hurry();
      await within(ROLL_BACK_MS, disconnect(), () => {});
      await close();
    },
  });
}

/** The URL is wrong: reported without a stack, and not retried. */
class AddressError extends Error {
  override readonly name = 'ConfigError';
}

/** The tables are in `public`, which every statement names: a search path would be lost behind PgBouncer. */
function refuseSchema(url: string): void {
  const schema = URL.canParse(url) ? new URL(url).searchParams.get('schema') : null;
  if (schema !== null && schema !== 'public')
    throw new AddressError(
      `DATABASE_URL says schema=${schema}, but the tables are always in the schema public; use a separate database for the service`,
    );
}

/** `pingDatabase` for callers without a limit: those at the same time share one statement, and so one connection. */
export function createSharedPing(db: Db): () => Promise<void> {
  let asking: Promise<void> | null = null;
  return () => {
    asking ??= pingDatabase(db).finally(() => {
      asking = null;
    });
    return asking;
  };
}

/** Resolves when the database answers. @throws if it does not; a parameter that the URL must not have is named. */
export async function pingDatabase(db: Db): Promise<void> {
  try {
    await db.$queryRaw`SELECT 1`;
  } catch (error) {
    const refused = /unsupported startup parameter[^\n]*/.exec(error instanceof Error ? error.message : '')?.[0];
    if (refused === undefined) throw error;
    throw new AddressError(
      `DATABASE_URL has a parameter that the pooler refuses (${refused}); remove it, or add it to PgBouncer's ignore_startup_parameters`,
    );
  }
}
