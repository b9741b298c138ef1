import { Prisma } from '../generated/client.ts';
import type { Tx } from './client.ts';
import type { HotTx } from './hot.ts';

/** A result column of a hand-written statement: its SQL expression and its type. */
export type Column<T> = { readonly sql: string; readonly type?: T };

/** Declares a column by its SQL expression: `column<Tracking['status']>('t.status')`. */
export function column<T>(sql: string): Column<T> {
  return { sql };
}

/** The result columns by name, and the select list for exactly these. */
export type Columns<C> = { readonly columns: C; readonly list: string };
/** A row with these columns. */
export type RowOf<D> =
  D extends Columns<infer C> ? { -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never } : never;

/** Declares the result columns once: the row type and the select list derive from it. */
export function columns<const C extends Readonly<Record<string, Column<unknown>>>>(declared: C): Columns<C> {
  const list = Object.entries(declared).map(([name, { sql }]) => `${sql} AS "${name}"`);
  return { columns: declared, list: list.join(', ') };
}

/**
 * Runs a hand-written statement that returns these columns.
 * @param statement is given the select list, for its SELECT or RETURNING.
 */
export async function rows<D extends Columns<unknown>>(
  db: Pick<Tx, '$queryRaw'>,
  declared: D,
  statement: (list: Prisma.Sql) => Prisma.Sql,
): Promise<RowOf<D>[]> {
  return db.$queryRaw<RowOf<D>[]>(statement(Prisma.raw(declared.list)));
}

/**
 * `rows` for the statements of nearly every request: without Prisma, alone or in a hot transaction, and prepared if the
 * connection allows it. The statement may have only a few texts: values that vary must be parameters.
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
