import type { LastAnswer } from '../checks/answer-snapshot.ts';
import type { Db } from '../connection/client.ts';
import { findTracking, type TrackingRecord } from './records.ts';

/** A tracking and all that decides when it is looked at next. */
export type Explained = TrackingRecord & {
  lastAnswer: LastAnswer | null;
  retrackedAt: Date | null;
  /** Null: it is watched no longer. */
  check: {
    fingerprint: string | null;
    nextCheckAt: Date;
    claimedAt: Date | null;
    finalCheck: boolean;
    expiresAt: Date;
    /** Why its last checks brought no answer that could be stored, and since when. */
    failure: string | null;
    failingSince: Date | null;
  } | null;
  /** Its provider's trouble. */
  pause: { pausedUntil: Date | null; failure: string | null } | null;
};

/** What is known of a tracking for explaining it; null when the account has none of this id. */
export async function explainTracking(db: Db, accountId: string, id: string): Promise<Explained | null> {
  const record = await findTracking(db, accountId, id);
  if (!record) return null;
  const [row, pause] = await Promise.all([
    db.tracking.findFirst({ where: { id, accountId }, select: { lastAnswer: true, retrackedAt: true, check: true } }),
    db.providerPause.findUnique({ where: { provider: record.provider } }),
  ]);
  return {
    ...record,
    lastAnswer: (row?.lastAnswer ?? null) as LastAnswer | null,
    retrackedAt: row?.retrackedAt ?? null,
    check: row?.check ?? null,
    pause,
  };
}
