import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { toSnakeCase } from '@pts/core/snake-case';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.ts';
import { DeadlinePool, isDirect, within } from './pool.ts';

export type Db = PrismaClient & {
  /** Sends SQL without Prisma. */
  readonly $hot: SendHot;
  /** A transaction of such statements. */
  readonly $hotTransaction: RunHotTransaction;
  /** For those who need node-pg's own result. */
  readonly $connections: Pick<pg.Pool, 'query'>;
  /** Milliseconds for the answer to a statement. */
  readonly $statementMs: number;
  /** The pool of all handles of this database. */
  readonly $pool: DeadlinePool;
  /** This database, over the same connections, for statements with another deadline. */
  $within(statementMs: number): Db;
  /** The process is about to end: from now on every statement, including running ones, gets two seconds. */
  $hurry(): void;
};
/** A database handle inside a transaction of Prisma's. */
export type Tx = Prisma.TransactionClient;

type DatabaseOptions = {
  url: string;
  poolSize: number;
  /** Milliseconds to get or open a connection. Default 5000. */
  connectMs?: number;
  /** Milliseconds for a statement. Default 8000. */
  statementMs?: number;
  /** Milliseconds after which the server ends an idle transaction. Default 15,000. */
  idleTransactionMs?: number;
  /** Where hot statements are named. Default: on connections without a pooler. */
  preparedStatements?: PreparedStatements;
};

/**
 * Milliseconds. Each statement has its own deadline; this bounds a transaction of several, which has time for at least
 * two.
 */
const TRANSACTION_MS = 20_000;
/** Time for Prisma to roll back open transactions. */
const ROLL_BACK_MS = 3000;

/**
 * Opens the database. Connections are made when first needed; every statement fails if it has no answer within its
 * deadline, and `$disconnect` returns within seconds even if a connection hangs.
 * @throws an Error that names the parameter that the URL must not have.
 */
export function openDatabase(options: DatabaseOptions): Db {
  refuseSchema(options.url);
  const pool = new DeadlinePool(options);
  const names = new StatementNames(options.preparedStatements ?? 'auto');
  const disconnects: (() => Promise<void>)[] = [];
  const handles = new Map<number, Db>();
  const open = (connections: pg.Pool, statementMs: number, maxWait?: number): Db => {
    const client = new PrismaClient({
      adapter: new PrismaPg(connections),
      errorFormat: 'minimal',
      transactionOptions: { ...(maxWait && { maxWait }), timeout: Math.max(TRANSACTION_MS, 2 * statementMs) },
    });
    disconnects.push(client.$disconnect.bind(client));
    return Object.assign(client, {
      ...hotStatements(connections, names),
      $connections: connections,
      $statementMs: statementMs,
      $pool: pool,
      $within: handle,
      $hurry: () => pool.hurry(),
      $disconnect: disconnect,
    });
  };
  const handle = (statementMs: number): Db => {
    const known = handles.get(statementMs) ?? open(pool.within(statementMs), statementMs, statementMs);
    handles.set(statementMs, known);
    return known;
  };
  const disconnect = async () => {
    pool.hurry();
    await within(ROLL_BACK_MS, Promise.all(disconnects.map((end) => end())), () => {});
    await pool.close();
  };
  const db = open(pool, pool.statementMs, options.connectMs ?? 5000);
  handles.set(pool.statementMs, db);
  return db;
}

/** A result column of a hand-written statement: its SQL expression and its type. */
export type Column<T> = { readonly sql: string; readonly type?: T };

/** Declares a column by its SQL expression: `column<Tracking['status']>('t.status')`. */
export function column<T>(sql: string): Column<T> {
  return { sql };
}

/** The result columns by name, and the select list for exactly these. */
type Columns<C> = { readonly columns: C; readonly list: string };
/** A row with these columns. */
export type RowOf<D> =
  D extends Columns<infer C> ? { -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never } : never;

/** Declares the result columns once: the row type and the select list derive from it. */
export function columns<const C extends Readonly<Record<string, Column<unknown>>>>(declared: C): Columns<C> {
  const list = Object.entries(declared).map(([name, { sql }]) => `${sql} AS "${name}"`);
  return { columns: declared, list: list.join(', ') };
}

/** Columns of a table under the names that its model has: `...columnsOf<Tracking>('t')('id', 'createdAt')`. */
export function columnsOf<M>(alias: string) {
  return <K extends keyof M & string>(...names: K[]) =>
    Object.fromEntries(names.map((name) => [name, column(`${alias}.${toSnakeCase(name)}`)])) as {
      [N in K]: Column<M[N]>;
    };
}

/** A time as a parameter of a statement. */
export function instant(at: Date): Prisma.Sql {
  return Prisma.sql`${at.toISOString()}::timestamptz`;
}

/**
 * Runs a hand-written statement that returns these columns, which connections do not prepare.
 * @param db Prisma's, which a transaction of Prisma's needs, or a transaction without Prisma.
 * @param statement is given the select list, for its SELECT or RETURNING.
 */
export async function rows<D extends Columns<unknown>>(
  db: HotTx | Pick<Tx, '$queryRaw'>,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  const sql = statement(Prisma.raw(declared.list));
  if ('$queryRaw' in db) return db.$queryRaw<RowOf<D>[]>(sql);
  return (await db.$hot(sql.text, sql.values, { isPrepared: false })) as RowOf<D>[];
}

/**
 * `rows` for the statements of nearly every request, prepared if the connection allows it. The statement may have only
 * a few texts: values that vary must be parameters.
 */
export async function hotRows<D extends Columns<unknown>>(
  { $hot }: HotTx,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  const { text, values } = statement(Prisma.raw(declared.list));
  return (await $hot(text, values)) as RowOf<D>[];
}

/** `hotRows` for a statement without a result. */
export async function hotExecute({ $hot }: HotTx, { text, values }: Prisma.Sql): Promise<void> {
  await $hot(text, values);
}

/** Where hot statements are named: `auto` where the connection has a session of its own, everywhere, or nowhere. */
export type PreparedStatements = 'auto' | 'on' | 'off';

/** Whether the connection keeps the plan of a statement, which then may have only a few texts. By default it does. */
export type SqlOptions = { isPrepared?: boolean };
/** Sends a statement that bypasses Prisma. @returns its rows: times are Dates, JSON is parsed, a bigint is a bigint. */
export type SendHot = (text: string, values: readonly unknown[], options?: SqlOptions) => Promise<pg.QueryResultRow[]>;

/** Sends the statements of a transaction. */
export type HotTx = { readonly $hot: SendHot };
/**
 * Runs a transaction of hot statements, which is rolled back if `work` throws. `work` may run twice: it has no other
 * effects.
 */
type RunHotTransaction = <T>(work: (tx: HotTx) => Promise<T>, planner?: Planner) => Promise<T>;
/**
 * By index: plans follow indexes in their order, row by row; those without an order (GIN) are read only by `any index`.
 */
type Planner = 'free' | 'by index' | 'by any index';

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = { [INT8]: BigInt, [TIMESTAMPTZ]: parseTime };
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** The session does not have the statement, or another client used the same name: the pooler shares sessions. */
const LOST_STATES = ['26000', '42P05'];
/** A migration has changed a type of the result, which a plan keeps. */
const CHANGED_PLAN_STATE = '0A000';
/** The server refused the data, by type or constraint. After any other error the connection may be about to end. */
const REFUSED_STATES = /^2[23]/;

/**
 * Hot statements are those where parsing, planning and Prisma's layers would be most of the cost. Each is named once
 * per connection, so that the server parses and plans it once. There must be few texts: each connection keeps all of
 * them.
 */
class StatementNames {
  /** Whether no server has refused a name. */
  isOn: boolean;
  readonly #always: boolean;
  readonly #names = new Map<string, string>();
  readonly #direct = new WeakMap<pg.PoolClient, boolean>();

  constructor(mode: PreparedStatements) {
    this.isOn = mode !== 'off';
    this.#always = mode === 'on';
  }

  /** Whether statements may be named on a connection; a promise if that is not known yet. */
  areOn(client: pg.PoolClient): boolean | Promise<boolean> {
    if (!this.isOn || this.#always) return this.isOn;
    return this.#direct.get(client) ?? this.#ask(client);
  }

  async #ask(client: pg.PoolClient): Promise<boolean> {
    const isOn = await isDirect(client);
    this.#direct.set(client, isOn);
    return isOn;
  }

  /** The name of a statement: a text has the same name everywhere, so that no name means two statements. */
  of(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `pts_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return name;
  }
}

/** A statement that the server refuses only because of its name, before it runs, is sent again without a name. */
function hotStatements(pool: pg.Pool, names: StatementNames): Pick<Db, '$hot' | '$hotTransaction'> {
  const send = async (client: pg.PoolClient, isNamed: boolean, text: string, values: readonly unknown[]) => {
    const query = { text, values: values as unknown[], types: TYPES };
    const named = isNamed && (await names.areOn(client)) ? { ...query, name: names.of(text) } : query;
    return (await client.query(named)).rows;
  };
  /** Runs `use` on a connection, and once more without names if the server refuses one. */
  const onConnection = async <T>(use: (client: pg.PoolClient, isNamed: boolean) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isSpoiled = true;
    try {
      const result = await use(client, true);
      isSpoiled = false;
      return result;
    } catch (error) {
      const state = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
      isSpoiled = !REFUSED_STATES.test(state);
      if (LOST_STATES.includes(state)) names.isOn = false;
      else if (state !== CHANGED_PLAN_STATE) throw error;
      return await use(client, false);
    } finally {
      client.release(isSpoiled);
    }
  };
  return {
    $hot: (text, values, { isPrepared = true } = {}) =>
      onConnection((client, isNamed) => send(client, isNamed && isPrepared, text, values)),
    $hotTransaction: (work, planner = 'free') =>
      onConnection(async (client, isNamed) => {
        const $hot: SendHot = (text, values, { isPrepared = true } = {}) =>
          send(client, isNamed && isPrepared, text, values);
        await client.query(BEGIN[planner]);
        try {
          const result = await work({ $hot });
          await client.query('COMMIT');
          return result;
        } catch (error) {
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      }),
  };
}

const OFF = [
  'enable_seqscan',
  'enable_sort',
  'enable_incremental_sort',
  'enable_hashjoin',
  'enable_mergejoin',
  // A plan without an alternative may count as very expensive; compiling it would take longer than running it.
  'jit',
];
/** The settings end with the transaction: a pooler may give the connection to another client after it. */
const beginWithout = (off: readonly string[]) => ['BEGIN', ...off.map((name) => `SET LOCAL ${name} = off`)].join('; ');
const BEGIN: Readonly<Record<Planner, string>> = {
  free: 'BEGIN',
  // Such a plan does not depend on the parameters: it is made once for a connection.
  'by index': `${beginWithout([...OFF, 'enable_bitmapscan'])}; SET LOCAL plan_cache_mode = force_generic_plan`,
  'by any index': beginWithout(OFF),
};

/**
 * `hotRows` with a plan that follows indexes in their order, row by row. For statements that take a few rows of a large
 * table: the planner can only guess how many match, and after an upgrade, an import or an outage its statistics
 * describe another table. When it expects few, it reads and sorts all of them; when it expects many, it reads the whole
 * table.
 */
export function rowsByIndex<D extends Columns<unknown>>(
  db: CanTransact,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  return byIndex(db, (tx) => hotRows(tx, declared, statement));
}

/** `rowsByIndex` for a statement without a result. */
export function executeByIndex(db: CanTransact, statement: Prisma.Sql): Promise<void> {
  return byIndex(db, (tx) => hotExecute(tx, statement));
}

/**
 * `rowsByIndex` for statements with many texts, of which connections keep no plan. An index that has no order (GIN) is
 * read too.
 */
export function rowsByIndexOnce<D extends Columns<unknown>>(
  db: CanTransact,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  return db.$hotTransaction((tx) => rows(tx, declared, statement), 'by any index');
}

type CanTransact = Pick<Db, '$hotTransaction'>;

/** A transaction of statements with such plans. */
export function byIndex<T>(db: CanTransact, run: (tx: HotTx) => Promise<T>): Promise<T> {
  return db.$hotTransaction(run, 'by index');
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

/** The time of the database, which decides about every schedule. */
export async function readClock({ $connections }: Pick<Db, '$connections'>): Promise<Date> {
  const { rows } = await $connections.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const [row] = rows;
  if (!row) throw new Error('the database did not return its time');
  return row.now;
}

const parseAny: (text: string) => Date | number | null = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

const [MINUS, DOT, ZERO] = [0x2d, 0x2e, 0x30];
/** `2031-04-05 06:07:08+00`, and with six digits after a dot. */
const [SHORTEST, LONGEST] = [22, 29];

/**
 * A `timestamptz` as PostgreSQL writes it. node-pg's parser takes four times as long, and a page of the log has a
 * hundred times; it still parses every other form: of other sessions' zones, years beyond four digits, infinity.
 */
export function parseTime(text: string): Date | number | null {
  const { length } = text;
  if (length < SHORTEST || length > LONGEST || text.charCodeAt(4) !== MINUS || !text.endsWith('+00'))
    return parseAny(text);
  const year = digits(text, 0) * 100 + digits(text, 2);
  // `Date.UTC` would take a year before 100 for one of the last century.
  if (year < 100) return parseAny(text);
  const [month, day] = [digits(text, 5) - 1, digits(text, 8)];
  return new Date(
    Date.UTC(year, month, day, digits(text, 11), digits(text, 14), digits(text, 17), milliseconds(text, length - 3)),
  );
}

/** The number of two digits. */
function digits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}

/** The milliseconds in the digits between the dot, if there is one, and `end`. */
function milliseconds(text: string, end: number): number {
  if (text.charCodeAt(19) !== DOT) return 0;
  const at = (place: number) => (place < end ? digit(text, place) : 0);
  return at(20) * 100 + at(21) * 10 + at(22);
}
