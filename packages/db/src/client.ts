import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.ts';

/** Connections to send a statement over, past Prisma. */
export type Connections = Pick<pg.Pool, 'query'>;
export type Db = PrismaClient & {
  /** Prisma's own connections, for the few statements so hot that the way through Prisma would be most of their cost. */
  readonly $connections: Connections;
};
/** A database handle inside a transaction. */
export type Tx = Prisma.TransactionClient;

/**
 * Opens the database. Connections are made when first needed; a server that does not answer fails a query within
 * five seconds.
 */
export function openDatabase(options: { url: string; poolSize: number }): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5000,
    // Ends a statement that hangs, long after any of ours should have answered.
    statement_timeout: 30_000,
    keepAlive: true,
  });
  // A connection that breaks while nobody uses it is replaced when the next one is needed.
  pool.on('error', () => {});
  const client = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
  const disconnect = client.$disconnect.bind(client);
  return Object.assign(client, {
    $connections: pool,
    $disconnect: async () => {
      await disconnect();
      if (!pool.ended) await pool.end();
    },
  });
}

/** Resolves when the database answers. @throws when it does not. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.$queryRaw`SELECT 1`;
}

/** The code that Postgres gave an error, whichever way the statement went; null when it gave none. */
function sqlState(error: unknown): string | null {
  if (error instanceof pg.DatabaseError) return error.code ?? null;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  const meta = error.meta as { code?: string; driverAdapterError?: { cause?: { originalCode?: string } } } | undefined;
  return meta?.driverAdapterError?.cause?.originalCode ?? meta?.code ?? null;
}

/** Whether a statement failed on the named check constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return (
    sqlState(error) === '23514' &&
    JSON.stringify([(error as Error).message, (error as { meta?: unknown }).meta]).includes(constraint)
  );
}

const CONNECTION_CODES = ['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'];
const CONNECTION_TEXT =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|Connection terminated|timeout exceeded when trying to connect|server closed the connection|Can't reach database|too many clients|terminating connection|the database system is/i;

/** Whether an error says that the database is out of reach, rather than that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error) ?? '';
  if (state.startsWith('08') || state.startsWith('57P') || state === '53300') return true;
  if ('code' in error && CONNECTION_CODES.includes(String(error.code))) return true;
  return CONNECTION_TEXT.test(`${error.name} ${error.message}`);
}

/** Two statements were in each other's way, and this is the one that Postgres ended: nothing of it was stored. */
const CONFLICT_CODES = ['40P01', '40001', 'P2034'];

/** Whether the same call, made again, may well succeed: the database is out of reach, or had to end one of two statements. */
export function isPassing(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  const codes = [sqlState(error), error instanceof Error && 'code' in error ? String(error.code) : null];
  return codes.some((code) => code !== null && CONFLICT_CODES.includes(code));
}
