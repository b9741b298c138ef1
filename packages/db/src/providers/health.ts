import { column, columns, type Db, type RowOf, rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

const HEALTH = columns({
  provider: column<string>('p.provider'),
  pausedUntil: column<Date | null>('(SELECT paused_until FROM public.provider_pauses WHERE provider = p.provider)'),
  /** Since when its oldest check has been due, or will be; null: it has none. */
  oldestDueAt: column<Date | null>('LEAST(c.due_at, s.due_at)'),
  /** When a regular check was last begun; null: not yet. */
  checkedAt: column<Date | null>('(SELECT max(claimed_at) FROM public.check_slots WHERE provider = p.provider)'),
});

/** Whether the checks of a provider are made in time. */
export type ProviderHealth = RowOf<typeof HEALTH>;

/** The health of some providers. A step of an index for each: the cost does not grow with the checks that are due. */
export async function readProviderHealth(db: Db, names: readonly string[], now: Date): Promise<ProviderHealth[]> {
  return rowsByIndex(db, HEALTH, (list) => healthStatement(names, now, list));
}

/** The statement; a separate function, so that a test can inspect its plan. A leased slot is being checked. */
export function healthStatement(names: readonly string[], now: Date, list = Prisma.raw(HEALTH.list)): Prisma.Sql {
  return Prisma.sql`
    SELECT ${list} FROM unnest(${[...names]}::text[]) AS p(provider)
    LEFT JOIN LATERAL (
      SELECT next_check_at AS due_at FROM public.checks WHERE provider = p.provider ORDER BY next_check_at LIMIT 1) c ON true
    LEFT JOIN LATERAL (
      SELECT due_at FROM public.check_slots
      WHERE provider = p.provider AND (leased_until IS NULL OR leased_until <= ${now.toISOString()}::timestamptz)
      ORDER BY due_at LIMIT 1) s ON true`;
}
