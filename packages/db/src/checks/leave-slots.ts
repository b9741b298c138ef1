import type { Db } from '../connection/client.ts';
import { DEADLINES, withDeadline } from '../connection/deadline.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { type Check, Prisma } from '../generated/client.ts';
import { DUE_AT, SLOT_JOIN, WITH_SLOT, WITH_SLOT_MS, waits } from './ring.ts';

/** Checks that one statement reads. Each that it moves locks its slot, which cannot be claimed until the statement ends. */
const READ_TOGETHER = 1000;
/** Overdue and pushed checks get times within these seconds: the old release is not flooded. */
const SPREAD_SECONDS = 300;
/** A pushed check that is due later than this waits for its safety net. */
const SAFETY_NET = Prisma.raw(`interval '2 hours'`);

const PART = columns({
  moved: column<number>('(SELECT count(*) FROM planned)::int'),
  /** The last check that was read; null after the end of the table. */
  lastId: column<Check['trackingId'] | null>('(SELECT max(tracking_id) FROM part)'),
});
export type Part = { moved: number; lastId: string | null };

/**
 * Gives checks that wait for their slots times of their own, as releases before 0.3.0 need them: the next tick of the slot.
 * Those releases receive no callbacks either, so pushed checks do not wait for their safety net. Skips locked checks.
 * @param afterId the end of the previous part of the table; '' to begin.
 * @param isDryRun whether to count them only.
 */
export async function leaveSlots(
  db: Db,
  { afterId, now, isDryRun }: { afterId: string; now: Date; isDryRun: boolean },
): Promise<Part> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const due = Prisma.raw(DUE_AT);
  const soon = Prisma.sql`${at} + make_interval(secs => random() * LEAST(${SPREAD_SECONDS}::float8, s.period_seconds))`;
  // The trigger on the table keeps the time of the last claim and the provider's floor.
  const moved = isDryRun
    ? Prisma.empty
    : Prisma.sql`, moved AS (
      UPDATE public.checks c SET next_check_at = p.due_at FROM planned p
      WHERE c.tracking_id = p.tracking_id AND c.account_id = p.account_id
    )`;
  const [part] = await rows(
    db,
    PART,
    (list) => Prisma.sql`
    WITH part AS (
      SELECT tracking_id, account_id FROM public.checks WHERE tracking_id > ${afterId} ORDER BY tracking_id LIMIT ${READ_TOGETHER}::int
    ), waiting AS (
      SELECT c.tracking_id, c.account_id FROM public.checks c
      JOIN part p ON c.tracking_id = p.tracking_id AND c.account_id = p.account_id
      WHERE ${waits('c')} OR (c.pushed AND NOT c.final_look AND c.next_check_at > ${at} + ${SAFETY_NET})
      ORDER BY c.tracking_id FOR UPDATE OF c SKIP LOCKED
    ), planned AS (
      SELECT c.tracking_id, c.account_id, CASE WHEN c.pushed IS NOT TRUE AND ${due} > ${at} AND ${due} < ${WITH_SLOT} THEN ${due} ELSE ${soon} END AS due_at
      FROM public.checks c JOIN waiting w ON c.tracking_id = w.tracking_id AND c.account_id = w.account_id ${SLOT_JOIN}
    )${moved}
    SELECT ${list}`,
  );
  return part ?? { moved: 0, lastId: null };
}

/** How many checks wait for their slots. */
export async function countInSlots(db: Db): Promise<number> {
  return withDeadline(DEADLINES.bulk, () => db.check.count({ where: { nextCheckAt: new Date(WITH_SLOT_MS) } }));
}
