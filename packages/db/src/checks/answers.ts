import type { PageAddressOf } from '@pts/core/page/address';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { type Annotations, type AnswerContext, applyAnswer, expire } from '@pts/core/tracking/change';
import { isDoubtfulPush } from '@pts/core/tracking/push';
import type { Scan } from '@pts/core/tracking/scan';
import { checkAfter, expiresAt } from '@pts/core/tracking/schedule';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import type { Undecided } from '@pts/core/tracking/undecided';
import type { PendingEndpoint } from '@pts/core/webhook/pending-endpoint';
import type { Db } from '../connection/client.ts';
import type { HotTx } from '../connection/hot.ts';
import { column, columns, hotExecute, hotRows } from '../connection/rows.ts';
import { storeMessages } from '../deliveries/messages.ts';
import { type Check, Prisma, type Tracking } from '../generated/client.ts';
import { PAGE_GENERATION } from '../pages/link.ts';
import { mergeTaken } from '../trackings/merge.ts';
import { enabledEndpoints } from '../webhooks/endpoints.ts';
import { type LockedTracking, lastAnswerOf, type Outcome, updateTrackings } from './answer-snapshot.ts';
import { outcomeOfCandidate } from './candidate-steps.ts';
import { emitted } from './emitted.ts';
import { type SavedBatch, savedOf } from './saved-batch.ts';
import { type Cadence, jittered, regularSeconds } from './schedule.ts';
import { storeSteps } from './store-steps.ts';

const LOCKED = columns({
  id: column<Tracking['id']>('t.id'),
  accountId: column<Tracking['accountId']>('t.account_id'),
  trackingNumber: column<Tracking['trackingNumber']>('t.tracking_number'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  provider: column<Tracking['provider']>('t.provider'),
  scans: column<Scan[]>('t.events'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  notice: column<Tracking['notice']>('t.notice'),
  annotations: column<Annotations | null>('t.annotations'),
  seq: column<Tracking['seq']>('t.seq'),
  createdAt: column<Tracking['createdAt']>('t.created_at'),
  candidates: column<Undecided | null>('CASE WHEN t.detected THEN t.candidates END'),
  lastAskedAt: column<string | null>("t.last_answer ->> 'askedAt'"),
  pageGeneration: PAGE_GENERATION,
});

/** An answer that differs from the last one stored. */
export type ChangedAnswer = {
  trackingId: string;
  answer: CarrierAnswer;
  fingerprint: string;
  finalLook: boolean;
  /** The carrier of the answer. If the tracking has moved to another one, the answer is dropped. */
  carrier?: string;
  /** When it was requested, or pushed. If the stored answer was requested later, this one is dropped. */
  askedAt?: Date;
  /** Duration of the call. */
  latencyMs?: number;
  /** Which provider answered. If the tracking has moved to another one, the answer is dropped. */
  provider?: string;
  /** Estimates the delivery from similar parcels (`AnswerContext`). */
  estimate?: AnswerContext['estimate'];
  /** The provider pushed it. A doubtful one (`isDoubtfulPush`) is not stored. */
  isPush?: true;
  /** A provider with an outage: its other candidates are not next for an undecided number. */
  avoids?: string;
};

/**
 * Stores a batch of changed answers in one transaction: the rows are locked, the answers folded in, and the snapshots,
 * the checks, the messages and the pending deliveries are written together. Repeating it changes nothing.
 * @returns the endpoints with new pending deliveries.
 */
export async function saveAnswers(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
): Promise<PendingEndpoint[]> {
  return (await saveBatch(db, answers, cadence, now)).pending;
}

/**
 * Like `saveAnswers`, and also returns the outcome of each answer.
 * @param pageOf the addresses of buyers' pages, for the pushes of accounts that have them.
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
  const saved = await save(db, [...byId.keys()], { cadence, now, pageOf }, async (_tx, trackings) =>
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
      if (entry.isPush && !change.isQuarantined && isDoubtfulPush(tracking, answer, change.after)) {
        doubtful.add(tracking.id);
        return [];
      }
      const outcome = { tracking, change, fingerprint, finalLook, lastAnswer: lastAnswerOf(entry, now) };
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
  const { carrier = tracking.carrier, provider = tracking.provider, askedAt } = entry;
  if (carrier !== tracking.carrier || provider !== tracking.provider) return true;
  return askedAt !== undefined && tracking.lastAskedAt !== null && askedAt < new Date(tracking.lastAskedAt);
}

const OVERDUE = columns({ trackingId: column<Check['trackingId']>('tracking_id') });

/** Stops polling parcels without news for too long and notifies their subscribers (`expired`, status unchanged). */
export async function expireTrackings(
  db: Db,
  trackingIds: readonly string[],
  cadence: Cadence,
  now: Date,
  pageOf?: PageAddressOf,
): Promise<PendingEndpoint[]> {
  const { pending } = await save(db, trackingIds, { cadence, now, pageOf }, async (tx, trackings) => {
    // Checked again under the lock: there may have been news since the parcel was found overdue.
    const overdue = await hotRows(
      tx,
      OVERDUE,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.checks
        WHERE tracking_id = ANY(${trackings.map(({ id }) => id)}::text[]) AND expires_at <= ${now.toISOString()}::timestamptz`,
    );
    const ids = new Set(overdue.map(({ trackingId }) => trackingId));
    return trackings
      .filter(({ id }) => ids.has(id))
      .map((tracking) => ({ tracking, change: expire(tracking), fingerprint: null, finalLook: false }));
  });
  return pending;
}

async function save(
  db: Db,
  trackingIds: readonly string[],
  { cadence, now, pageOf }: { cadence: Cadence; now: Date; pageOf: PageAddressOf | undefined },
  decide: (tx: HotTx, trackings: LockedTracking[]) => Promise<Outcome[]>,
): Promise<Omit<SavedBatch, 'doubtful'>> {
  return db.$hotTransaction(async (tx) => {
    const decided = await decide(tx, await lockTrackings(tx, trackingIds));
    const merged = await mergeTaken(
      tx,
      decided.flatMap(({ tracking, step }) => (step?.kind === 'decided' ? tracking : [])),
    );
    const outcomes = decided.filter(({ tracking }) => !merged.has(tracking.id));
    const endpoints = await enabledEndpoints(tx, [...new Set(outcomes.map(({ tracking }) => tracking.accountId))]);
    const checks = outcomes
      .filter(({ step }) => step?.kind !== 'ask')
      .map((outcome) => ({ outcome, next: nextOf(outcome, now) }));
    await deleteEnded(tx, checks);
    // One statement for both: a round trip costs more than most of these rows.
    await hotExecute(
      tx,
      Prisma.sql`WITH stored AS (${updateTrackings(outcomes, now)}) ${updateChecks(checks, cadence, now)}`,
    );
    await storeSteps(tx, outcomes, cadence, now);
    return {
      pending: await storeMessages(
        tx,
        outcomes.flatMap((outcome) => emitted(outcome, pageOf)),
        endpoints,
        now,
      ),
      ...savedOf(outcomes, now),
    };
  });
}

/** Rows are locked in id order, so that two batches with parcels in common cannot deadlock. */
async function lockTrackings(tx: HotTx, ids: readonly string[]): Promise<LockedTracking[]> {
  const locked = await hotRows(
    tx,
    LOCKED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t WHERE t.id = ANY(${[...ids]}::text[]) ORDER BY t.id FOR UPDATE`,
  );
  return locked.map(({ annotations, ...tracking }) => ({
    ...tracking,
    ...(annotations === null ? {} : { annotations }),
  }));
}

/** Whether and when a parcel is checked again after an answer. */
type CheckAfter = { outcome: Outcome; next: ReturnType<typeof checkAfter> };

function nextOf({ change, lastAnswer, finalLook }: Outcome, now: Date): CheckAfter['next'] {
  return checkAfter({ subStatus: change.after.subStatus, answered: lastAnswer ?? null, finalLook }, now);
}

/** Those of parcels that need no more checks. */
async function deleteEnded(tx: HotTx, checks: readonly CheckAfter[]): Promise<void> {
  const ended = checks.filter(({ next }) => next.watch === 'never').map(({ outcome }) => outcome.tracking.id);
  if (ended.length > 0)
    await hotExecute(tx, Prisma.sql`DELETE FROM public.checks WHERE tracking_id = ANY(${ended}::text[])`);
}

/** The statement that stores the checks after answers: their fingerprints and when they are due. */
function updateChecks(checks: readonly CheckAfter[], cadence: Cadence, now: Date): Prisma.Sql {
  const rows = checks.flatMap(({ outcome: { tracking, fingerprint, change }, next }) => {
    if (next.watch === 'never') return [];
    return {
      id: tracking.id,
      fingerprint,
      // A quarantined answer is queried again and compared with the last answer that was folded in.
      keeps_fingerprint: change.isQuarantined === true,
      final_at: next.watch === 'once-more' ? next.at : null,
      expires_at: change.emits.length > 0 ? expiresAt(now) : null,
    };
  });
  const at = now.toISOString();
  // A first answer ends the lease of its claim; later ones keep the time that their claim set.
  return Prisma.sql`
    UPDATE public.checks c SET final_look = r.final_at IS NOT NULL,
      fingerprint = CASE WHEN r.keeps_fingerprint THEN c.fingerprint ELSE r.fingerprint END,
      next_check_at = CASE WHEN r.final_at IS NOT NULL THEN r.final_at
        WHEN c.fingerprint IS NULL OR c.final_look THEN ${at}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
        ELSE c.next_check_at END,
      expires_at = COALESCE(r.expires_at, c.expires_at), failure = NULL, failing_since = NULL
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id text, fingerprint text, keeps_fingerprint boolean, final_at timestamptz, expires_at timestamptz)
    WHERE c.tracking_id = r.id AND c.tracking_id = ANY(${rows.map(({ id }) => id)}::text[])`;
}
