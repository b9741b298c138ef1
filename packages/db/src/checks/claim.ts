import type { ClaimedCheck } from '@pts/core/tracking/check';
import { FIRST_ANSWER_LEASE_SECONDS } from '@pts/core/tracking/schedule';
import type { Db } from '../connection/client.ts';
import { column, columns, hotRows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';
import { ringOf, ringValues, slotAt, turnAt, WITH_SLOT } from './ring.ts';
import { type Cadence, claimedColumns, giveBackChecks, jittered, regularSeconds } from './schedule.ts';
import {
  dueSlots,
  leaseSlots,
  leaveRing,
  MOST_SLOTS,
  newLease,
  readSlots,
  releaseSlots,
  settleSlots,
} from './slots.ts';

export type Claim = {
  provider: string;
  limit: number;
  cadence: Cadence;
  now: Date;
  /** Whether this is the probe of a provider after a pause; until it is answered, no other check is claimed. */
  isProbe?: boolean;
};

/** Due checks that were taken. Those of slots stay leased until one of these is called. */
export type Taken = {
  checks: ClaimedCheck[];
  /** Whether others may be due. */
  more: boolean;
  /** Call it once they were handed over. */
  settle(): Promise<void>;
  /** They may not have been handed over: they become due again at `at`. */
  giveBack(at: Date): Promise<void>;
};

/**
 * A slot is read for a single call only if it is overdue by this; otherwise it waits for the sweep, which takes it as a whole.
 */
const FILL_OVERDUE_SECONDS = 5;
/** The time of a slot's last entry is written again after this. */
const ENTERED_SECONDS = 30;

/**
 * Claims due checks of one provider: those of `ids` first, then others, up to `limit`. No other process claims them. Regular
 * checks are claimed with their slot, without a write to them; any other one enters a slot, unless it has never been answered:
 * then it comes back after a short lease. A paused provider has none, except for one probe after the pause.
 */
export async function claimChecks(db: Db, claim: Claim, ids: readonly string[] = []): Promise<ClaimedCheck[]> {
  if (ids.length === 0) {
    const taken = await takeDue(db, claim);
    await taken.settle();
    return taken.checks;
  }
  const { checks, areSlotsLate } = await claimApart(db, claim, ids);
  const rest = claim.limit - checks.length;
  if (rest <= 0 || !areSlotsLate) return checks;
  const filled = await takeSlots(db, { ...claim, limit: rest }, FILL_OVERDUE_SECONDS);
  for (const each of filled.parts) await each.settle();
  return [...checks, ...filled.asked];
}

/**
 * Takes due checks to hand them over to the queue, like `claimChecks`; if the process dies before it settles them, those of slots
 * become due again after a short lease. Of slots and single checks, those that have been due for longer come first, and neither
 * takes more than half while the other has enough.
 */
export async function takeDue(db: Db, claim: Claim): Promise<Taken> {
  const heads = await findHeads(db, claim);
  const { limit } = claim;
  const apart = async (most: number) => (most > 0 ? (await claimApart(db, { ...claim, limit: most }, [])).checks : []);
  const slots = (most: number) => takeMoreSlots(db, { ...claim, limit: most });
  const together = (single: ClaimedCheck[], ...more: TakenSlots[]) => takenOf(db, limit, single, more);
  if (heads.apart === null) return together([], await slots(heads.slots === null ? 0 : limit));
  if (heads.slots === null) return together(await apart(limit));
  const fair = Math.ceil(limit / 2);
  if (heads.apart <= heads.slots) {
    const first = await apart(fair);
    const second = await slots(limit - first.length);
    const rest = first.length < fair ? 0 : limit - first.length - second.asked.length;
    return together([...first, ...(await apart(rest))], second);
  }
  const first = await slots(fair);
  const second = await apart(limit - first.asked.length);
  return together(second, first, await slots(limit - first.asked.length - second.length));
}

/** Checks of slots, and the functions that end or extend their leases. */
type TakenSlots = {
  asked: ClaimedCheck[];
  isFull: boolean;
  parts: { settle(): Promise<void>; giveBack(at: Date): Promise<void> }[];
};
const NO_SLOTS: TakenSlots = { asked: [], isFull: false, parts: [] };

function takenOf(db: Db, limit: number, single: readonly ClaimedCheck[], slots: readonly TakenSlots[]): Taken {
  const parts = slots.flatMap((each) => each.parts);
  const checks = [...slots.flatMap(({ asked }) => asked), ...single];
  return {
    checks,
    more: checks.length >= limit || slots.some(({ isFull }) => isFull),
    settle: async () => {
      for (const each of parts) await each.settle();
    },
    giveBack: async (at) => {
      const ids = single.map(({ trackingId }) => trackingId);
      if (ids.length > 0) await giveBackChecks(db, ids, at);
      for (const each of parts) await each.giveBack(at);
    },
  };
}

/** Since when the oldest single check and the oldest slot have been due; null for none. */
const HEADS = columns({ apart: column<Date | null>('h.apart'), slots: column<Date | null>('h.slots') });

async function findHeads(db: Db, { provider, now, isProbe }: Claim) {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const [heads] = await hotRows(
    db,
    HEADS,
    (list) => Prisma.sql`
    SELECT ${list} FROM (SELECT
      (SELECT min(next_check_at) FROM public.checks WHERE provider = ${provider} AND next_check_at <= ${at}) AS apart,
      (SELECT due_at FROM ${dueSlots(provider, now, now)} ORDER BY due_at LIMIT 1) AS slots) h
    WHERE ${isOpen(provider, now, isProbe)}`,
  );
  return heads ?? { apart: null, slots: null };
}

/** A probe goes to a provider whose pause has ended. */
function isOpen(provider: string, now: Date, isProbe = false): Prisma.Sql {
  const since = isProbe ? now.toISOString() : '-infinity';
  return Prisma.sql`NOT EXISTS (
    SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > ${since}::timestamptz)`;
}

/** Takes checks of due slots until the limit is reached: a slot may have fewer than at its last turn. */
async function takeMoreSlots(db: Db, claim: Claim, taken = NO_SLOTS): Promise<TakenSlots> {
  const limit = claim.limit - taken.asked.length;
  if (limit <= 0) return taken;
  const next = await takeSlots(db, { ...claim, limit }, 0);
  const together = { ...next, asked: [...taken.asked, ...next.asked], parts: [...taken.parts, ...next.parts] };
  return next.isFull ? takeMoreSlots(db, claim, together) : together;
}

/** Takes checks of due slots, up to the limit; those whose interval has changed leave their slot. */
async function takeSlots(db: Db, claim: Claim, overdueSeconds: number): Promise<TakenSlots> {
  const { provider, cadence, now, limit } = claim;
  const lease = newLease(provider, cadence, now);
  const dueBy = overdueSince(now, overdueSeconds);
  const leased = await leaseSlots(db, lease, { limit, dueBy, isOpen: isOpen(provider, now, claim.isProbe) });
  if (leased.length === 0) return NO_SLOTS;
  const { members, slots } = await readSlots(db, lease, leased, limit);
  const asked = members.filter(({ sitsOut }) => !sitsOut);
  const leaving = asked.filter(({ ring, ringNow }) => ring !== ringNow).map(({ trackingId }) => trackingId);
  if (leaving.length > 0) await leaveRing(db, leaving, lease);
  return {
    asked: asked.map(({ ring: _ring, ringNow: _ringNow, slot: _slot, sitsOut: _sitsOut, ...check }) => check),
    isFull: leased.length >= MOST_SLOTS || leased.reduce((sum, { size }) => sum + size, 0) >= limit,
    parts: [
      {
        settle: () => settleSlots(db, lease, slots),
        giveBack: async (at) => {
          await releaseSlots(db, lease, at);
          if (leaving.length > 0) await giveBackChecks(db, leaving, at);
        },
      },
    ],
  };
}

/** What has been due since this time, or longer, is overdue by that many seconds. */
function overdueSince(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

const CLAIMED_APART = columns({
  ...claimedColumns('p.due_at'),
  areSlotsLate: column<boolean>('EXISTS (SELECT 1 FROM late)'),
});

/**
 * Claims checks that are due individually; those with a regular interval enter the slot that is due an interval later.
 * @returns with them, whether slots are late; true if no check was due, as then nothing is known of slots.
 */
async function claimApart(
  db: Db,
  claim: Claim,
  ids: readonly string[],
): Promise<{ checks: ClaimedCheck[]; areSlotsLate: boolean }> {
  const { provider, limit, cadence, isProbe } = claim;
  const at = Prisma.sql`${claim.now.toISOString()}::timestamptz`;
  const seconds = Prisma.sql`CASE
    WHEN c.fingerprint IS NULL THEN ${FIRST_ANSWER_LEASE_SECONDS}::float8 ELSE ${regularSeconds(cadence)} END`;
  const [period, slot] = [Prisma.sql`p.period`, Prisma.sql`p.slot`];
  const claimed = await hotRows(
    db,
    CLAIMED_APART,
    (list) => Prisma.sql`
    WITH open AS (SELECT 1 WHERE ${isOpen(provider, claim.now, isProbe)}
    ), late AS (
      SELECT 1 FROM ${dueSlots(provider, overdueSince(claim.now, FILL_OVERDUE_SECONDS), claim.now)} LIMIT 1
    ), asked AS (
      SELECT tracking_id FROM public.checks
      WHERE tracking_id = ANY(${[...ids]}::text[]) AND provider = ${provider} AND next_check_at <= ${at}
        AND EXISTS (SELECT 1 FROM open)
      LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), others AS (
      SELECT tracking_id FROM public.checks
      WHERE provider = ${provider} AND next_check_at <= ${at} AND EXISTS (SELECT 1 FROM open)
        AND tracking_id <> ALL(${[...ids]}::text[])
      ORDER BY next_check_at LIMIT GREATEST(0, ${limit}::int - (SELECT count(*) FROM asked)) FOR UPDATE SKIP LOCKED
    ), due AS (
      -- Drawn here, once for each check: further down the planner might draw once for all.
      SELECT tracking_id, random() AS drawn FROM (SELECT tracking_id FROM asked UNION ALL SELECT tracking_id FROM others) d
    ), planned AS (
      SELECT c.tracking_id, c.next_check_at AS due_at, ${at} + ${jittered(seconds, cadence)} AS next_check_at, r.ring, r.period,
        ${slotAt(Prisma.sql`t.at`, Prisma.sql`r.period`)} AS slot
      FROM due JOIN public.checks c ON c.tracking_id = due.tracking_id
      LEFT JOIN ${ringValues(cadence)} AS r(ring, period, least, most)
        ON r.ring = ${ringOf(cadence)} AND c.fingerprint IS NOT NULL AND NOT c.final_look AND NOT c.undecided
      CROSS JOIN LATERAL (SELECT ${at} + make_interval(secs => r.least + due.drawn * (r.most - r.least)) AS at) t
    ), entered AS (
      INSERT INTO public.check_slots AS s (provider, ring, slot, due_at, period_seconds, floor_seconds, entered_at)
      SELECT DISTINCT ON (p.ring, p.slot) ${provider}, p.ring, p.slot,
        ${turnAt(slot, Prisma.sql`${at} + make_interval(secs => ${period} / 2)`, period)}, p.period, ${cadence.floorSeconds}::float8, ${at}
      FROM planned p WHERE p.ring IS NOT NULL ORDER BY p.ring, p.slot -- one lock order for all claims
      ON CONFLICT (provider, ring, slot) DO UPDATE SET entered_at = EXCLUDED.entered_at
        WHERE s.entered_at < EXCLUDED.entered_at - make_interval(secs => ${ENTERED_SECONDS}::float8)
    )
    UPDATE public.checks c SET claimed_at = ${at}, ring = COALESCE(p.ring, c.ring), slot = COALESCE(p.slot, c.slot),
      next_check_at = CASE WHEN p.ring IS NULL THEN p.next_check_at ELSE ${WITH_SLOT} END
    FROM planned p WHERE c.tracking_id = p.tracking_id
    RETURNING ${list}`,
  );
  const checks = claimed.map(({ areSlotsLate: _, ...check }) => check);
  return { checks, areSlotsLate: claimed[0]?.areSlotsLate ?? true };
}
