import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A database handle inside a transaction. */
export type Tx = Prisma.TransactionClient;

/**
 * Opens the database. Connections are made when first needed; a server that does not answer fails a query within
 * five seconds.
 */
export function openDatabase(options: { url: string; poolSize: number }): Db {
  const adapter = new PrismaPg({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5000,
    // Ends a statement that hangs, long after any of ours should have answered.
    statement_timeout: 30_000,
    keepAlive: true,
  });
  return new PrismaClient({ adapter, errorFormat: 'minimal' });
}

/** Resolves when the database answers. @throws when it does not. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.$queryRaw`SELECT 1`;
}

/** The Postgres error code inside an error of Prisma; null when it is none. */
function sqlState(error: unknown): string | null {
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
