import { randomInt } from 'node:crypto';
import { Prisma } from '../generated/client.ts';
import type { Db } from './client.ts';
import { column, columns, rows } from './rows.ts';

const LOCK = columns({ isFree: column<boolean>('pg_try_advisory_xact_lock(l.number)') });

/** Whether two addresses lead to one database: an advisory lock that is taken in it is not free there. */
export function isOneDatabase(one: Db, other: Db): Promise<boolean> {
  const number = randomInt(2 ** 47);
  return one.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${number}::bigint)`;
    const [lock] = await rows(
      other,
      LOCK,
      (list) => Prisma.sql`SELECT ${list} FROM (SELECT ${number}::bigint AS number) l`,
    );
    return lock?.isFree === false;
  });
}
