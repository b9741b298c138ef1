import type { Session } from './recorded.ts';

/** A statement that builds or drops an index without holding up writes, which cannot be part of a transaction. */
type IndexStatement = { kind: 'create' | 'drop'; name: string };

const CONCURRENTLY = /^(CREATE|DROP)\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?([\w."]+)/i;

/** @returns null for any other statement. */
export function asIndexStatement(statement: string): IndexStatement | null {
  const [, verb, name] = CONCURRENTLY.exec(statement) ?? [];
  // Without a name of its own, it cannot be found again.
  if (verb === undefined || name === undefined || name.toUpperCase() === 'ON') return null;
  return { kind: verb.toUpperCase() === 'CREATE' ? 'create' : 'drop', name };
}

/** Whether the statement has nothing left to do. */
export async function isDone(session: Session, { kind, name }: IndexStatement): Promise<boolean> {
  const isValid = await isValidIndex(session, name);
  return kind === 'create' ? isValid === true : isValid === null;
}

/** An interrupted build leaves an index that is written, but never used. */
export async function dropInvalid(session: Session, { kind, name }: IndexStatement): Promise<void> {
  if (kind === 'create' && (await isValidIndex(session, name)) === false)
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** @returns null if there is no such index. */
async function isValidIndex(session: Session, name: string): Promise<boolean | null> {
  const { rows } = await session.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_catalog.pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0]?.isValid ?? null;
}
