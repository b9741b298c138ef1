import { column, columns, columnsOf, type Db, hotExecute, hotRows } from './connection.ts';
import { type LearnedPrefix, Prisma } from './generated/client.ts';

/** Finds count half after 90 days. */
const HALF_LIFE_MS = 90 * 86_400_000;
/** Without a find for this long, the halved counts say nothing. */
const FORGOTTEN_AFTER_DAYS = 720;

/** Numbers with a common prefix: those of one account, or those of all. */
export type LearnedKey = { accountId?: string; prefix: string };

/** The name of a key in the results of `findLearned`. */
export function nameOfKey({ accountId = '', prefix }: LearnedKey): string {
  return `${accountId} ${prefix}`;
}

/**
 * Counts carriers that knew numbers of a prefix for the first time. One statement, which locks its rows only while it
 * runs, and in the order of their keys, so that callers never deadlock.
 */
export async function recordFinds(
  db: Db,
  finds: readonly (LearnedKey & { carrier: string })[],
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await hotExecute(
    db,
    Prisma.sql`
    INSERT INTO public.learned_prefixes AS l (account_id, prefix, carrier, finds, updated_at)
    SELECT coalesce("accountId", ''), prefix, carrier, count(*), ${at}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(finds)}::jsonb) AS r("accountId" text, prefix text, carrier text)
    GROUP BY 1, prefix, carrier ORDER BY 1, prefix, carrier
    ON CONFLICT (account_id, prefix, carrier) DO UPDATE SET
      finds = excluded.finds + l.finds * power(0.5,
        GREATEST(0, extract(epoch FROM excluded.updated_at - l.updated_at) * 1000) / ${HALF_LIFE_MS}::float8),
      updated_at = GREATEST(l.updated_at, excluded.updated_at)`,
  );
}

const LEARNED = columns({
  ...columnsOf<LearnedPrefix>('l')('accountId', 'prefix', 'carrier', 'finds'),
  /** The time to which they are decayed. */
  updatedAt: column<LearnedPrefix['updatedAt']>('l.updated_at'),
});

/** The finds of keys, decayed: by the name of the key, then by carrier. Keys without any are absent. */
export async function findLearned(
  db: Db,
  keys: readonly LearnedKey[],
  now: Date,
): Promise<Map<string, Record<string, number>>> {
  const learned = new Map<string, Record<string, number>>();
  const accounts = keys.map(({ accountId = '' }) => accountId);
  const prefixes = keys.map(({ prefix }) => prefix);
  const found = await hotRows(
    db,
    LEARNED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.learned_prefixes l
      JOIN unnest(${accounts}::text[], ${prefixes}::text[]) AS k(account_id, prefix) USING (account_id, prefix)`,
  );
  for (const { accountId, prefix, carrier, finds, updatedAt } of found) {
    const halves = Math.max(0, now.getTime() - updatedAt.getTime()) / HALF_LIFE_MS;
    const name = nameOfKey({ accountId, prefix });
    learned.set(name, { ...learned.get(name), [carrier]: finds * 0.5 ** halves });
  }
  return learned;
}

/** Deletes counts that have decayed to nothing. @returns how many rows. */
export async function forgetLearned(db: Db, now: Date): Promise<number> {
  const before = new Date(now.getTime() - FORGOTTEN_AFTER_DAYS * 86_400_000);
  const { count } = await db.learnedPrefix.deleteMany({ where: { updatedAt: { lt: before } } });
  return count;
}
