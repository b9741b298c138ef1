import { type ClaimedCheck, FIRST_ANSWER_LEASE_SECONDS } from '@pts/core/tracking/schedule';
import type { Db } from '../connection.ts';
import { column, columns, hotRows, rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { ringOf, ringValues, slotAt, tickAt, WITH_SLOT } from './ring.ts';
import { type Cadence, claimedColumns, jittered, regularSeconds } from './schedule.ts';
import { dueSlots } from './slots.ts';

export type Claim = {
  provider: string;
  limit: number;
  cadence: Cadence;
  now: Date;
  /** Whether this is the probe of a provider after a pause; until it is answered, no other check is claimed. */
  isProbe?: boolean;
  /** Whether accounts take turns, which reads much of what is due: for a provider with so few calls that the work waits here. */
  byTurns?: boolean;
};

/** Accounts take turns among the checks that have been due for longest. */
const TURNS_AMONG = 20_000;
/** The time of a slot's last entry is written again after this. */
const ENTERED_SECONDS = 30;

const HEADS = columns({ single: column<Date | null>('h.single'), slots: column<Date | null>('h.slots') });

/** Since when checks of a provider have been due, individually and with their slots. */
export async function findHeads(db: Db, claim: Claim) {
  const { provider, now, isProbe } = claim;
  const [heads] = await hotRows(
    db,
    HEADS,
    (list) => Prisma.sql`SELECT ${list} FROM (${headsOf(claim, now)}) h WHERE ${isOpen(provider, now, isProbe)}`,
  );
  return heads ?? { single: null, slots: null };
}

/** @param slotsDueBy slots that are due later do not count. @param only a condition on single checks. */
function headsOf({ provider, now }: Claim, slotsDueBy: Date, only = Prisma.empty): Prisma.Sql {
  return Prisma.sql`SELECT
    (SELECT min(next_check_at) FROM public.checks
      WHERE provider = ${provider} AND next_check_at <= ${now.toISOString()}::timestamptz ${only}) AS single,
    (SELECT due_at FROM ${dueSlots(provider, slotsDueBy, now)} ORDER BY due_at LIMIT 1) AS slots`;
}

/** A probe goes to a provider whose pause has ended. */
export function isOpen(provider: string, now: Date, isProbe = false): Prisma.Sql {
  const since = isProbe ? now.toISOString() : '-infinity';
  return Prisma.sql`NOT EXISTS (
    SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > ${since}::timestamptz)`;
}

const CLAIMED = columns(claimedColumns('p.due_at'));
const CLAIMED_BY_ID = columns({
  ...CLAIMED.columns,
  areOthersDue: column<boolean>('h.single IS NOT NULL'),
  areSlotsLate: column<boolean>('h.slots IS NOT NULL'),
});

/** Parcels by their ids, and the accounts that have them. */
export type Parcels = { ids: readonly string[]; accounts: readonly string[] };

/**
 * Claims those of some parcels that are due individually.
 * @returns with them, whether others are, and whether slots have been since `slotsDueBy`; both true if none of them was due.
 */
export async function claimByIds(db: Db, claim: Claim, { ids, accounts }: Parcels, slotsDueBy: Date) {
  const list = Prisma.sql`${[...ids]}::text[]`;
  const heads = headsOf(claim, slotsDueBy, Prisma.sql`AND tracking_id <> ALL(${list})`);
  // "IS TRUE": of the indexes, only the primary key can be used, whatever the planner expects of the others.
  // As many accounts as ids (`accountsOf`).
  const owners = ids.map((_, index) => accounts[index % accounts.length]);
  const chosen = Prisma.sql`c.tracking_id = ANY(${list}) AND c.account_id = ANY(${owners}::text[])
    AND (${isDue(claim)}) IS TRUE LIMIT ${claim.limit}::int`;
  const claimed = await hotRows(db, CLAIMED_BY_ID, (columnList) => claiming(claim, chosen, columnList, heads));
  const checks: ClaimedCheck[] = claimed.map(({ areOthersDue: _, areSlotsLate: __, ...check }) => check);
  const { areOthersDue = true, areSlotsLate = true } = claimed[0] ?? {};
  return { checks, areOthersDue, areSlotsLate };
}

/** Claims the checks that have been due individually for longest, in all or by turns of each account. */
export async function claimDue(db: Db, claim: Claim, limit: number): Promise<ClaimedCheck[]> {
  if (limit <= 0) return [];
  const turns = Prisma.sql`c.tracking_id IN (
    SELECT t.tracking_id FROM (
      SELECT o.tracking_id, o.next_check_at, row_number() OVER (PARTITION BY o.account_id ORDER BY o.next_check_at) AS turn
      FROM (SELECT c.* FROM public.checks c WHERE ${isDue(claim)} ORDER BY c.next_check_at LIMIT ${TURNS_AMONG}::int) o) t
    ORDER BY t.turn, t.next_check_at LIMIT ${limit}::int) AND`;
  const chosen = Prisma.sql`${claim.byTurns ? turns : Prisma.empty} ${isDue(claim)} ORDER BY c.next_check_at LIMIT ${limit}::int`;
  return rowsByIndex(db, CLAIMED, (columnList) => claiming(claim, chosen, columnList));
}

function isDue({ provider, now, isProbe }: Claim): Prisma.Sql {
  return Prisma.sql`c.provider = ${provider} AND c.next_check_at <= ${now.toISOString()}::timestamptz
    AND ${isOpen(provider, now, isProbe)}`;
}

/**
 * Claims checks that are due individually; those with a regular interval enter the slot that is due an interval later.
 * @param chosen the condition on checks `c`, with its order and limit.
 */
function claiming(
  { provider, cadence, now }: Claim,
  chosen: Prisma.Sql,
  columnList: Prisma.Sql,
  heads?: Prisma.Sql,
): Prisma.Sql {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const seconds = Prisma.sql`CASE
    WHEN c.fingerprint IS NULL THEN ${FIRST_ANSWER_LEASE_SECONDS}::float8 ELSE ${regularSeconds(cadence)} END`;
  const [period, slot] = [Prisma.sql`p.period`, Prisma.sql`p.slot`];
  return Prisma.sql`
    WITH due AS (
      -- Drawn here, once for each check: further down the planner might draw once for all.
      SELECT c.*, random() AS drawn FROM public.checks c WHERE ${chosen} FOR UPDATE SKIP LOCKED
    ), planned AS (
      SELECT c.tracking_id, c.account_id, c.next_check_at AS due_at, ${at} + ${jittered(seconds, cadence)} AS next_check_at, r.ring, r.period,
        ${slotAt(Prisma.sql`t.at`, Prisma.sql`r.period`)} AS slot
      FROM due c
      LEFT JOIN ${ringValues(cadence)} AS r(ring, period, least, most)
        ON r.ring = ${ringOf(cadence)} AND c.fingerprint IS NOT NULL AND NOT c.final_look AND NOT c.undecided
      CROSS JOIN LATERAL (SELECT ${at} + make_interval(secs => r.least + c.drawn * (r.most - r.least)) AS at) t
    ), entered AS (
      INSERT INTO public.check_slots AS s (provider, ring, slot, due_at, period_seconds, floor_seconds, entered_at)
      SELECT DISTINCT ON (p.ring, p.slot) ${provider}, p.ring, p.slot,
        ${tickAt(slot, Prisma.sql`${at} + make_interval(secs => ${period} / 2)`, period)}, p.period, ${cadence.floorSeconds}::float8, ${at}
      FROM planned p WHERE p.ring IS NOT NULL ORDER BY p.ring, p.slot -- one lock order for all claims
      ON CONFLICT (provider, ring, slot) DO UPDATE SET entered_at = EXCLUDED.entered_at
        WHERE s.entered_at < EXCLUDED.entered_at - make_interval(secs => ${ENTERED_SECONDS}::float8)
    )
    UPDATE public.checks c SET claimed_at = ${at}, ring = COALESCE(p.ring, c.ring), slot = COALESCE(p.slot, c.slot),
      next_check_at = CASE WHEN p.ring IS NULL THEN p.next_check_at ELSE ${WITH_SLOT} END
    FROM planned p${heads ? Prisma.sql` CROSS JOIN (${heads}) h` : Prisma.empty}
    WHERE c.tracking_id = p.tracking_id AND c.account_id = p.account_id
    RETURNING ${columnList}`;
}
