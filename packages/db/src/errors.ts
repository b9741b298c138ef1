import pg from 'pg';
import { Prisma } from './generated/client.ts';

/** The messages and codes of an error, over all layers that wrap it. */
type Details = { codes: string[]; severities: string[]; text: string };

/** How deep errors wrap each other: Prisma's, its adapter's, node-pg's, Node's. */
const DEEPEST = 5;

function detailsOf(error: unknown, depth = 0): Details {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return { codes: [], severities: [], text: '' };
  const { name, message, code, severity, errorCode, originalCode, originalMessage, kind, cause, errors, meta } =
    error as Record<string, unknown>;
  const adapter = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  const inner = [cause, adapter, ...(Array.isArray(errors) ? errors : [])].map((each) => detailsOf(each, depth + 1));
  const isText = (value: unknown): value is string => typeof value === 'string';
  const raw = (meta as { code?: unknown } | undefined)?.code;
  return {
    codes: [...[code, errorCode, originalCode, kind, raw].filter(isText), ...inner.flatMap(({ codes }) => codes)],
    severities: [...[severity].filter(isText), ...inner.flatMap(({ severities }) => severities)],
    text: [...[name, message, originalMessage].filter(isText), ...inner.map(({ text }) => text)].join(' '),
  };
}

/** The Postgres error code, whether or not the statement went through Prisma; null if there is none. */
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

/** Whether a statement failed because another row has a value that must be unique. */
export function isDuplicate(error: unknown): boolean {
  return (
    (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') || sqlState(error) === '23505'
  );
}

/** Whether the role may not do what a statement does. */
export function lacksRight(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** Whether a statement names a table, column or function that the database does not have. */
export function lacksTable(error: unknown): boolean {
  const { codes } = detailsOf(error);
  return codes.some((code) => ['P2021', 'P2022', '42P01', '42703', '42883'].includes(code));
}

/**
 * Codes of Postgres: connection lost (08), refused (28, 3D000), out of resources (53), cancelled (57014) or shutting
 * down (57P), I/O errors (58), a standby that takes no writes (25006), and the limits of a role or server: for the wait
 * for a lock (55P03), an idle transaction (25P03), and a whole one (25P04). PgBouncer's own errors are 08P01 or one of
 * these.
 */
const UNREACHABLE_STATES = /^(08...|28000|28P01|3D000|53...|55P03|57014|57P0\d|58...|25006|25P0[34])$/;

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  // Prisma's: unreachable, access denied, connection closed or timed out, no free connection, no transaction in time.
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'],
  // Those of Prisma's adapter: an error in a raw statement or a commit has no other code.
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TlsConnectionError', 'TooManyConnections'],
  ...['AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
  // Node's.
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENETRESET', 'EADDRNOTAVAIL', 'ERR_SOCKET_CLOSED'],
  ...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_PREMATURE_CLOSE'],
]);

/** Node's, for a certificate that has expired, or is of another authority or server. */
const REFUSED_CERTIFICATE =
  /^(UNABLE_TO_|CERT_|CRL_|ERROR_IN_C|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_P)/;

function isUnreachableCode(code: string): boolean {
  return (
    UNREACHABLE_CODES.has(code) ||
    UNREACHABLE_STATES.test(code) ||
    REFUSED_CERTIFICATE.test(code) ||
    code.startsWith('ERR_SSL_') ||
    code.startsWith('ERR_TLS_')
  );
}

/** Errors without a code: node-pg's own, and those that arrive only as text. In lower case. */
const UNREACHABLE_TEXTS: readonly string[] = [
  ...['connect enoent', 'connect eacces', 'connection terminated', 'connection ended'],
  ...['connection error and is not queryable', 'client was closed and is not queryable', 'timeout expired'],
  ...['timeout exceeded when trying to connect', 'query read timeout', 'cannot use a pool after calling end'],
  ...['server closed the connection', 'server conn crashed', 'server login failed', 'server login has been failing'],
  ...[
    'query_wait_timeout',
    'client_login_timeout',
    'no more connections allowed',
    'pgbouncer cannot connect to server',
  ],
  ...['database is disabled', 'database is paused', "can't reach database", 'too many clients', 'too many connections'],
  ...['remaining connection slots', 'terminating connection', 'the database system is', 'ssl connection'],
  'received unexpected ',
];

/** PostgreSQL ends the connection, as when a full disk does not let a session begin (XX000): no statement was wrong. */
const ENDING_SEVERITIES: readonly string[] = ['FATAL', 'PANIC'];
/** Texts of the operating system about the server's disk, in an error that may have any code. In lower case. */
const DISK_TEXTS: readonly string[] = [
  'no space left on device',
  'disk quota exceeded',
  'read-only file system',
  'input/output error',
];

/**
 * Whether an error means that the database is unreachable, too busy or without a disk, rather than that a statement was
 * wrong. If there are codes, they decide.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  const { codes, severities, text } = detailsOf(error);
  if (codes.some(isUnreachableCode) || severities.some((each) => ENDING_SEVERITIES.includes(each))) return true;
  const lower = text.toLowerCase();
  if (codes.includes('XX000') && DISK_TEXTS.some((known) => lower.includes(known))) return true;
  return sqlState(error) === null && UNREACHABLE_TEXTS.some((known) => lower.includes(known));
}

/**
 * A wait for a lock, a statement, a transaction, or a wait for a connection of the pool that took longer than it may.
 */
const SLOW_CODES: ReadonlySet<string> = new Set([
  ...['55P03', '57014', '25P03', '25P04'],
  ...['P1008', 'P2024', 'P2028', 'SocketTimeout'],
]);
const SLOW_TEXT = /DeadlineError|the database has not answered within|timeout exceeded when trying to connect/;

/**
 * Whether a statement took too long. That says nothing about the server, which may answer all others: a row may be
 * locked. Only a ping tells that the server does not answer.
 */
export function isTooSlow(error: unknown): boolean {
  const { codes, text } = detailsOf(error);
  return SLOW_TEXT.test(text) || codes.some((code) => SLOW_CODES.has(code));
}

/** A deadlock or serialization failure: Postgres ended this statement, and nothing of it was stored. */
const CONFLICT_CODES = ['40P01', '40001', 'P2034', 'TransactionWriteConflict'];

/** Whether a retry may succeed: the database is unreachable, or ended one of two conflicting statements. */
export function isPassing(error: unknown): boolean {
  return isDatabaseUnreachable(error) || detailsOf(error).codes.some((code) => CONFLICT_CODES.includes(code));
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as { message?: string; errors?: unknown[] };
  // Node has one of these for a host with several addresses, without a message of its own.
  if (!message && errors) return errors.map(messageOf).join('; ');
  return String(message || error).trim();
}
