import { randomUUID } from 'node:crypto';
import { ringPeriods, SLOT_LEASE_SECONDS, SLOTS } from '@pts/core/tracking/ring';
import { accountsOf, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import type { Db } from '../connection.ts';
import { column, columns, executeByIndex, type RowOf, rowsByIndex } from '../connection.ts';
import { type CheckSlot, Prisma } from '../generated/client.ts';
import { ringOf, ringValues, tickAfter, tickAt, WITH_SLOT, waits } from './ring.ts';
import { type Cadence, claimedColumns, jittered, regularSeconds } from './schedule.ts';

/** Slots that one claim leases, at most. */
export const MAX_SLOTS = 200;
/** A slot without checks is deleted unless one has entered it in this time. */
const EMPTY_SECONDS = 600;

type Lease = { token: string; provider: string; cadence: Cadence; at: Date };

const LEASED = columns({
  ring: column<CheckSlot['ring']>('s.ring'),
  slot: column<CheckSlot['slot']>('s.slot'),
  dueAt: column<CheckSlot['dueAt']>('s.due_at'),
  /** Checks at its last tick, at least 1. */
  size: column<CheckSlot['size']>('p.size'),
});
type LeasedSlot = RowOf<typeof LEASED>;

const MEMBER = columns({
  ...claimedColumns('s.due_at'),
  ring: column<CheckSlot['ring']>('s.ring'),
  slot: column<CheckSlot['slot']>('s.slot'),
  /** It was checked individually shortly before. By the time of the claim, not of the tick: the slot may be late. */
  sitsOut: column<boolean>('public.check_sits_out(c, s, s.leased_at)'),
  /** The ring of its current interval. */
  ringNow: column<number>('now.ring'),
});
export type Member = RowOf<typeof MEMBER>;

/** The part of a leased slot that a claim has read. `afterId`: others follow after that one; `unread`: nothing was read. */
export type ReadSlot = { ring: number; slot: number; size: number; afterId?: string; unread?: true };

/** The slots of a provider that have been due since `dueBy` and that nobody has leased `at` a time: a table with its condition. */
export function dueSlots(provider: string, dueBy: Date, at: Date): Prisma.Sql {
  return Prisma.sql`public.check_slots
    WHERE provider = ${provider} AND due_at <= ${dueBy.toISOString()}::timestamptz
      AND (leased_until IS NULL OR leased_until <= ${at.toISOString()}::timestamptz)`;
}

/**
 * Leases the slots of a provider that have been due since `dueBy`, the oldest first, as many as have about `limit` checks. No
 * other process claims a leased slot; the lease of a killed process expires.
 * @param isOpen the condition under which the provider may be queried.
 */
export async function leaseSlots(
  db: Db,
  lease: Lease,
  { limit, dueBy, isOpen }: { limit: number; dueBy: Date; isOpen: Prisma.Sql },
): Promise<LeasedSlot[]> {
  const { token, provider, cadence } = lease;
  const at = Prisma.sql`${lease.at.toISOString()}::timestamptz`;
  const seconds = Math.max(SLOT_LEASE_SECONDS, cadence.floorSeconds);
  const leasing = (list: Prisma.Sql) => Prisma.sql`
    WITH due AS (
      SELECT ring, slot, due_at, GREATEST(size, 1) AS size FROM ${dueSlots(provider, dueBy, lease.at)} AND ${isOpen}
      ORDER BY due_at LIMIT ${MAX_SLOTS}::int FOR UPDATE SKIP LOCKED
    ), picked AS (
      SELECT ring, slot, size, sum(size) OVER (ORDER BY due_at, ring, slot) - size AS before FROM due
    )
    UPDATE public.check_slots s SET lease = ${token}, leased_at = ${at},
      leased_until = ${at} + make_interval(secs => ${seconds}::float8)
    FROM picked p WHERE s.provider = ${provider} AND s.ring = p.ring AND s.slot = p.slot AND p.before < ${limit}::int
    RETURNING ${list}`;
  const leased = await rowsByIndex(db, LEASED, leasing);
  const order = ({ dueAt, ring, slot }: LeasedSlot) => [dueAt.getTime(), ring, slot] as const;
  return leased.sort((one, other) => compare(order(one), order(other)));
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/**
 * Reads up to `limit` checks of leased slots. A statement of its own, after the lease was committed: a check that left its slot
 * before is not read, and one that leaves it later counts as checked.
 */
export async function readSlots(
  db: Db,
  { token, provider, cadence }: Lease,
  leased: readonly LeasedSlot[],
  limit: number,
): Promise<{ members: Member[]; slots: ReadSlot[] }> {
  const reading = (list: Prisma.Sql) => Prisma.sql`
    SELECT ${list}
    FROM unnest(${leased.map(({ ring }) => ring)}::smallint[], ${leased.map(({ slot }) => slot)}::smallint[])
      WITH ORDINALITY AS l(ring, slot, n)
    JOIN public.check_slots s ON s.provider = ${provider} AND s.ring = l.ring AND s.slot = l.slot AND s.lease = ${token}
    CROSS JOIN LATERAL (
      SELECT * FROM public.checks m
      WHERE ${waits('m')} AND m.provider = s.provider AND m.ring = s.ring AND m.slot = s.slot
        AND m.tracking_id > COALESCE(s.after_id, '')
      ORDER BY m.tracking_id LIMIT ${limit + 1}::int
    ) c CROSS JOIN LATERAL (SELECT ${ringOf(cadence)} AS ring) now
    ORDER BY l.n, c.tracking_id LIMIT ${limit + 1}::int`;
  const read = await rowsByIndex(db, MEMBER, reading);
  return { members: read.slice(0, limit), slots: readParts(leased, read, limit) };
}

/** How far each slot was read: of those beyond the limit, one may be read in part, and the others not at all. */
function readParts(leased: readonly LeasedSlot[], read: readonly Member[], limit: number): ReadSlot[] {
  const keyOf = ({ ring, slot }: { ring: number; slot: number }) => ring * SLOTS + slot;
  const found = new Map<number, { size: number; lastId: string }>();
  for (const member of read.slice(0, limit)) {
    const { size } = found.get(keyOf(member)) ?? { size: 0 };
    found.set(keyOf(member), { size: size + 1, lastId: member.trackingId });
  }
  const beyond = read[limit];
  const cut = beyond ? leased.findIndex((slot) => keyOf(slot) === keyOf(beyond)) : leased.length;
  return leased.map((leasedSlot, index) => {
    const { ring, slot } = leasedSlot;
    const members = found.get(keyOf(leasedSlot));
    const part = { ring, slot, size: members?.size ?? 0 };
    if (index < cut) return part;
    return index === cut && members ? { ...part, afterId: members.lastId } : { ...part, unread: true };
  });
}

/**
 * Ends a lease: the checks that were read have been handed over to the queue. A slot that was read to its end is due at its
 * next tick.
 */
export async function settleSlots(db: Db, lease: Lease, slots: readonly ReadSlot[]): Promise<void> {
  const { token, provider, cadence } = lease;
  const periods = ringPeriods(cadence);
  const records = slots.map(({ ring, slot, size, afterId, unread = false }) => {
    const period = periods.find((each) => each.ring === ring)?.periodSeconds ?? null;
    return { ring, slot, size, period, unread, after_id: afterId ?? null };
  });
  const next = tickAfter(
    Prisma.sql`s.slot`,
    Prisma.sql`s.leased_at`,
    Prisma.sql`COALESCE(r.period, s.period_seconds)`,
    Prisma.sql`${cadence.floorSeconds}::float8`,
  );
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.check_slots s SET lease = NULL, leased_at = NULL, leased_until = NULL,
      due_at = CASE WHEN r.unread OR r.after_id IS NOT NULL THEN s.due_at ELSE ${next} END,
      claimed_at = CASE WHEN r.unread OR r.after_id IS NOT NULL THEN s.claimed_at ELSE s.leased_at END,
      after_id = CASE WHEN r.unread THEN s.after_id ELSE r.after_id END,
      part_at = CASE WHEN r.unread THEN s.part_at WHEN r.after_id IS NOT NULL THEN s.leased_at END,
      size = CASE WHEN r.unread OR r.after_id IS NOT NULL THEN GREATEST(s.size, r.size) ELSE r.size END,
      period_seconds = COALESCE(r.period, s.period_seconds), floor_seconds = ${cadence.floorSeconds}::float8
    FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
      AS r(ring smallint, slot smallint, size int, period float8, unread boolean, after_id text)
    WHERE s.provider = ${provider} AND s.ring = r.ring AND s.slot = r.slot AND s.lease = ${token}`,
  );
  const empty = slots.filter(({ size, unread }) => size === 0 && !unread);
  if (empty.length > 0) await deleteEmpty(db, lease, empty);
}

/** Deletes empty slots. A statement that enters a check into a slot writes the time to its row, or inserts the row again. */
async function deleteEmpty(db: Db, { provider, at }: Lease, empty: readonly ReadSlot[]): Promise<void> {
  const before = new Date(at.getTime() - EMPTY_SECONDS * 1000).toISOString();
  await executeByIndex(
    db,
    Prisma.sql`
    DELETE FROM public.check_slots s
    USING jsonb_to_recordset(${JSON.stringify(empty)}::jsonb) AS r(ring smallint, slot smallint)
    WHERE s.provider = ${provider} AND s.ring = r.ring AND s.slot = r.slot AND s.lease IS NULL AND s.after_id IS NULL
      AND s.entered_at < ${before}::timestamptz`,
  );
}

/** The checks that were read may not have been handed over: their slots become due again at `at`, at the earliest. */
export async function releaseSlots(db: Db, { provider, token }: Lease, at: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE public.check_slots SET leased_until = ${at.toISOString()}::timestamptz
    WHERE provider = ${provider} AND lease = ${token}`;
}

/** Moves claimed checks out of their slots: their interval is another one now. At their next claim they enter its ring. */
export async function leaveRing(db: Db, checks: readonly ParcelKey[], { cadence, at }: Lease): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET claimed_at = ${at.toISOString()}::timestamptz, slot = NULL,
      next_check_at = ${at.toISOString()}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
    WHERE c.tracking_id = ANY(${idsOf(checks)}::text[]) AND c.account_id = ANY(${accountsOf(checks)}::text[])
      AND c.next_check_at = ${WITH_SLOT}`,
  );
}

/**
 * Has the slots of a provider follow its intervals and its floor: each whose tick is not due yet, and that was written under
 * others, gets its next tick under these.
 */
export async function followCadence(db: Db, provider: string, cadence: Cadence, now: Date): Promise<void> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const floor = Prisma.sql`${cadence.floorSeconds}::float8`;
  const half = Prisma.sql`make_interval(secs => r.period / 2)`;
  const next = tickAt(Prisma.sql`s.slot`, Prisma.sql`GREATEST(${at}, s.claimed_at + ${half})`, Prisma.sql`r.period`);
  await db.$executeRaw`
    UPDATE public.check_slots s SET period_seconds = r.period, floor_seconds = ${floor},
      due_at = CASE WHEN s.due_at <= ${at} THEN s.due_at
        ELSE GREATEST(s.claimed_at + make_interval(secs => ${floor}), ${next}) END
    FROM ${ringValues(cadence)} AS r(ring, period, least, most)
    WHERE s.provider = ${provider} AND s.ring = r.ring AND (s.period_seconds <> r.period OR s.floor_seconds <> ${floor})`;
}

/** A new lease; its time is that of everything it claims. */
export function newLease(provider: string, cadence: Cadence, at: Date): Lease {
  return { token: randomUUID(), provider, cadence, at };
}
