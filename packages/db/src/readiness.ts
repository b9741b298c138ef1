import { TLSSocket } from 'node:tls';
import type { Check } from '@pts/core/process/readiness-check';
import pg from 'pg';
import type { Db } from './connection.ts';
import { messageOf } from './errors.ts';
import type { Installation } from './generated/client.ts';
import { BASELINE, NEWEST_MIGRATION } from './generated/newest-migration.ts';
import { TOO_OLD } from './migrate.ts';
import { DeadlineClient, within } from './pool.ts';

/** The last migration that this release needs. Later ones do not matter. */
export const NEEDED_MIGRATION: string = NEWEST_MIGRATION;

/** The connection over which a check queries the database. */
type Connection = Pick<pg.Client, 'query'>;
/** A requirement on the database. @returns null if it is met, otherwise what is missing and how to fix it. */
export type Requirement = (connection: Connection) => Promise<string | null>;

export type Readiness = {
  /** By name: `database` first, then, when it answers, each requirement. Never throws. */
  check(): Promise<Record<string, Check>>;
  /** The newest migration of the database at the last check that could read it; null before that. */
  schemaVersion(): string | null;
  /**
   * When the certificate of the server or of this client expires, whichever is first; null without TLS, or before a
   * connection.
   */
  certificateExpiresAt(): Date | null;
  close(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  /** By the names that `check` shows. The schema of this release is always one of them. */
  requirements?: Record<string, Requirement>;
  /** Time for an answer of the database, and again for all requirements. */
  deadlineMs?: number;
};

/**
 * Checks whether the database is usable, over a separate connection: a busy pool says nothing about the
 * database. Checks at the same time share one round.
 * @throws an Error with a code when the URL cannot be used.
 */
export function openReadiness({ databaseUrl, requirements = {}, deadlineMs = 1000 }: Options): Readiness {
  const line = openLine(databaseUrl, deadlineMs);
  let version: string | null = null;
  const schema: Requirement = async (connection) => {
    const found = await readSchema(connection);
    version = found.newest;
    return faultOf(found);
  };
  const all = Object.entries({ schema, ...requirements });
  let known: Record<string, Check> | null = null;
  let round: Promise<Record<string, Check>> | null = null;

  const answers = async () => {
    if (line.isOpen()) {
      try {
        return await line.use((connection) => connection.query('SELECT 1'));
      } catch (error) {
        // A connection that ended while idle says nothing about the database; a missing answer does.
        if (error instanceof TooSlow) throw error;
      }
    }
    return line.use((connection) => connection.query('SELECT 1'));
  };
  const lookAtAll = () =>
    line.use(async (connection) => {
      const found: Record<string, Check> = {};
      for (const [name, requirement] of all) {
        // The server must give up, too: a session that waits for a lock does not notice that its client has gone.
        await connection.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${deadlineMs}`);
        const reason = await requirement(connection);
        found[name] = reason === null ? { state: 'ok' } : { state: 'unfit', reason };
        await connection.query('ROLLBACK');
      }
      return found;
    });
  const look = async (): Promise<Record<string, Check>> => {
    try {
      await answers();
    } catch (error) {
      const [what, reason] = [`PostgreSQL at ${line.server}`, messageOf(error)];
      if (isRefusal(error)) return { database: { state: 'unfit', reason: `${what} refuses this process (${reason})` } };
      return { database: { state: 'unreachable', what, reason } };
    }
    try {
      known = await lookAtAll();
    } catch (error) {
      // A running migration may lock the table that is read here; earlier results are still valid.
      if (known === null || !isSlow(error))
        known = {
          schema: { state: 'unfit', reason: `the version of the database schema cannot be read: ${messageOf(error)}` },
        };
    }
    return { database: { state: 'ok' }, ...known };
  };
  return {
    check: () => {
      round ??= look().finally(() => {
        round = null;
      });
      return round;
    },
    schemaVersion: () => version,
    certificateExpiresAt: line.certificateExpiresAt,
    close: line.close,
  };
}

/** Whether the schema is that of this release, or a later one's. */
export const schemaFault: Requirement = async (connection) => faultOf(await readSchema(connection));

type Schema = { newest: string | null; isFit: boolean; isTooOld: boolean };

/** The newest migration that has been applied, and whether the one that this release needs has been. */
async function readSchema(connection: Connection): Promise<Schema> {
  try {
    const { rows } = await connection.query<Schema>(
      `SELECT max(migration_name) AS newest, COALESCE(bool_or(migration_name = $1), false) AS "isFit",
         COALESCE(bool_or(migration_name < $2), false) AS "isTooOld"
       FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      [NEEDED_MIGRATION, BASELINE],
    );
    return rows[0] ?? NO_SCHEMA;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return NO_SCHEMA;
    throw error;
  }
}

const NO_SCHEMA: Schema = { newest: null, isFit: false, isTooOld: false };

function faultOf({ isFit, isTooOld }: Schema): string | null {
  if (isTooOld) return TOO_OLD;
  return isFit ? null : `the database schema lacks migration ${NEEDED_MIGRATION}: run \`npm run migrate\``;
}

const UNDEFINED_TABLE = '42P01';
const QUERY_CANCELED = '57014';
/** Connecting may take this many deadlines. */
const CONNECT_DEADLINES = 5;

class TooSlow extends Error {}

const isSlow = (error: unknown) =>
  error instanceof TooSlow || (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED);

/** The server answers, and does not know this role, password or database: others may have better settings. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && /^28|^3D/.test(error.code ?? '');

type Line = {
  server: string;
  isOpen(): boolean;
  certificateExpiresAt(): Date | null;
  /** Connects when there is no connection. An attempt that fails or is too slow is abandoned. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/**
 * One connection, opened when needed. The client enforces deadlines, because a hanging server does not. Connecting
 * may take longer than a check waits; the connection then serves the next check.
 */
function openLine(databaseUrl: string, deadlineMs: number): Line {
  const settings = {
    connectionString: databaseUrl,
    application_name: 'readiness',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_DEADLINES * deadlineMs,
  };
  const { host, port } = usable(() => new pg.Client(settings));
  let client: pg.Client | null = null;
  let connecting: Promise<pg.Client> | null = null;
  let isClosed = false;
  let expiresAt: Date | null = null;

  const drop = (dropped: pg.Client) => {
    if (client === dropped) client = null;
    dropped.end().catch(() => {});
  };
  const connect = async () => {
    const fresh: pg.Client = new DeadlineClient(settings, deadlineMs);
    fresh.on('error', () => drop(fresh));
    await fresh.connect();
    expiresAt = firstExpiry(fresh);
    if (isClosed) drop(fresh);
    else client = fresh;
    return fresh;
  };
  const connected = () => {
    connecting ??= connect().finally(() => {
      connecting = null;
    });
    return connecting;
  };
  return {
    server: host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`,
    isOpen: () => client !== null,
    certificateExpiresAt: () => expiresAt,
    use: async (work) => {
      let isLate = false;
      const working = async () => {
        const connection = client ?? (await connected());
        if (isLate) throw new TooSlow();
        return work(connection);
      };
      try {
        return await within(deadlineMs, working(), () => {
          isLate = true;
          throw new TooSlow(`no answer within ${deadlineMs} ms`);
        });
      } catch (error) {
        if (client) drop(client);
        throw error;
      }
    },
    close: async () => {
      isClosed = true;
      if (client) drop(client);
    },
  };
}

/** The earliest expiry among the server's certificate and the client's own. */
function firstExpiry(client: pg.Client): Date | null {
  const { stream } = client.connection;
  if (!(stream instanceof TLSSocket)) return null;
  const certificates = [stream.getPeerCertificate(), stream.getCertificate()];
  const times = certificates
    .map((certificate) => Date.parse((certificate as { valid_to?: string } | null)?.valid_to ?? ''))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** @throws an Error with a code, so that it is reported in one line. */
function usable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const text = `DATABASE_URL cannot be used: ${messageOf(error)}`;
    throw Object.assign(new Error(text), { code: 'DATABASE_URL' });
  }
}

/** Encrypts and decrypts with the key to check. `decrypt` throws for data of another key. */
export type KeyCipher = { encrypt(text: string): string; decrypt(encrypted: string): string };

/** The plain text of the check value. */
const KNOWN_TEXT = 'parcel-tracking-service';

/**
 * @param learn gets the record of the installation if its key is right.
 * @returns why a process must not start with this key; null when it may.
 */
export async function keyRefusal(
  db: Db,
  cipher: KeyCipher,
  learn: (installation: Installation) => void = () => {},
): Promise<string | null> {
  const installation = await openInstallation(db, cipher);
  if (installation) {
    learn(installation);
    return null;
  }
  return (
    'ENCRYPTION_KEY does not match the key that encrypted the webhook secrets in this database. ' +
    'Set the original key. If it is lost, see docs/operations.md.'
  );
}

/**
 * Its record, if a key is the one that encrypted the secrets of this database. The first process stores a check value:
 * an encrypted constant.
 */
async function openInstallation(db: Db, cipher: KeyCipher): Promise<Installation | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (stored) return decrypts(cipher, stored.keyCheck) ? stored : null;
  // Of concurrent processes, the first one's value counts.
  await db.installation.createMany({ data: [{ keyCheck: cipher.encrypt(KNOWN_TEXT) }], skipDuplicates: true });
  const first = await db.installation.findUniqueOrThrow({ where: { id: 1 } });
  return decrypts(cipher, first.keyCheck) ? first : null;
}

/** Like the check at boot, but changes nothing. @returns null in a database that no process has used yet. */
export async function keyFits(db: Db, cipher: Pick<KeyCipher, 'decrypt'>): Promise<boolean | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  return stored ? decrypts(cipher, stored.keyCheck) : null;
}

function decrypts(cipher: Pick<KeyCipher, 'decrypt'>, encrypted: string): boolean {
  try {
    cipher.decrypt(encrypted);
    return true;
  } catch {
    return false;
  }
}
