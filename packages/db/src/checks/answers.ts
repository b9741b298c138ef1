import type { PageAddressOf } from '@pts/core/page';
import { TEST_PROVIDER } from '@pts/core/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { type AnswerContext, applyAnswer, expire } from '@pts/core/tracking/change';
import { accountsOf, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import { isDoubtfulCallback } from '@pts/core/tracking/subscription';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Db, HotTx } from '../connection.ts';
import { column, columns, hotRows } from '../connection.ts';
import { CURRENT_EPOCH, recordEpoch } from '../deliveries/events.ts';
import { type Emitted, storeMessages } from '../deliveries/messages.ts';
import { type Check, Prisma } from '../generated/client.ts';
import { mergeTaken } from '../trackings/register.ts';
import { enabledEndpoints } from '../webhooks/endpoints.ts';
import { accountsIn, LOCKED, type LockedTracking, lastAnswerOf, type Outcome } from './answer-snapshot.ts';
import { outcomeOfCandidate } from './candidate-steps.ts';
import { type SavedBatch, savedOf } from './saved-batch.ts';
import type { Cadence } from './schedule.ts';
import { storeOutcomes } from './store-outcomes.ts';
import { storeSteps } from './store-steps.ts';

/** An answer that differs from the last one stored. */
export type ChangedAnswer = ParcelKey & {
  answer: CarrierAnswer;
  fingerprint: string;
  finalLook: boolean;
  /** The carrier of the answer. If the tracking has moved to another one, the answer is dropped. */
  carrier?: string;
  /** When it was requested, or received in a callback. If the stored answer was requested later, this one is dropped. */
  requestedAt?: Date;
  /** Duration of the call. */
  latencyMs?: number;
  /** Which provider answered. If the tracking has moved to another one, the answer is dropped. */
  provider?: string;
  /** Estimates the delivery from similar parcels (`AnswerContext`). */
  estimate?: AnswerContext['estimate'];
  /** It came in a callback. A doubtful one (`isDoubtfulCallback`) is not stored. */
  isCallback?: true;
  /** A provider with an outage: its other candidates are not next for an undecided number. */
  avoids?: string;
  /** The span that stores it, if the parcel is traced. */
  traceparent?: string | null | undefined;
};

/**
 * Stores a batch of changed answers in one transaction: the rows are locked, the answers folded in, and the snapshots,
 * the checks, the messages and the pending deliveries are written together. Repeating it changes nothing.
 * @param pageOf the addresses of buyers' pages, for the pushes of accounts that have them.
 * @returns the endpoints with new pending deliveries, and the outcome of each answer.
 */
export async function saveBatch(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
  pageOf?: PageAddressOf,
): Promise<SavedBatch> {
  const byId = new Map(answers.map((entry) => [entry.trackingId, entry]));
  const doubtful = new Set<string>();
  const saved = await lockAndStore(db, [...byId.values()], { cadence, now, pageOf }, async (trackings) =>
    trackings.flatMap((tracking) => {
      const entry = byId.get(tracking.id);
      if (!entry || isOutdated(entry, tracking)) return [];
      const { answer, fingerprint, finalLook, provider, estimate } = entry;
      const change = applyAnswer(tracking, answer, {
        now,
        registeredAt: tracking.createdAt,
        ...(provider === undefined ? {} : { provider }),
        ...(estimate === undefined ? {} : { estimate }),
      });
      if (entry.isCallback && !change.isQuarantined && isDoubtfulCallback(tracking, answer, change.after)) {
        doubtful.add(tracking.id);
        return [];
      }
      const lastAnswer = lastAnswerOf(entry, now);
      const outcome = { tracking, change, fingerprint, finalLook, lastAnswer, traceparent: entry.traceparent ?? null };
      return outcomeOfCandidate(outcome, entry, cadence, now) ?? [];
    }),
  );
  return { ...saved, doubtful: [...doubtful] };
}

/**
 * Whether the tracking has moved to another carrier or provider since the question, or a later question was answered first:
 * what is missing in an old answer was not withdrawn. Any candidate may answer.
 */
function isOutdated(entry: ChangedAnswer, tracking: LockedTracking): boolean {
  if (tracking.candidates !== null) return false;
  const { carrier = tracking.carrier, provider = tracking.provider, requestedAt } = entry;
  if (carrier !== tracking.carrier || provider !== tracking.provider) return true;
  return (
    requestedAt !== undefined && tracking.lastRequestedAt !== null && requestedAt < new Date(tracking.lastRequestedAt)
  );
}

const OVERDUE = columns({ trackingId: column<Check['trackingId']>('tracking_id') });

/** Stops polling parcels without news for too long, and notifies the subscribers of those that have not arrived (`expire`). */
export async function expireTrackings(
  db: Db,
  parcels: readonly ParcelKey[],
  cadence: Cadence,
  now: Date,
  pageOf?: PageAddressOf,
): Promise<PendingEndpoint[]> {
  const { pending } = await lockAndStore(db, parcels, { cadence, now, pageOf }, async (trackings, tx) => {
    // Checked again under the lock: there may have been news since the parcel was found overdue.
    const overdue = await hotRows(
      tx,
      OVERDUE,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.checks
        WHERE tracking_id = ANY(${trackings.map(({ id }) => id)}::text[])
          AND account_id = ANY(${trackings.map(({ accountId }) => accountId)}::text[])
          AND expires_at <= ${now.toISOString()}::timestamptz`,
    );
    const ids = new Set(idsOf(overdue));
    return trackings
      .filter(({ id }) => ids.has(id))
      .map((tracking) => ({ tracking, change: expire(tracking), fingerprint: null, finalLook: true }));
  });
  return pending;
}

/** Locks the parcels, decides what becomes of each, and stores that. */
async function lockAndStore(
  db: Db,
  parcels: readonly ParcelKey[],
  { cadence, now, pageOf }: { cadence: Cadence; now: Date; pageOf: PageAddressOf | undefined },
  decide: (trackings: LockedTracking[], tx: HotTx) => Promise<Outcome[]>,
): Promise<Omit<SavedBatch, 'doubtful'>> {
  return db.$hotTransaction(async (tx) => {
    const decided = await decide(await lockTrackings(tx, parcels), tx);
    // The account may have the number with the carrier that was found: the older tracking stays, and takes this one over.
    const merged = await mergeTaken(
      tx,
      decided.flatMap(({ tracking, step }) => (step?.kind === 'decided' ? tracking : [])),
    );
    const outcomes = decided.filter(({ tracking }) => !merged.has(tracking.id));
    const endpoints = await enabledEndpoints(tx, [...new Set(accountsIn(outcomes))]);
    const requests = await storeOutcomes(tx, outcomes, cadence, now);
    await storeSteps(tx, outcomes, cadence, now);
    return {
      pending: await storeMessages(
        tx,
        outcomes.flatMap((outcome) => emittedBy(outcome, requests.get(outcome.tracking.id) ?? null, pageOf)),
        endpoints,
        now,
      ),
      ...savedOf(outcomes, now),
      requestIds: [...new Set(requests.values())],
    };
  });
}

/** The events that an outcome emits, each with the parcel as it stands then. @param requestId the request that registered it */
function emittedBy(
  { tracking, change, traceparent = null }: Outcome,
  requestId: string | null,
  pageOf: PageAddressOf | undefined,
): Emitted[] {
  const { pageGeneration } = tracking;
  const pageUrl = pageGeneration === null ? undefined : pageOf?.(tracking.id, pageGeneration);
  return change.emits.map((event, index) => ({
    event,
    accountId: tracking.accountId,
    origin: { requestId, traceparent },
    tracking: {
      ...tracking,
      status: change.after.status,
      subStatus: change.after.subStatus,
      scans: change.after.scans,
      annotations: change.after.annotations,
      seq: tracking.seq + index + 1,
      ...(pageUrl === undefined ? {} : { pageUrl }),
      ...(tracking.provider === TEST_PROVIDER ? { isTest: true } : {}),
    },
  }));
}

/** `seqFloor`: null until the server's epoch is recorded. */
const LOCKED_IN_EPOCH = columns({ ...LOCKED.columns, seqFloor: column<number | null>('e.seq_floor') });

/**
 * Rows are locked in id order, so that two batches with parcels in common cannot deadlock. The `seq` of each continues above all
 * that an earlier epoch may have sent.
 */
async function lockTrackings(tx: HotTx, parcels: readonly ParcelKey[]): Promise<LockedTracking[]> {
  const lock = () =>
    hotRows(
      tx,
      LOCKED_IN_EPOCH,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.trackings t ${CURRENT_EPOCH}
        WHERE t.id = ANY(${idsOf(parcels)}::text[]) AND t.account_id = ANY(${accountsOf(parcels)}::text[])
        ORDER BY t.id FOR UPDATE OF t`,
    );
  let locked = await lock();
  if (locked.some(({ seqFloor }) => seqFloor === null)) {
    await recordEpoch(tx);
    locked = await lock();
  }
  return locked.map(({ annotations, seqFloor, ...tracking }) => ({
    ...tracking,
    seq: Math.max(tracking.seq, seqFloor ?? 0),
    ...(annotations === null ? {} : { annotations }),
  }));
}
