import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { type Annotations, applyAnswer, expire } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import { expiresAt, JITTER, nextCheck } from '@pts/core/tracking/schedule';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import type { Db, Tx } from '../connection/client.ts';
import { type Emitted, type PendingEndpoint, storeMessages } from '../deliveries/messages.ts';
import { enabledEndpoints, type WebhookEndpoint } from '../webhooks/endpoints.ts';
import { type LockedTracking, lastAnswerOf, type Outcome, updateTrackings } from './answer-snapshot.ts';
import type { Cadence } from './schedule.ts';

/** An answer that differs from the last one stored. */
export type ChangedAnswer = {
  trackingId: string;
  answer: CarrierAnswer;
  fingerprint: string;
  finalCheck: boolean;
  /** Whom it is of. A parcel that was moved to another carrier meanwhile drops it. */
  carrier?: string;
  /** How long the call took. */
  latencyMs?: number;
  /** Which provider answered. */
  provider?: string;
};

/**
 * Stores a batch of changed answers in one transaction: the rows are locked, the answers folded in, and the snapshots,
 * the checks, the messages and the deliveries that are now owed are written together. Repeating it changes nothing.
 * @returns the endpoints to which something is owed because of it.
 */
export async function saveAnswers(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
): Promise<PendingEndpoint[]> {
  return (await saveBatch(db, answers, cadence, now)).pending;
}

/** What came of a batch: the endpoints to wake, and the trackings whose answers were not folded in. */
export type SavedBatch = { pending: PendingEndpoint[]; quarantined: string[] };

/** Does what `saveAnswers` does, and also tells which answers were put in quarantine. */
export async function saveBatch(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
): Promise<SavedBatch> {
  const byId = new Map(answers.map((entry) => [entry.trackingId, entry]));
  return save(db, [...byId.keys()], cadence, now, async (_tx, trackings) =>
    trackings.flatMap((tracking) => {
      const entry = byId.get(tracking.id);
      if (!entry || (entry.carrier !== undefined && entry.carrier !== tracking.carrier)) return [];
      const { answer, fingerprint, finalCheck, provider } = entry;
      const change = applyAnswer(tracking, answer, {
        now,
        registeredAt: tracking.createdAt,
        ...(provider === undefined ? {} : { provider }),
      });
      return [{ tracking, change, fingerprint, finalCheck, lastAnswer: lastAnswerOf(entry, now) }];
    }),
  );
}

/** Ends the watch over parcels without news for too long, and tells their subscribers (`expired`, status unchanged). */
export async function expireTrackings(
  db: Db,
  trackingIds: readonly string[],
  cadence: Cadence,
  now: Date,
): Promise<PendingEndpoint[]> {
  const { pending } = await save(db, trackingIds, cadence, now, async (tx, trackings) => {
    // Looked at again under the lock: there may have been news since the parcel was found overdue.
    const overdue = await tx.check.findMany({
      where: { trackingId: { in: trackings.map(({ id }) => id) }, expiresAt: { lte: now } },
      select: { trackingId: true },
    });
    const ids = new Set(overdue.map((check) => check.trackingId));
    return trackings
      .filter(({ id }) => ids.has(id))
      .map((tracking) => ({ tracking, change: expire(tracking), fingerprint: null, finalCheck: false }));
  });
  return pending;
}

async function save(
  db: Db,
  trackingIds: readonly string[],
  cadence: Cadence,
  now: Date,
  decide: (tx: Tx, trackings: LockedTracking[]) => Promise<Outcome[]>,
): Promise<SavedBatch> {
  return db.$transaction(async (tx) => {
    const outcomes = await decide(tx, await lockTrackings(tx, trackingIds));
    const endpoints = await enabledEndpoints(tx, [...new Set(outcomes.map(({ tracking }) => tracking.accountId))]);
    await updateTrackings(tx, outcomes, now);
    await updateChecks(tx, outcomes, endpoints, cadence, now);
    const quarantined = outcomes.filter(({ change }) => change.isQuarantined).map(({ tracking }) => tracking.id);
    return { pending: await storeMessages(tx, outcomes.flatMap(emitted), endpoints, now), quarantined };
  });
}

/** Rows are locked in id order, so that two batches with parcels in common cannot deadlock. */
async function lockTrackings(tx: Tx, ids: readonly string[]): Promise<LockedTracking[]> {
  const rows = await tx.$queryRaw<
    (Omit<LockedTracking, 'scans' | 'status' | 'subStatus' | 'annotations'> & {
      events: Scan[];
      status: string;
      subStatus: string;
      annotations: Annotations | null;
    })[]
  >`
    SELECT id, account_id AS "accountId", tracking_number AS "trackingNumber", carrier, events, status,
      sub_status AS "subStatus", notice, seq, annotations, created_at AS "createdAt"
    FROM public.trackings WHERE id = ANY(${[...ids]}::text[]) ORDER BY id FOR UPDATE`;
  return rows.map(({ events, annotations, ...row }) => ({
    ...row,
    ...(annotations === null ? {} : { annotations }),
    scans: events,
    status: row.status as Status,
    subStatus: row.subStatus as SubStatus,
  }));
}

/** The check after an answer: its fingerprint, and when (or whether) the parcel is looked at again. */
async function updateChecks(
  tx: Tx,
  outcomes: readonly Outcome[],
  endpoints: readonly WebhookEndpoint[],
  cadence: Cadence,
  now: Date,
): Promise<void> {
  const monitored = new Set(endpoints.map((endpoint) => endpoint.accountId));
  const looks = outcomes.map((outcome) => ({ ...outcome, look: checkAfter(outcome, now) }));
  const ended = looks.filter(({ look }) => look.watch === 'never').map(({ tracking }) => tracking.id);
  if (ended.length > 0) await tx.check.deleteMany({ where: { trackingId: { in: ended } } });
  const rows = looks.flatMap(({ tracking, fingerprint, look, change }) => {
    if (look.watch === 'never') return [];
    const isOnceMore = look.watch === 'once-more';
    return {
      id: tracking.id,
      fingerprint,
      // An answer in quarantine is asked for again, and compared with what was folded in last.
      keeps_fingerprint: change.isQuarantined === true,
      final_look: isOnceMore,
      next_check_at: isOnceMore ? look.at : regularly(monitored.has(tracking.accountId), cadence, now),
      moves: isOnceMore,
      expires_at: change.emits.length > 0 ? expiresAt(now) : null,
    };
  });
  // A first answer ends the lease of its claim; later ones keep the time that their claim has set.
  await tx.$executeRaw`
    UPDATE public.checks c SET final_look = r.final_look,
      fingerprint = CASE WHEN r.keeps_fingerprint THEN c.fingerprint ELSE r.fingerprint END,
      next_check_at = CASE WHEN r.moves OR c.fingerprint IS NULL OR c.final_look THEN r.next_check_at ELSE c.next_check_at END,
      expires_at = COALESCE(r.expires_at, c.expires_at), failure = NULL, failing_since = NULL
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id text, fingerprint text, keeps_fingerprint boolean, final_look boolean, next_check_at timestamptz, moves boolean, expires_at timestamptz)
    WHERE c.tracking_id = r.id`;
}

function checkAfter({ change, fingerprint, finalCheck }: Outcome, now: Date): ReturnType<typeof nextCheck> {
  if (fingerprint === 'failed:invalid_number') return { watch: 'never' };
  // Answered although expired: a retrack has revived the watch, for as long as a new parcel's.
  if (fingerprint !== null && change.after.subStatus === 'expired') return { watch: 'regularly' };
  return nextCheck(change.after.subStatus, finalCheck, now);
}

function regularly(isMonitored: boolean, cadence: Cadence, now: Date): Date {
  const interval = isMonitored ? cadence.monitoredSeconds : cadence.idleSeconds;
  const seconds = Math.max(cadence.floorSeconds, interval * (1 - JITTER + 2 * JITTER * Math.random()));
  return new Date(now.getTime() + seconds * 1000);
}

function emitted({ tracking, change }: Outcome): Emitted[] {
  return change.emits.map((event, index) => ({
    event,
    accountId: tracking.accountId,
    tracking: {
      id: tracking.id,
      trackingNumber: tracking.trackingNumber,
      carrier: tracking.carrier,
      status: change.after.status,
      subStatus: change.after.subStatus,
      seq: tracking.seq + index + 1,
      scans: change.after.scans,
      ...(change.after.annotations === undefined ? {} : { annotations: change.after.annotations }),
    },
  }));
}
