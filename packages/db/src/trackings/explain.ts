import type { LastAnswer } from '../checks/answers.ts';
import { WITH_SLOT_MS } from '../checks/schedule.ts';
import type { Db } from '../connection.ts';
import { findSubscription, type SubscriptionRecord } from '../subscriptions.ts';
import { findTracking, type TrackingRecord } from './records.ts';

/** A tracking and everything that determines its next check. */
export type Explained = TrackingRecord & {
  lastAnswer: LastAnswer | null;
  retrackedAt: Date | null;
  /** When the merchant stopped its polling. */
  stoppedAt: Date | null;
  /** Whether its next check is still to be moved into the interval that an enabled webhook brings. */
  isToBeMoved: boolean;
  /** Null: polling has stopped. */
  check: {
    fingerprint: string | null;
    nextCheckAt: Date;
    claimedAt: Date | null;
    finalLook: boolean;
    expiresAt: Date;
    /** Why its last checks failed, and since when. */
    failure: string | null;
    failingSince: Date | null;
  } | null;
  /** Its provider's outage. */
  pause: { pausedUntil: Date | null; failure: string | null } | null;
  /** The subscription to its provider's callbacks. */
  subscription: SubscriptionRecord | null;
};

/** Reads a tracking for its explanation; null if the account has none with this id. */
export async function explainTracking(db: Db, accountId: string, id: string): Promise<Explained | null> {
  const record = await findTracking(db, accountId, id);
  if (!record) return null;
  const [account, row, check, pause, subscription] = await Promise.all([
    db.account.findUnique({ where: { id: accountId }, select: { monitorAfter: true } }),
    db.tracking.findFirst({
      where: { id, accountId },
      select: { lastAnswer: true, retrackedAt: true, stoppedAt: true },
    }),
    db.check.findUnique({ where: { trackingId: id, accountId } }),
    db.providerPause.findUnique({ where: { provider: record.provider } }),
    findSubscription(db, record),
  ]);
  return {
    ...record,
    lastAnswer: (row?.lastAnswer ?? null) as LastAnswer | null,
    retrackedAt: row?.retrackedAt ?? null,
    stoppedAt: row?.stoppedAt ?? null,
    isToBeMoved: typeof account?.monitorAfter === 'string' && account.monitorAfter < id,
    // A check that waits for its slot is due with it.
    check: check && { ...check, ...dueOf(record, check) },
    pause,
    subscription,
  };
}

function dueOf({ nextCheckAt, lastCheckedAt }: TrackingRecord, check: { nextCheckAt: Date; claimedAt: Date | null }) {
  const isWaiting = check.nextCheckAt.getTime() === WITH_SLOT_MS;
  return isWaiting ? { nextCheckAt: nextCheckAt ?? check.nextCheckAt, claimedAt: lastCheckedAt } : {};
}
