import { type Intervals, RING, ringPeriods, SLOTS } from '@pts/core/tracking/ring';
import { JITTER } from '@pts/core/tracking/schedule';
import { Prisma } from '../generated/client.ts';

/** `next_check_at` of a check that is due when its slot is. */
export const WITH_SLOT = Prisma.raw(`'9999-12-31 00:00:00+00'::timestamptz`);
export const WITH_SLOT_MS = Date.UTC(9999, 11, 31);

/**
 * Whether a check waits for its slot, where its slot is given. Not an equality: before its statistics know the slots, the planner
 * might read all waiting checks of the provider by `next_check_at`.
 */
export const waits = (name: string) => Prisma.sql`${Prisma.raw(name)}.next_check_at IS NOT DISTINCT FROM ${WITH_SLOT}`;

/** Joins the slot of a check named `c`, as `s`: null unless the check waits for it. */
export const SLOT_JOIN = Prisma.sql`LEFT JOIN public.check_slots s
  ON c.next_check_at = ${WITH_SLOT} AND s.provider = c.provider AND s.ring = c.ring AND s.slot = c.slot`;

/** When a check named `c` is due, and when it was last claimed, individually or with its slot `s` (`SLOT_JOIN`). */
export const DUE_AT = 'public.check_due_at(c, s)';
export const CLAIMED_AT = 'public.check_claimed_at(c, s)';

/**
 * Whether the account of a row so named has an enabled webhook. The offset makes PostgreSQL look that up for each row: expecting
 * many rows, it would read the webhooks of all accounts.
 */
export const isMonitored = (name: string) =>
  `EXISTS (SELECT 1 FROM public.webhooks w WHERE w.account_id = ${name}.account_id AND w.enabled OFFSET 0)`;

/** The number for the ring of a check named `c`. If `pushed` is undefined, pushed checks count like any others. */
export function byRing(numbers: { pushed?: number | undefined; monitored: number; idle: number }): Prisma.Sql {
  const { pushed, monitored, idle } = numbers;
  const ifPushed = pushed === undefined ? Prisma.empty : Prisma.sql`WHEN c.pushed THEN ${pushed}::float8`;
  return Prisma.sql`CASE ${ifPushed}
    WHEN ${Prisma.raw(isMonitored('c'))} THEN ${monitored}::float8
    ELSE ${idle}::float8 END`;
}

/** The ring of a check named `c`. */
export function ringOf({ safetyNetSeconds }: Intervals): Prisma.Sql {
  const { pushed, monitored, idle } = RING;
  return Prisma.sql`(${byRing({ pushed: safetyNetSeconds === undefined ? undefined : pushed, monitored, idle })})::smallint`;
}

/** Rows `(ring, period, least, most)`: seconds between two ticks, and from a claim of a check to its first tick. */
export function ringValues(intervals: Intervals): Prisma.Sql {
  const rows = ringPeriods(intervals).map(({ ring, periodSeconds: period }) => {
    const min = Math.max(intervals.floorSeconds, period * (1 - JITTER));
    return Prisma.sql`(${ring}::smallint, ${period}::float8, ${min}::float8, ${period * (1 + JITTER)}::float8)`;
  });
  return Prisma.sql`(VALUES ${Prisma.join(rows)})`;
}

const COUNT = Prisma.raw(`${SLOTS}::float8`);

/** The slot that is the first to have its tick at a time or after it. */
export function slotAt(time: Prisma.Sql, period: Prisma.Sql): Prisma.Sql {
  const ticks = Prisma.sql`(extract(epoch FROM ${time})::float8 / ${period})`;
  return Prisma.sql`(ceil((${ticks} - floor(${ticks})) * ${COUNT})::int % ${Prisma.raw(String(SLOTS))})::smallint`;
}

/** The first tick of a slot at a time or after it: ticks are a period apart, and fixed on the clock. */
export function tickAt(slot: Prisma.Sql, time: Prisma.Sql, period: Prisma.Sql): Prisma.Sql {
  const place = Prisma.sql`(${slot}::float8 / ${COUNT})`;
  return Prisma.sql`to_timestamp((ceil(extract(epoch FROM ${time})::float8 / ${period} - ${place}) + ${place}) * ${period})`;
}

/**
 * The tick of a slot after a claim: the next one that is at least half a period away, so that after an outage each slot is
 * claimed once and the spread is kept; and not before the floor.
 */
export function tickAfter(slot: Prisma.Sql, claimed: Prisma.Sql, period: Prisma.Sql, floor: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`GREATEST(${claimed} + make_interval(secs => ${floor}),
    ${tickAt(slot, Prisma.sql`${claimed} + make_interval(secs => ${period} / 2)`, period)})`;
}
