import { createHash } from 'node:crypto';
import { isDirect } from '@pts/postgres/pool';
import pg from 'pg';
import { parseTime } from './parse-time.ts';

/** Where hot statements are named: `auto` where the connection has a session of its own, everywhere, or nowhere. */
export type PreparedStatements = 'auto' | 'on' | 'off';

/** Sends a statement that bypasses Prisma. @returns its rows: times are Dates, JSON is parsed, a bigint is a bigint. */
export type SendHot = (text: string, values: readonly unknown[]) => Promise<pg.QueryResultRow[]>;

/** Sends the statements of a transaction. */
export type HotTx = { readonly $hot: SendHot };
/** Runs a transaction of hot statements, which is rolled back if `work` throws. `work` may run twice: it has no other effects. */
export type RunHotTransaction = <T>(work: (tx: HotTx) => Promise<T>) => Promise<T>;

type Query = { text: string; values: unknown[]; types: pg.CustomTypesConfig };

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
 * Hot statements: those where parsing, planning and Prisma's layers would be most of the cost. Each is named once per
 * connection, so that the server parses and plans it once. There must be few texts: each connection keeps all of them.
 * A statement that the server refuses only because of its name, before it runs, is sent again without a name.
 */
export function createHot(pool: pg.Pool, mode: PreparedStatements): { send: SendHot; transaction: RunHotTransaction } {
  const direct = new WeakMap<pg.PoolClient, boolean>();
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? nameFrom(text);
    names.set(text, name);
    return name;
  };
  let isNaming = mode !== 'off';
  const canName = async (client: pg.PoolClient) => {
    if (!isNaming || mode === 'on') return isNaming;
    const known = direct.get(client) ?? (await isDirect(client));
    direct.set(client, known);
    return known;
  };
  const sendOn =
    (client: pg.PoolClient, isNamed: boolean): SendHot =>
    async (text, values) => {
      const query: Query = { text, values: [...values], types: TYPES };
      const isNamedHere = isNamed && (await canName(client));
      return (await client.query(isNamedHere ? { ...query, name: nameOf(text) } : query)).rows;
    };
  /** Runs `use` on a connection, and once more without names if the server refuses one. */
  const onConnection = async <T>(use: (client: pg.PoolClient, send: SendHot) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isSpoiled = true;
    try {
      const result = await use(client, sendOn(client, true));
      isSpoiled = false;
      return result;
    } catch (error) {
      const state = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
      isSpoiled = !REFUSED_STATES.test(state);
      if (LOST_STATES.includes(state)) isNaming = false;
      else if (state !== CHANGED_PLAN_STATE) throw error;
      return await use(client, sendOn(client, false));
    } finally {
      client.release(isSpoiled);
    }
  };
  return {
    send: (text, values) => onConnection((_client, send) => send(text, values)),
    transaction: (work) => onConnection((client, send) => inTransaction(client, () => work({ $hot: send }))),
  };
}

async function inTransaction<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The same text has the same name everywhere, so that no name means two statements. */
function nameFrom(text: string): string {
  return `pts_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
