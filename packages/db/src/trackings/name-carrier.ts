import type { Db } from '../connection.ts';
import { isDuplicate } from '../errors.ts';
import type { Prisma, Tracking } from '../generated/client.ts';
import { type Move, moveTracking } from './changes.ts';
import { INPUT_NAMES, type TrackingInputs } from './inputs.ts';
import { isUndecided } from './known.ts';

/** The carrier that a merchant names for an undecided tracking. */
type Named = { accountId: string; id: string; move: Move; inputs: TrackingInputs; now: Date };

/**
 * Ends the search for the carrier of a tracking: the merchant names it. Inputs that the tracking lacks are added; its unit is
 * charged already.
 * @returns false if its carrier is already known, or if the account has another tracking with that carrier.
 */
export async function nameCarrier(db: Db, { accountId, id, move, inputs, now }: Named): Promise<boolean> {
  try {
    return await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
      const before = await tx.tracking.findFirst({ where: { id, accountId } });
      if (!before || !isUndecided(before)) return false;
      const after = await tx.tracking.update({
        where: { id, accountId },
        data: { ...missingInputs(before, inputs), detected: false },
      });
      await moveTracking(tx, after, move, now);
      return true;
    });
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** The inputs of a registration that a tracking does not have yet. */
export function missingInputs(before: Tracking, inputs: TrackingInputs): Prisma.TrackingUpdateInput {
  const missing = INPUT_NAMES.filter((name) => before[name] === null && inputs[name] !== undefined);
  return Object.fromEntries(missing.map((name) => [name, inputs[name]]));
}
