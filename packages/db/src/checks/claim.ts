import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import type { Db } from '../connection.ts';
import { type Claim, claimByIds, claimDue, findHeads, isOpen, type Parcels } from './claim-single.ts';
import { giveBackChecks } from './schedule.ts';
import { leaseSlots, leaveRing, MAX_SLOTS, newLease, readSlots, releaseSlots, settleSlots } from './slots.ts';

export type { Claim, Parcels } from './claim-single.ts';

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

/**
 * Claims due checks of one provider: those of `parcels` first, then others, up to `limit`. No other process claims them. Regular
 * checks are claimed with their slot, without a write to them; any other one enters a slot, unless it has never been answered:
 * then it comes back after a short lease. A paused provider has none, except for one probe after the pause.
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

/**
 * Takes due checks to hand them over to the queue, like `claimChecks`; if the process dies before it settles them, those of slots
 * become due again after a short lease. Of slots and single checks, those that have been due for longer come first, and neither
 * takes more than half while the other has enough.
 */
export async function takeDue(db: Db, claim: Claim): Promise<Taken> {
  const heads = await findHeads(db, claim);
  const { limit } = claim;
  const single = (max: number) => claimDue(db, claim, max);
  const slots = (max: number) => takeMoreSlots(db, { ...claim, limit: max });
  const together = (single: ClaimedCheck[], ...more: TakenSlots[]) => takenOf(db, claim, single, more);
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
  { provider, limit }: Claim,
  single: readonly ClaimedCheck[],
  slots: readonly TakenSlots[],
): Taken {
  const parts = slots.flatMap((each) => each.parts);
  const checks = [...slots.flatMap(({ claimed }) => claimed), ...single];
  return {
    checks,
    more: checks.length >= limit || slots.some(({ isFull }) => isFull),
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

/** Slots that are due later may wait for the sweep. */
function overdueSince({ now }: Claim): Date {
  return new Date(now.getTime() - FILL_OVERDUE_SECONDS * 1000);
}
