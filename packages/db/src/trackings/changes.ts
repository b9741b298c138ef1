import { isDeepStrictEqual } from 'node:util';
import { expiresAt } from '@pts/core/tracking/schedule';
import { type CandidateCarrier, startRound } from '@pts/core/tracking/undecided';
import { column, columns, type Db, rows, type Tx } from '../connection.ts';
import { isDuplicate } from '../errors.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { askedOf, nextCheckAt } from './asked.ts';
import type { InputChange } from './inputs.ts';
import { isUndecided } from './known.ts';
import { findTrackingIn, hintsOf, storeAgain, type TrackingRecord } from './records.ts';

/** What a merchant can change in a tracking; null clears a field. */
export type TrackingChange = InputChange & {
  /** The metadata in place of those that the tracking has once no other change is under way. It may throw, and nothing is changed. */
  metadataFrom?: ((before: Metadata | null) => Metadata) | undefined;
  /** The new carrier and its provider. */
  move?: Move | undefined;
};

/** A carrier for a tracking, or candidates of which one may turn out to be the carrier. */
export type Move = {
  carrier: string;
  /** The provider that is queried first. */
  provider: string;
  detected: boolean;
  floorSeconds: number;
  /** If the carrier is not known: its candidates, in the order of their checks. */
  candidates?: readonly CandidateCarrier[] | undefined;
};

export type UpdateResult =
  | { kind: 'updated'; tracking: TrackingRecord; isDue: boolean }
  /** The id of another tracking of the number with that carrier. */
  | { kind: 'taken'; id: string }
  | { kind: 'not_registered' };

type Metadata = NonNullable<TrackingRecord['metadata']>;

type Update = {
  accountId: string;
  id: string;
  change: TrackingChange;
  /** How long a provider is not queried again for the same number; none by default. */
  floorSecondsOf?: (provider: string) => number;
  now: Date;
};

/**
 * Changes a tracking. With another carrier, the history of the former one is dropped (`seq` continues), and the
 * parcel is polled like a new one. Other fields that the carrier needs reach its check, if it is polled. Either makes the check
 * due at once, but no sooner after the last query of that provider than its floor allows; an arrived parcel keeps its final check.
 * Nothing is charged.
 * @returns `isDue`: its provider is to be woken.
 */
export async function updateTracking(db: Db, update: Update): Promise<UpdateResult> {
  const { accountId, id, change, now } = update;
  try {
    return await db.$transaction(async (tx) => {
      // The lock keeps answers out: a later one finds the new carrier and is dropped.
      await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
      const before = await tx.tracking.findFirst({ where: { id, accountId } });
      if (!before) return { kind: 'not_registered' };
      const { move } = change;
      const after = await tx.tracking.update({ where: { id, accountId }, data: fieldsOf(change, before) });
      const moved = move !== undefined && isOther(move, before);
      if (moved) await moveTracking(tx, after, move, now);
      const isDue = moved || (await giveHints(tx, before, after, update));
      const tracking = await findTrackingIn(tx, accountId, id);
      return tracking ? { kind: 'updated', tracking, isDue } : { kind: 'not_registered' };
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const other = await findOther(db, accountId, id, change.move?.carrier ?? '');
    // Deleted since: the change can go ahead.
    return other === null ? updateTracking(db, update) : { kind: 'taken', id: other };
  }
}

function fieldsOf(
  { move, metadataFrom, metadata: given, ...fields }: TrackingChange,
  before: Tracking,
): Prisma.TrackingUpdateInput {
  const metadata = metadataFrom ? metadataFrom(before.metadata as Metadata | null) : given;
  return {
    ...fields,
    ...(metadata === undefined ? {} : { metadata: metadata ?? Prisma.DbNull }),
    ...(move === undefined ? {} : { detected: move.detected }),
  };
}

/** Whether a move changes the queried carriers. Candidates are checked again even if the likeliest is already the carrier. */
function isOther({ carrier, candidates }: Move, before: Tracking): boolean {
  return carrier !== before.carrier || candidates !== undefined || isUndecided(before);
}

/**
 * Has the carrier queried with other fields. A number that the provider refused to watch is offered to it again: it may have lacked
 * them. @returns whether they differ, and the parcel is polled.
 */
async function giveHints(tx: Tx, before: Tracking, after: Tracking, update: Update): Promise<boolean> {
  const hints = hintsOf(after);
  if (isDeepStrictEqual(hints, hintsOf(before))) return false;
  const requestedAt = (await askedOf(tx, after))[after.provider];
  const floorSeconds = update.floorSecondsOf?.(after.provider) ?? 0;
  await tx.subscription.updateMany({
    where: { trackingNumber: after.trackingNumber, provider: after.provider, state: 'refused' },
    data: { state: 'wanted', failures: 0, retryAt: update.now, updatedAt: update.now },
  });
  const { count } = await tx.check.updateMany({
    where: { trackingId: after.id, accountId: after.accountId },
    data: {
      hints: hints ?? Prisma.DbNull,
      nextCheckAt: nextCheckAt(requestedAt, floorSeconds, update.now),
      finalLook: false,
      ...storeAgain(after.subStatus),
    },
  });
  return count > 0;
}

/** The new carrier, without the former one's history, and a check that is due as soon as the floor allows. */
export async function moveTracking(
  tx: Tx,
  before: Tracking,
  { carrier, provider, floorSeconds, candidates }: Move,
  now: Date,
): Promise<void> {
  const { id, accountId, trackingNumber } = before;
  const askedBefore = await askedOf(tx, before);
  const requestedAt = askedBefore[provider];
  await tx.tracking.update({
    where: { id, accountId },
    data: {
      carrier,
      provider,
      askedBefore,
      candidates: candidates ? startRound(candidates, now, askedBefore) : Prisma.DbNull,
      status: '查询中',
      subStatus: 'pending',
      events: [],
      notice: null,
      latestEvent: Prisma.DbNull,
      annotations: Prisma.DbNull,
      lastAnswer: Prisma.DbNull,
      answeredAt: null,
      stoppedAt: null,
      updatedAt: now,
    },
  });
  const check = {
    carrier: candidates?.[0]?.carrier ?? carrier,
    provider,
    isUndecided: candidates !== undefined,
    fingerprint: null,
    finalLook: false,
    claimedAt: requestedAt === undefined ? null : new Date(requestedAt),
    expiresAt: expiresAt(now),
    failure: null,
    failingSince: null,
    // The other carrier's callbacks are subscribed to once it has answered.
    pushed: null,
    nextCheckAt: nextCheckAt(requestedAt, floorSeconds, now),
  };
  const hints = hintsOf(before) ?? Prisma.DbNull;
  await tx.check.upsert({
    where: { trackingId: id },
    create: { trackingId: id, accountId, trackingNumber, hints, ...check },
    update: { hints, ...check },
  });
}

const OTHER_ID = columns({ id: column<Tracking['id']>('o.id') });

async function findOther(db: Db, accountId: string, id: string, carrier: string): Promise<string | null> {
  const [row] = await rows(
    db,
    OTHER_ID,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      JOIN public.trackings o ON o.account_id = t.account_id AND o.tracking_number = t.tracking_number AND o.carrier = ${carrier}
      WHERE t.id = ${id} AND t.account_id = ${accountId} AND o.id <> t.id`,
  );
  return row?.id ?? null;
}
