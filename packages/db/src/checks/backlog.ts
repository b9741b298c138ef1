import { SLOT_LEASE_SECONDS } from '@pts/core/tracking/ring';
import { column, columns, type Db, type RowOf, rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { waits } from './ring.ts';

/** Of a provider's checks that are due individually, and of those in slots, this many are counted at most. */
export const MAX_COUNTED = 10_000;

const BACKLOG = columns({
  provider: column<string>('p.provider'),
  /** Beyond `MAX_COUNTED` they are not all counted. */
  due: column<number>('count(*)::int'),
  oldestAt: column<Date>('min(d.due_at)'),
});

/** The checks of a provider that are due and not claimed, and since when the oldest has been due. */
export type ProviderBacklog = RowOf<typeof BACKLOG>;

/**
 * The backlog of every provider that has one. Hand-written: one step of an index per provider, and counts that end, so that it
 * costs the same with three million due checks as with some thousands. A leased slot stays due until its claim ends, because claims
 * that fail again and again lease it again and again; unless its lease lasts as long as a floor, in which no claim may take it.
 */
export async function readBacklogs(db: Db, now: Date, maxCounted = MAX_COUNTED): Promise<ProviderBacklog[]> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const max = Prisma.sql`${maxCounted}::int`;
  return rowsByIndex(
    db,
    BACKLOG,
    (list) => Prisma.sql`
    WITH RECURSIVE providers AS (
      (SELECT provider FROM public.checks ORDER BY provider LIMIT 1)
      UNION ALL
      SELECT n.provider FROM providers CROSS JOIN LATERAL (
        SELECT c.provider FROM public.checks c WHERE c.provider > providers.provider ORDER BY c.provider LIMIT 1) n
    )
    SELECT ${list} FROM providers p CROSS JOIN LATERAL (
      (SELECT c.next_check_at AS due_at FROM public.checks c WHERE c.provider = p.provider AND c.next_check_at <= ${at}
       ORDER BY c.next_check_at LIMIT ${max})
      UNION ALL
      (SELECT s.due_at FROM public.check_slots s CROSS JOIN LATERAL (
         SELECT 1 FROM public.checks c WHERE ${waits('c')} AND c.provider = s.provider AND c.ring = s.ring AND c.slot = s.slot
           AND c.tracking_id > COALESCE(s.after_id, '') LIMIT ${max}) m
       WHERE s.provider = p.provider AND s.due_at <= ${at}
         AND (s.leased_until IS NULL OR s.leased_until <= ${at} OR s.floor_seconds <= ${SLOT_LEASE_SECONDS}::float8)
       ORDER BY s.due_at LIMIT ${max})
    ) d GROUP BY p.provider`,
  );
}
