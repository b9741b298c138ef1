import type { Prisma } from '../generated/client.ts';
import type { Db } from './client.ts';
import type { HotTx } from './hot.ts';
import { type Columns, hotExecute, hotRows, type RowOf, rows } from './rows.ts';

const OFF = [
  'enable_seqscan',
  'enable_sort',
  'enable_incremental_sort',
  'enable_hashjoin',
  'enable_mergejoin',
  // A plan without an alternative may count as very expensive; compiling it would take longer than running it.
  'jit',
];
const settings = (off: readonly string[]) =>
  `SELECT ${off.map((name) => `set_config('${name}', 'off', true)`).join(', ')}`;
const SETTINGS = settings([...OFF, 'enable_bitmapscan']);
const SETTINGS_WITH_BITMAPS = settings(OFF);

/**
 * `hotRows` with a plan that follows indexes in their order, row by row. For statements that take a few rows of a large table: the
 * planner can only guess how many match, and after an upgrade, an import or an outage its statistics describe another table. When
 * it expects few, it reads and sorts all of them; when it expects many, it reads the whole table.
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
 * `rowsByIndex` for statements with many texts, of which connections keep no plan. An index that has no order (GIN) is read too.
 */
export async function rowsByIndexOnce<D extends Columns<unknown>>(
  db: Db,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  return db.$transaction(async (tx) => {
    await planByIndex(tx);
    return rows(tx, declared, statement);
  });
}

/** Makes the rest of a transaction use such plans. */
export async function planByIndex(tx: Pick<Db, '$executeRawUnsafe'>): Promise<void> {
  await tx.$executeRawUnsafe(SETTINGS_WITH_BITMAPS);
}

type CanTransact = Pick<Db, '$hotTransaction'>;

/** A transaction of statements with such plans. The settings end with it: a pooler may give the connection to another client after it. */
export function byIndex<T>(db: CanTransact, run: (tx: HotTx) => Promise<T>): Promise<T> {
  return db.$hotTransaction(async (tx) => {
    await tx.$hot(SETTINGS, []);
    return run(tx);
  });
}
