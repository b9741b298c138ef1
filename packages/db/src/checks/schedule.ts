import { randomUUID } from 'node:crypto';
import { type Intervals, RING, ringPeriods, SLOT_LEASE_SECONDS, SLOTS } from '@pts/core/tracking/ring';
import {
  accountsOf,
  type ClaimedCheck,
  FIRST_ANSWER_LEASE_SECONDS,
  type Hints,
  idsOf,
  JITTER,
  type ParcelKey,
} from '@pts/core/tracking/schedule';
import {
  column,
  columns,
  type Db,
  executeByIndex,
  hotRows,
  instant,
  type RowOf,
  rows,
  rowsByIndex,
  type Tx,
} from '../connection.ts';
import { type Account, type Check, type CheckSlot, Prisma } from '../generated/client.ts';

/*
 * The schedule of the checks: who is queried when. A row of `checks` exists while its parcel is polled, in one of two
 * states.
 *
 *   alone    `next_check_at` is a time. The check is due at that time, and a claim writes its row.
 *   in slot  `next_check_at` is `WITH_SLOT`. The check is due with its slot (`check_slots`), and a claim writes no row.
 *
 * A slot is one of 3,000 places in an interval. A provider has three intervals (rings): the account has an enabled
 * webhook, it has none, or callbacks bring the news. The state changes as follows.
 *
 *   registered, retracked       -> alone, due now
 *   claimed, never answered     -> alone, due after a lease of a minute; the first answer sets the next time
 *   claimed alone               -> in the slot that is due an interval later (`claiming`)
 *   claimed with its slot       -> unchanged; alone with a new time if its interval has changed (`leaveRing`)
 *   arrived                     -> alone, due a day later for its final check; then it is deleted (`endChecks`)
 *   carrier undecided           -> alone, due when the next candidate may be queried (answers.ts)
 *   not answered, given back    -> alone, due at the time given (`giveBackChecks`)
 *   moved to another provider   -> alone, due when that provider's floor allows it (`move`)
 *   account gets a webhook      -> alone, due within the shorter interval (`moveToMonitored`, in the background)
 *   callbacks arrive no longer  -> due within the polled interval (`leaveSafetyNet`; slots by `followCadence`)
 *
 * A check that leaves its slot keeps the time of its last claim and its provider's floor. A trigger of the table does
 * that (`check_leaves_slot`), and locks the slot, so that no other process claims the check with it meanwhile.
 *
 * A slot is free, leased or read in part. A claim leases due slots (`leaseSlots`), reads their checks (`readSlots`) and
 * settles them once the checks were handed over (`settleSlots`): then a slot is due at its next tick, or at once if it
 * was read in part. A lease that is not settled expires (`SLOT_LEASE_SECONDS`, or the floor). A slot without checks is
 * deleted (`deleteEmpty`).
 */

/** The intervals of a provider's checks. */
export type Cadence = Intervals & {
  /** The floors of all enabled providers by name; others are not queried for undecided numbers. Absent: not known. */
  floors?: Readonly<Record<string, number>>;
};

/** `next_check_at` of a check that is due when its slot is. */
export const WITH_SLOT = Prisma.raw(`'9999-12-31 00:00:00+00'::timestamptz`);

export const WITH_SLOT_MS = Date.UTC(9999, 11, 31);

/**
 * Whether a check waits for its slot, where its slot is given. Not an equality: before its statistics know the slots,
 * the planner might read all waiting checks of the provider by `next_check_at`.
 */
const waits = (name: string) => Prisma.sql`${Prisma.raw(name)}.next_check_at IS NOT DISTINCT FROM ${WITH_SLOT}`;

/** Joins the slot of a check named `c`, as `s`: null unless the check waits for it. */
export const SLOT_JOIN = Prisma.sql`LEFT JOIN public.check_slots s
  ON c.next_check_at = ${WITH_SLOT} AND s.provider = c.provider AND s.ring = c.ring AND s.slot = c.slot`;

/** When a check named `c` is due, and when it was last claimed, individually or with its slot `s` (`SLOT_JOIN`). */
export const DUE_AT = 'public.check_due_at(c, s)';

export const CLAIMED_AT = 'public.check_claimed_at(c, s)';

/**
 * Whether the account of a row so named has an enabled webhook. The offset makes PostgreSQL look that up for each row:
 * expecting many rows, it would read the webhooks of all accounts.
 */
export const isMonitored = (name: string) =>
  `EXISTS (SELECT 1 FROM public.webhooks w WHERE w.account_id = ${name}.account_id AND w.enabled OFFSET 0)`;

/** The number for the ring of a check named `c`. If `pushed` is undefined, pushed checks count like any others. */
function byRing(numbers: { pushed?: number | undefined; monitored: number; idle: number }): Prisma.Sql {
  const { pushed, monitored, idle } = numbers;
  const ifPushed = pushed === undefined ? Prisma.empty : Prisma.sql`WHEN c.pushed THEN ${pushed}::float8`;
  return Prisma.sql`CASE ${ifPushed}
    WHEN ${Prisma.raw(isMonitored('c'))} THEN ${monitored}::float8
    ELSE ${idle}::float8 END`;
}

/** The ring of a check named `c`. */
function ringOf({ safetyNetSeconds }: Intervals): Prisma.Sql {
  const { pushed, monitored, idle } = RING;
  return Prisma.sql`(${byRing({ pushed: safetyNetSeconds === undefined ? undefined : pushed, monitored, idle })})::smallint`;
}

/** Rows `(ring, period, least, most)`: seconds between two ticks, and from a claim of a check to its first tick. */
function ringValues(intervals: Intervals): Prisma.Sql {
  const rows = ringPeriods(intervals).map(({ ring, periodSeconds: period }) => {
    const min = Math.max(intervals.floorSeconds, period * (1 - JITTER));
    return Prisma.sql`(${ring}::smallint, ${period}::float8, ${min}::float8, ${period * (1 + JITTER)}::float8)`;
  });
  return Prisma.sql`(VALUES ${Prisma.join(rows)})`;
}

/** Seconds between two checks of a check named `c`: the safety net if its news is pushed, otherwise `polledSeconds`. */
export function regularSeconds(cadence: Cadence): Prisma.Sql {
  const { monitoredSeconds, idleSeconds, safetyNetSeconds } = cadence;
  return byRing({ pushed: safetyNetSeconds, monitored: monitoredSeconds, idle: idleSeconds });
}

/** Seconds between two checks of a polled check named `c`, by whether its account has an enabled webhook. */
export function polledSeconds({ monitoredSeconds, idleSeconds }: Cadence): Prisma.Sql {
  return byRing({ monitored: monitoredSeconds, idle: idleSeconds });
}

/** Seconds from one check to the next, of a check named `c`: jittered, and never below the provider's floor. */
export function jittered(seconds: Prisma.Sql, { floorSeconds }: Cadence): Prisma.Sql {
  const [low, spread] = [1 - JITTER, 2 * JITTER];
  return Prisma.sql`make_interval(secs => GREATEST(
    ${floorSeconds}::float8, (${low}::float8 + random() * ${spread}::float8) * ${seconds}))`;
}

const COUNT = Prisma.raw(`${SLOTS}::float8`);

/** The slot that is the first to have its tick at a time or after it. */
function slotAt(time: Prisma.Sql, period: Prisma.Sql): Prisma.Sql {
  const ticks = Prisma.sql`(extract(epoch FROM ${time})::float8 / ${period})`;
  return Prisma.sql`(ceil((${ticks} - floor(${ticks})) * ${COUNT})::int % ${Prisma.raw(String(SLOTS))})::smallint`;
}

/** The first tick of a slot at a time or after it: ticks are a period apart, and fixed on the clock. */
export function tickAt(slot: Prisma.Sql, time: Prisma.Sql, period: Prisma.Sql): Prisma.Sql {
  const place = Prisma.sql`(${slot}::float8 / ${COUNT})`;
  return Prisma.sql`to_timestamp((ceil(extract(epoch FROM ${time})::float8 / ${period} - ${place}) + ${place}) * ${period})`;
}

/**
 * The tick of a slot after a claim: the next one that is at least half a period away, so that after an outage each slot
 * is claimed once and the spread is kept; and not before the floor.
 */
function tickAfter(slot: Prisma.Sql, claimed: Prisma.Sql, period: Prisma.Sql, floor: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`GREATEST(${claimed} + make_interval(secs => ${floor}),
    ${tickAt(slot, Prisma.sql`${claimed} + make_interval(secs => ${period} / 2)`, period)})`;
}

/** The columns of a claimed check, from a table named `c`. */
const CLAIMED = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  accountId: column<Check['accountId']>('c.account_id'),
  trackingNumber: column<Check['trackingNumber']>('c.tracking_number'),
  carrier: column<Check['carrier']>('c.carrier'),
  fingerprint: column<Check['fingerprint']>('c.fingerprint'),
  finalLook: column<Check['finalLook']>('c.final_look'),
  hints: column<Hints | null>('c.hints'),
  /**
   * Why its last checks gave no answer that could be stored, and since when (ms since 1970); null while they succeed.
   */
  failing: column<{ failure: string; sinceMs: number } | null>(
    `CASE WHEN c.failure IS NOT NULL THEN jsonb_build_object(
      'failure', c.failure, 'sinceMs', floor(extract(epoch FROM c.failing_since) * 1000)) END`,
  ),
  /** Whether its news is pushed; null until a subscription was considered. */
  pushed: column<Check['pushed']>('c.pushed'),
  isUndecided: column<Check['isUndecided']>('c.undecided'),
  /** Not with every regular check: jobs stay small. */
  requestId: column<Check['requestId']>('CASE WHEN c.fingerprint IS NULL OR c.undecided THEN c.request_id END'),
  traceparent: column<Check['traceparent']>('c.traceparent'),
});

/** The columns of a claimed check that was due at the time that an expression gives. */
function claimedColumns(dueAt: string) {
  return { ...CLAIMED.columns, dueAtMs: column<number>(`(extract(epoch FROM ${dueAt}) * 1000)::float8`) };
}

export type Claim = {
  provider: string;
  limit: number;
  cadence: Cadence;
  now: Date;
  /** Whether this is the probe of a provider after a pause; until it is answered, no other check is claimed. */
  isProbe?: boolean;
  /**
   * Whether accounts take turns, which reads much of what is due: for a provider with so few calls that the work waits
   * here.
   */
  byTurns?: boolean;
  /**
   * Checks that have been due individually for longer are left to the next sweep: while a transaction elsewhere stays
   * open, the index keeps an entry of every check that was ever due before. Default: none are.
   */
  since?: Date | undefined;
};

/** Parcels by their ids, and the accounts that have them. */
export type Parcels = { ids: readonly string[]; accounts: readonly string[] };

/** Due checks that were taken. Those of slots stay leased until one of these is called. */
export type Taken = {
  checks: ClaimedCheck[];
  /** Whether others may be due. */
  more: boolean;
  /** Since when single checks have been due, at most. */
  since: Date;
  /** Call it once they were handed over. */
  settle(): Promise<void>;
  /** They may not have been handed over: they become due again at `at`. */
  giveBack(at: Date): Promise<void>;
};

/**
 * A slot is read for a single call only if it is overdue by this; otherwise it waits for the sweep, which takes it as a
 * whole.
 */
const FILL_OVERDUE_SECONDS = 5;

/**
 * Claims due checks of one provider: those of `parcels` first, then others, up to `limit`. No other process claims
 * them. Regular checks are claimed with their slot, without a write to them; any other one enters a slot, unless it has
 * never been answered: then it comes back after a short lease. A paused provider has none, except for one probe after
 * the pause.
 */
export async function claimChecks(db: Db, claim: Claim, parcels?: Parcels): Promise<ClaimedCheck[]> {
  if (parcels === undefined) {
    const taken = await takeDue(db, claim);
    await taken.settle();
    return taken.checks;
  }
  const { checks, areOthersDue, areSlotsLate } = await claimByIds(db, claim, parcels, overdueSince(claim));
  const rest = () => claim.limit - checks.length;
  if (rest() > 0 && areOthersDue) checks.push(...(await claimDue(db, claim, rest())));
  if (rest() <= 0 || !areSlotsLate) return checks;
  const filled = await takeSlots(db, { ...claim, limit: rest() }, overdueSince(claim));
  for (const each of filled.parts) await each.settle();
  return [...checks, ...filled.claimed];
}

/** Slots that are due later may wait for the sweep. */
function overdueSince({ now }: Claim): Date {
  return new Date(now.getTime() - FILL_OVERDUE_SECONDS * 1000);
}

/**
 * Takes due checks to hand them over to the queue, like `claimChecks`; if the process dies before it settles them,
 * those of slots become due again after a short lease. Of slots and single checks, those that have been due for longer
 * come first, and neither takes more than half while the other has enough.
 */
export async function takeDue(db: Db, claim: Claim): Promise<Taken> {
  const heads = await findHeads(db, claim);
  const { limit } = claim;
  const since = heads.single ?? claim.now;
  const single = (max: number) => claimDue(db, { ...claim, since }, max);
  const slots = (max: number) => takeMoreSlots(db, { ...claim, limit: max });
  const together = (single: ClaimedCheck[], ...more: TakenSlots[]) => takenOf(db, { ...claim, since }, single, more);
  if (heads.single === null) return together([], await slots(heads.slots === null ? 0 : limit));
  if (heads.slots === null) return together(await single(limit));
  const fair = Math.ceil(limit / 2);
  if (heads.single <= heads.slots) {
    const first = await single(fair);
    const second = await slots(limit - first.length);
    const rest = first.length < fair ? 0 : limit - first.length - second.claimed.length;
    return together([...first, ...(await single(rest))], second);
  }
  const first = await slots(fair);
  const second = await single(limit - first.claimed.length);
  return together(second, first, await slots(limit - first.claimed.length - second.length));
}

/** Checks of slots, and the functions that end or extend their leases. */
type TakenSlots = {
  claimed: ClaimedCheck[];
  isFull: boolean;
  parts: { settle(): Promise<void>; giveBack(at: Date): Promise<void> }[];
};

const NO_SLOTS: TakenSlots = { claimed: [], isFull: false, parts: [] };

function takenOf(
  db: Db,
  { provider, limit, since }: Claim & { since: Date },
  single: readonly ClaimedCheck[],
  slots: readonly TakenSlots[],
): Taken {
  const parts = slots.flatMap((each) => each.parts);
  const checks = [...slots.flatMap(({ claimed }) => claimed), ...single];
  return {
    checks,
    more: checks.length >= limit || slots.some(({ isFull }) => isFull),
    since,
    settle: async () => {
      for (const each of parts) await each.settle();
    },
    giveBack: async (at) => {
      if (single.length > 0) await giveBackChecks(db, provider, single, at);
      for (const each of parts) await each.giveBack(at);
    },
  };
}

/** Takes checks of due slots until the limit is reached: a slot may have fewer than at its last tick. */
async function takeMoreSlots(db: Db, claim: Claim, taken = NO_SLOTS): Promise<TakenSlots> {
  const limit = claim.limit - taken.claimed.length;
  if (limit <= 0) return taken;
  const next = await takeSlots(db, { ...claim, limit }, claim.now);
  const together = {
    ...next,
    claimed: [...taken.claimed, ...next.claimed],
    parts: [...taken.parts, ...next.parts],
  };
  return next.isFull ? takeMoreSlots(db, claim, together) : together;
}

/** Takes checks of due slots, up to the limit; those whose interval has changed leave their slot. */
async function takeSlots(db: Db, claim: Claim, dueBy: Date): Promise<TakenSlots> {
  const { provider, cadence, now, limit } = claim;
  const lease = newLease(provider, cadence, now);
  const leased = await leaseSlots(db, lease, { limit, dueBy, isOpen: isOpen(provider, now, claim.isProbe) });
  if (leased.length === 0) return NO_SLOTS;
  const { members, slots } = await readSlots(db, lease, leased, limit);
  const claimed = members.filter(({ sitsOut }) => !sitsOut);
  const leaving = claimed.filter(({ ring, ringNow }) => ring !== ringNow);
  if (leaving.length > 0) await leaveRing(db, leaving, lease);
  return {
    claimed: claimed.map(({ ring: _ring, ringNow: _ringNow, slot: _slot, sitsOut: _sitsOut, ...check }) => check),
    isFull: leased.length >= MAX_SLOTS || leased.reduce((sum, { size }) => sum + size, 0) >= limit,
    parts: [
      {
        settle: () => settleSlots(db, lease, slots),
        giveBack: async (at) => {
          await releaseSlots(db, lease, at);
          if (leaving.length > 0) await giveBackChecks(db, provider, leaving, at);
        },
      },
    ],
  };
}

const HEADS = columns({ single: column<Date | null>('h.single'), slots: column<Date | null>('h.slots') });

/** Since when checks of a provider have been due, individually and with their slots. */
async function findHeads(db: Db, claim: Claim) {
  const { provider, now, isProbe } = claim;
  const [heads] = await hotRows(
    db,
    HEADS,
    (list) => Prisma.sql`SELECT ${list} FROM (${headsOf(claim, now)}) h WHERE ${isOpen(provider, now, isProbe)}`,
  );
  return heads ?? { single: null, slots: null };
}

/** @param slotsDueBy slots that are due later do not count. @param only a condition on single checks. */
function headsOf(claim: Claim, slotsDueBy: Date, only = Prisma.empty): Prisma.Sql {
  const { provider, now } = claim;
  return Prisma.sql`SELECT
    (SELECT min(next_check_at) FROM public.checks
      WHERE provider = ${provider} AND next_check_at BETWEEN ${sinceOf(claim)} AND ${instant(now)} ${only}) AS single,
    (SELECT due_at FROM ${dueSlots(provider, slotsDueBy, now)} ORDER BY due_at LIMIT 1) AS slots`;
}

function sinceOf({ since }: Claim): Prisma.Sql {
  return since === undefined ? Prisma.sql`'-infinity'::timestamptz` : instant(since);
}

/** A probe goes to a provider whose pause has ended. */
function isOpen(provider: string, now: Date, isProbe = false): Prisma.Sql {
  const since = isProbe ? now.toISOString() : '-infinity';
  return Prisma.sql`NOT EXISTS (
    SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > ${since}::timestamptz)`;
}

const CLAIMED_ALONE = columns(claimedColumns('p.due_at'));

const CLAIMED_BY_ID = columns({
  ...CLAIMED_ALONE.columns,
  areOthersDue: column<boolean>('h.single IS NOT NULL'),
  areSlotsLate: column<boolean>('h.slots IS NOT NULL'),
});

/**
 * Claims those of some parcels that are due individually.
 * @returns with them, whether others are, and whether slots have been since `slotsDueBy`; both true if none of them was
 *   due.
 */
async function claimByIds(db: Db, claim: Claim, { ids, accounts }: Parcels, slotsDueBy: Date) {
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

/** Accounts take turns among the checks that have been due for longest. */
const TURNS_AMONG = 20_000;

/** Claims the checks that have been due individually for longest, in all or by turns of each account. */
async function claimDue(db: Db, claim: Claim, limit: number): Promise<ClaimedCheck[]> {
  if (limit <= 0) return [];
  const due = Prisma.sql`${isDue(claim)} AND c.next_check_at >= ${sinceOf(claim)}`;
  const turns = Prisma.sql`c.tracking_id IN (
    SELECT t.tracking_id FROM (
      SELECT o.tracking_id, o.next_check_at, row_number() OVER (PARTITION BY o.account_id ORDER BY o.next_check_at) AS turn
      FROM (SELECT c.* FROM public.checks c WHERE ${due} ORDER BY c.next_check_at LIMIT ${TURNS_AMONG}::int) o) t
    ORDER BY t.turn, t.next_check_at LIMIT ${limit}::int) AND`;
  const chosen = Prisma.sql`${claim.byTurns ? turns : Prisma.empty} ${due} ORDER BY c.next_check_at LIMIT ${limit}::int`;
  return rowsByIndex(db, CLAIMED_ALONE, (columnList) => claiming(claim, chosen, columnList));
}

function isDue({ provider, now, isProbe }: Claim): Prisma.Sql {
  return Prisma.sql`c.provider = ${provider} AND c.next_check_at <= ${now.toISOString()}::timestamptz
    AND ${isOpen(provider, now, isProbe)}`;
}

/** The time of a slot's last entry is written again after this. */
const ENTERED_SECONDS = 30;

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

/** Slots that one claim leases, at most. */
const MAX_SLOTS = 200;

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

type Member = RowOf<typeof MEMBER>;

/**
 * The part of a leased slot that a claim has read. `afterId`: others follow after that one; `unread`: nothing was read.
 */
type ReadSlot = { ring: number; slot: number; size: number; afterId?: string; unread?: true };

/** A new lease; its time is that of everything it claims. */
function newLease(provider: string, cadence: Cadence, at: Date): Lease {
  return { token: randomUUID(), provider, cadence, at };
}

/**
 * The slots of a provider that have been due since `dueBy` and that nobody has leased `at` a time: a table with its
 * condition.
 */
function dueSlots(provider: string, dueBy: Date, at: Date): Prisma.Sql {
  return Prisma.sql`public.check_slots
    WHERE provider = ${provider} AND due_at <= ${dueBy.toISOString()}::timestamptz
      AND (leased_until IS NULL OR leased_until <= ${at.toISOString()}::timestamptz)`;
}

/**
 * Leases the slots of a provider that have been due since `dueBy`, the oldest first, as many as have about `limit`
 * checks. No other process claims a leased slot; the lease of a killed process expires.
 * @param isOpen the condition under which the provider may be queried.
 */
async function leaseSlots(
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
 * Reads up to `limit` checks of leased slots. A statement of its own, after the lease was committed: a check that left
 * its slot before is not read, and one that leaves it later counts as checked.
 */
async function readSlots(
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
 * Ends a lease: the checks that were read have been handed over to the queue. A slot that was read to its end is due at
 * its next tick.
 */
async function settleSlots(db: Db, lease: Lease, slots: readonly ReadSlot[]): Promise<void> {
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

/**
 * Deletes empty slots. A statement that enters a check into a slot writes the time to its row, or inserts the row
 * again.
 */
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
async function releaseSlots(db: Db, { provider, token }: Lease, at: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE public.check_slots SET leased_until = ${at.toISOString()}::timestamptz
    WHERE provider = ${provider} AND lease = ${token}`;
}

/**
 * Moves claimed checks out of their slots: their interval is another one now. At their next claim they enter its ring.
 */
async function leaveRing(db: Db, checks: readonly ParcelKey[], { cadence, at }: Lease): Promise<void> {
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
 * Has the slots of a provider follow its intervals and its floor: each whose tick is not due yet, and that was written
 * under others, gets its next tick under these.
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

/**
 * Claimed checks of a provider; those that have moved to another one since are not concerned. "IS TRUE": as in
 * `claimByIds`.
 */
function claimedOf(provider: string, checks: readonly ParcelKey[]): Prisma.Sql {
  return Prisma.sql`c.tracking_id = ANY(${idsOf(checks)}::text[]) AND (c.provider = ${provider}) IS TRUE`;
}

/**
 * Releases claimed checks: they become due again at `at`, so checks that a failing provider did not answer are not
 * lost. Where a provider's floor applies, the caller has counted it.
 */
export async function giveBackChecks(db: Db, provider: string, checks: readonly ParcelKey[], at: Date): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET next_check_at = ${at.toISOString()}::timestamptz, claimed_at = p.claimed_at, slot = NULL
    FROM (
      SELECT c.tracking_id, c.account_id, ${Prisma.raw(CLAIMED_AT)} AS claimed_at FROM public.checks c ${SLOT_JOIN}
      WHERE ${claimedOf(provider, checks)} AND c.account_id = ANY(${accountsOf(checks)}::text[])
    ) p WHERE c.tracking_id = p.tracking_id AND c.account_id = p.account_id`,
  );
}

/** Schedules unanswered checks at their regular interval, not at the end of their lease. */
export async function keepInterval(
  db: Db,
  provider: string,
  checks: readonly ParcelKey[],
  { cadence, now }: { cadence: Cadence; now: Date },
): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET next_check_at = ${now.toISOString()}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
    WHERE ${claimedOf(provider, checks)} AND c.account_id = ANY(${accountsOf(checks)}::text[])`,
  );
}

/** Records why checks failed and since when, until `clearFailing` or until an answer is stored. */
export async function markFailing(
  db: Db,
  provider: string,
  failures: readonly (ParcelKey & { failure: string })[],
  now: Date,
): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET failure = r.failure, failing_since = COALESCE(c.failing_since, ${now.toISOString()}::timestamptz)
    FROM jsonb_to_recordset(${JSON.stringify(failures)}::jsonb) AS r("trackingId" text, "accountId" text, failure text)
    WHERE c.tracking_id = r."trackingId" AND c.account_id = r."accountId"
      AND ${claimedOf(provider, failures)} AND c.account_id = ANY(${accountsOf(failures)}::text[])`,
  );
}

/** Clears the failures of checks that succeed again. */
export async function clearFailing(db: Db, checks: readonly ParcelKey[]): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks SET failure = NULL, failing_since = NULL
    WHERE tracking_id = ANY(${idsOf(checks)}::text[]) AND account_id = ANY(${accountsOf(checks)}::text[])`,
  );
}

/** Stops polling parcels after their final check, which counts for the provider's floor. */
export async function endChecks(db: Db, checks: readonly ParcelKey[]): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    WITH locked AS (
      SELECT id, account_id FROM public.trackings
      WHERE id = ANY(${idsOf(checks)}::text[]) AND account_id = ANY(${accountsOf(checks)}::text[])
      ORDER BY id FOR NO KEY UPDATE -- one lock order for all writers
    ), ended AS (
      DELETE FROM public.checks c USING locked l WHERE c.tracking_id = l.id AND c.account_id = l.account_id
        -- Not a parcel that has since been retracked or moved to another carrier: its polling has resumed.
        AND c.final_look
      RETURNING c.tracking_id, c.account_id, c.provider, c.claimed_at
    )
    UPDATE public.trackings t
    SET asked_before = COALESCE(t.asked_before, '{}'::jsonb) || jsonb_build_object(e.provider, e.claimed_at)
    FROM ended e WHERE t.id = e.tracking_id AND t.account_id = e.account_id AND e.claimed_at IS NOT NULL`,
  );
}

/** Checks that one call looks at: each that moves locks its slot, which cannot be claimed until the statement ends. */
const MOVED_TOGETHER = 1000;

const PLACE = columns({
  accountId: column<Account['id']>('a.id'),
  after: column<NonNullable<Account['monitorAfter']>>('a.monitor_after'),
});

const PAGE = columns({
  lastId: column<Check['trackingId'] | null>('max(tracking_id)'),
  size: column<number>('count(*)::int'),
});

/** Has the checks of an account moved into the monitored interval, in the background: it has an enabled webhook now. */
export async function wantMonitored(tx: Tx, accountId: string): Promise<void> {
  await tx.account.updateMany({ where: { id: accountId }, data: { monitorAfter: '' } });
}

/**
 * Moves the next checks of an account that is to be monitored into that interval, spread over it. No number is queried
 * again before its provider's floor. Doing the same again, as another process may at this moment, changes nothing.
 * @returns whether there was such an account.
 */
export async function moveToMonitored(
  db: Db,
  { monitoredSeconds, floors, now }: { monitoredSeconds: number; floors: Readonly<Record<string, number>>; now: Date },
): Promise<boolean> {
  // Any of them, so that small accounts do not wait for a large one.
  const [place] = await rows(
    db,
    PLACE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.accounts a WHERE a.monitor_after IS NOT NULL ORDER BY random() LIMIT 1`,
  );
  if (!place) return false;
  const { accountId, after } = place;
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const [page] = await rows(
    db,
    PAGE,
    (list) => Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT tracking_id FROM public.checks WHERE account_id = ${accountId} AND tracking_id > ${after}
      ORDER BY tracking_id LIMIT ${MOVED_TOGETHER}
    ), p AS (
      SELECT c.tracking_id, f.floor, ${Prisma.raw(CLAIMED_AT)} AS claimed_at, ${Prisma.raw(DUE_AT)} AS due_at
      FROM public.checks c ${SLOT_JOIN}
      JOIN (SELECT key AS provider, value::float8 AS floor FROM jsonb_each_text(${JSON.stringify(floors)}::jsonb)) f
        ON f.provider = c.provider
      WHERE c.account_id = ${accountId} AND c.tracking_id = ANY (ARRAY(SELECT tracking_id FROM page))
        AND NOT c.final_look AND c.fingerprint IS NOT NULL AND c.pushed IS NOT TRUE AND ${Prisma.raw(isMonitored('c'))}
        AND ${Prisma.raw(DUE_AT)} > ${at} + make_interval(secs => ${monitoredSeconds}::float8)
    ), moved AS (
      UPDATE public.checks c SET next_check_at = LEAST(p.due_at, GREATEST(
        ${at} + make_interval(secs => random() * ${monitoredSeconds}::float8), p.claimed_at + make_interval(secs => p.floor)))
      FROM p WHERE c.account_id = ${accountId} AND c.tracking_id = p.tracking_id
    )
    SELECT ${list} FROM page`,
  );
  const next = page?.size === MOVED_TOGETHER ? page.lastId : null;
  // A statement of its own: requests that lock the account do not wait for the checks. One that began again is left at
  // its beginning.
  await db.account.updateMany({ where: { id: accountId, monitorAfter: after }, data: { monitorAfter: next } });
  return true;
}

const LEFT_SAFETY_NET = columns({ trackingId: column<Check['trackingId']>('c.tracking_id') });

/**
 * Moves up to `limit` checks of a provider whose callbacks no longer arrive from their safety net to their regular
 * interval, spread over it. Those in slots follow the slots (`followCadence`).
 * @returns how many.
 */
export async function leaveSafetyNet(
  db: Db,
  { provider, cadence, limit, now }: { provider: string; cadence: Cadence; limit: number; now: Date },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const longest = Math.max(cadence.monitoredSeconds, cadence.idleSeconds, cadence.floorSeconds) * (1 + JITTER);
  const moved = await rowsByIndex(
    db,
    LEFT_SAFETY_NET,
    (list) => Prisma.sql`
    WITH late AS (
      SELECT tracking_id, account_id FROM public.checks
      WHERE provider = ${provider} AND pushed AND NOT final_look
        AND next_check_at > ${at} + make_interval(secs => ${longest}::float8) AND next_check_at < ${WITH_SLOT}
      ORDER BY next_check_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    )
    UPDATE public.checks c SET next_check_at = GREATEST(
      ${at} + make_interval(secs => random() * ${polledSeconds(cadence)}),
      c.claimed_at + make_interval(secs => ${cadence.floorSeconds}::float8))
    FROM late WHERE c.tracking_id = late.tracking_id AND c.account_id = late.account_id
    RETURNING ${list}`,
  );
  return moved.length;
}

const KEY = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  accountId: column<Check['accountId']>('c.account_id'),
});

/** Up to `limit` parcels that had no news for too long. */
export async function findExpired(db: Db, limit: number, now: Date): Promise<ParcelKey[]> {
  return rowsByIndex(
    db,
    KEY,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c WHERE c.expires_at <= ${now.toISOString()}::timestamptz
      ORDER BY c.expires_at LIMIT ${limit}::int`,
  );
}

/** Where the checks of a carrier go: a provider, and the minimum seconds between two queries of a number there. */
export type Destination = { carrier: string; provider: string; floorSeconds: number };

const MOVED = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  provider: column<Check['provider']>('c.provider'),
});

export type MovedCheck = { trackingId: string; provider: string };

type Move = { provider: string; limit: number; now: Date };

/** Moves checks of a provider that cannot answer to others, once they have been due for this many seconds. */
export async function moveDueChecks(
  db: Db,
  input: Move & { to: readonly Destination[]; overdueSeconds: number },
): Promise<MovedCheck[]> {
  const { provider, limit, now } = input;
  const at = Prisma.sql`${new Date(now.getTime() - input.overdueSeconds * 1000).toISOString()}::timestamptz`;
  const to = Prisma.sql`SELECT t.id AS tracking_id, t.account_id, r.provider AS target, r."floorSeconds" AS floor_seconds
    FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id
    JOIN jsonb_to_recordset(${JSON.stringify(input.to)}::jsonb) AS r(carrier text, provider text, "floorSeconds" float8)
      ON r.carrier = c.carrier AND r.provider <> c.provider`;
  const isOfProvider = Prisma.sql`c.provider = ${provider} AND NOT c.undecided`;
  const pausedUntil = Prisma.sql`(SELECT paused_until FROM public.provider_pauses WHERE provider = ${provider})`;
  const groups = [
    Prisma.sql`WHERE ${isOfProvider} AND c.next_check_at <= ${at} ORDER BY c.next_check_at`,
    // Those that wait for the end of its pause. A range, because an order by one value would not choose the index.
    Prisma.sql`WHERE ${isOfProvider} AND c.next_check_at BETWEEN ${pausedUntil} AND ${pausedUntil} ORDER BY c.next_check_at`,
    Prisma.sql`JOIN public.check_slots s ON s.provider = c.provider AND s.ring = c.ring AND s.slot = c.slot
      WHERE ${waits('c')} AND ${isOfProvider} AND s.provider = ${provider} AND s.due_at <= ${at}
        AND c.tracking_id > COALESCE(s.after_id, '') ORDER BY s.due_at`,
  ];
  const moved: MovedCheck[] = [];
  for (const group of groups) {
    const rest = limit - moved.length;
    if (rest === 0) break;
    moved.push(...(await move(db, now, Prisma.sql`${to} ${group} LIMIT ${rest}::int FOR UPDATE OF t SKIP LOCKED`)));
  }
  return moved;
}

/** A carrier's route, in order. */
export type Route = { carrier: string; route: readonly { provider: string; floorSeconds: number }[] };

/**
 * Moves checks of parcels that a provider has not known for a long time to the next provider of the carrier's route,
 * then to the one after it, and finally to the first again: as many steps as `afterHours` have passed since the last
 * news.
 */
export async function moveUnknownChecks(
  db: Db,
  input: Move & { routes: readonly Route[]; afterHours: number; newsDays: number },
): Promise<MovedCheck[]> {
  const { provider, limit, now, afterHours, newsDays } = input;
  const steps = input.routes.flatMap(({ carrier, route }) =>
    route.map((each, step) => ({ carrier, step, steps: route.length, ...each })),
  );
  // `expires_at` is the time of the last news, or of the registration, plus this many days.
  return move(
    db,
    now,
    Prisma.sql`
      SELECT t.id AS tracking_id, t.account_id, r.provider AS target, r."floorSeconds" AS floor_seconds
      FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id
      JOIN jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
        AS r(carrier text, step int, steps int, provider text, "floorSeconds" float8) ON r.carrier = c.carrier
        AND r.step = mod(floor(extract(epoch FROM ${now.toISOString()}::timestamptz - c.expires_at
          + make_interval(days => ${newsDays}::int)) / ${afterHours * 3600}::float8)::int, r.steps)
      WHERE c.provider = ${provider} AND c.fingerprint = 'not-found' AND r.provider <> c.provider AND NOT c.undecided
      LIMIT ${limit}::int FOR UPDATE OF t SKIP LOCKED`,
  );
}

/**
 * Moves checks, with the trackings locked first, as everywhere. The new provider's first answer is always stored,
 * and its history replaces the former one's. No number is queried again before the floor of its new provider.
 */
async function move(db: Db, now: Date, picked: Prisma.Sql): Promise<MovedCheck[]> {
  const at = now.toISOString();
  return rowsByIndex(
    db,
    MOVED,
    (list) => Prisma.sql`
    WITH picked AS (${picked}), moved AS (
      UPDATE public.trackings t SET provider = p.target, asked_before = CASE WHEN a.at IS NULL THEN t.asked_before
        ELSE COALESCE(t.asked_before, '{}'::jsonb) || jsonb_build_object(t.provider, a.at) END
      FROM picked p JOIN public.checks c ON c.tracking_id = p.tracking_id AND c.account_id = p.account_id ${SLOT_JOIN}
      CROSS JOIN LATERAL (SELECT ${Prisma.raw(CLAIMED_AT)} AS at) a
      -- Another process may have moved it after this statement began, which sees the check as it was before.
      WHERE t.id = p.tracking_id AND t.account_id = p.account_id AND t.provider = c.provider
      RETURNING t.id, t.account_id, p.target, p.floor_seconds, (t.asked_before ->> p.target)::timestamptz AS asked_at
    )
    UPDATE public.checks c SET provider = m.target, fingerprint = NULL, claimed_at = m.asked_at, pushed = NULL, failure = NULL,
      failing_since = NULL, next_check_at = GREATEST(${at}::timestamptz, m.asked_at + make_interval(secs => m.floor_seconds))
    FROM moved m WHERE c.tracking_id = m.id AND c.account_id = m.account_id
    RETURNING ${list}`,
  );
}

/** Maximum number counted of a provider's checks that are due individually, and likewise of those in slots. */
export const MAX_COUNTED = 10_000;

const BACKLOG = columns({
  provider: column<string>('p.provider'),
  /** Beyond `MAX_COUNTED` they are not all counted. */
  due: column<number>('count(*)::int'),
  oldestAt: column<Date>('min(d.due_at)'),
});

/** The checks of a provider that are due and not claimed, and since when the oldest has been due. */
type ProviderBacklog = RowOf<typeof BACKLOG>;

/**
 * The backlog of every provider that has one. Hand-written: one step of an index per provider, and counts that end, so
 * that it costs the same with three million due checks as with some thousands. A leased slot stays due until its claim
 * ends, because claims that fail again and again lease it again and again; unless its lease lasts as long as a floor,
 * in which no claim may take it.
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

/**
 * Up to `limit` due checks of undecided numbers that wait for a provider and have a candidate of one of `others`. They
 * are not claimed: the first statement that moves one wins.
 */
export async function findWaitingUndecided(
  db: Db,
  { provider, others, limit, now }: { provider: string; others: readonly string[]; limit: number; now: Date },
): Promise<ClaimedCheck[]> {
  return rowsByIndex(
    db,
    CLAIMED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c
      WHERE c.provider = ${provider} AND c.undecided AND c.next_check_at <= ${now.toISOString()}::timestamptz AND EXISTS (
        SELECT 1 FROM public.trackings t, jsonb_array_elements(t.candidates -> 'candidates') candidate
        WHERE t.id = c.tracking_id AND t.account_id = c.account_id AND candidate ->> 'provider' = ANY(${[...others]}::text[])
          AND NOT COALESCE((candidate ->> 'isRuledOut')::boolean, false))
      ORDER BY c.next_check_at LIMIT ${limit}::int`,
  );
}
