import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import type { Annotations, Change, Snapshot } from '@pts/core/tracking/change';
import { type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import type { Undecided } from '@pts/core/tracking/undecided';
import { column, columns, type RowOf } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { PAGE_GENERATION } from '../pages/link.ts';
import { INPUT_COLUMNS } from '../trackings/inputs.ts';

/** The last answer with something new, as a tracking stores it: times in ISO 8601. */
export type LastAnswer = {
  kind: CarrierAnswer['kind'];
  failure?: Failure;
  at: string;
  /** When it was requested, or received in a callback; missing if that is not known. */
  requestedAt?: string;
  latencyMs: number | null;
  /** How many scans it had. */
  scans: number;
};

/** What a change of a tracking starts from, and what its pushes need. */
export const LOCKED = columns({
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
  /** Null once its carrier is known. */
  candidates: column<Undecided | null>('CASE WHEN t.detected THEN t.candidates END'),
  /** When the stored answer was requested, in ISO 8601; null if that is not known. */
  lastRequestedAt: column<string | null>("t.last_answer ->> 'requestedAt'"),
  /** Of the link to its page; null without one. */
  pageGeneration: PAGE_GENERATION,
  ...INPUT_COLUMNS,
});

export type LockedTracking = Omit<RowOf<typeof LOCKED>, 'annotations'> & Pick<Snapshot, 'annotations'>;

/** The stored result of an answer about an undecided number. */
export type CandidateStep =
  | { kind: 'decided'; provider: string }
  | {
      kind: 'ask';
      undecided: Undecided;
      /** In the first round, the next candidate is checked as soon as its floor allows, afterwards at a regular check. */
      isAtOnce: boolean;
      endsFirstRound: boolean;
      isOutage: boolean;
      /** Not before, because of the provider's floor. */
      dueAt: Date;
    };

/** The new state of a tracking after an answer, or after too long without one. */
export type Outcome = {
  tracking: LockedTracking;
  change: Change;
  fingerprint: string | null;
  finalLook: boolean;
  lastAnswer?: LastAnswer;
  /** The span that stores it, if the parcel is traced. */
  traceparent?: string | null;
  /** Of a tracking whose carrier was not known. */
  step?: CandidateStep;
};

/** An answer as stored. */
export function lastAnswerOf(
  { answer, requestedAt, latencyMs }: { answer: CarrierAnswer; requestedAt?: Date; latencyMs?: number },
  now: Date,
): LastAnswer {
  return {
    kind: answer.kind,
    ...(answer.kind === 'failed' ? { failure: answer.failure } : {}),
    at: now.toISOString(),
    ...(requestedAt === undefined ? {} : { requestedAt: requestedAt.toISOString() }),
    latencyMs: latencyMs === undefined ? null : Math.round(latencyMs),
    scans: answer.kind === 'found' ? answer.scans.length : 0,
  };
}

/** The accounts of outcomes, one for each (`accountsOf`). */
export function accountsIn(outcomes: readonly Pick<Outcome, 'tracking'>[]): string[] {
  return outcomes.map(({ tracking }) => tracking.accountId);
}

/** The statement that stores the snapshots, any number of them. Ids and accounts twice: as in `recordAttempts`. */
export function updateTrackings(outcomes: readonly Outcome[], now: Date): Prisma.Sql {
  const rows = outcomes.map(({ tracking, change: { after, emits }, lastAnswer }) => ({
    id: tracking.id,
    account_id: tracking.accountId,
    status: after.status,
    sub_status: after.subStatus,
    notice: after.notice,
    seq: tracking.seq + emits.length,
    // Null keeps the column: the wide history is written only when it has changed.
    events: isSame(tracking.scans, after.scans) ? null : after.scans,
    has_news: emits.length > 0,
    latest_event: latestEvent(after.scans),
    annotations: after.annotations ?? null,
    last_answer: lastAnswer ?? null,
  }));
  return Prisma.sql`
    UPDATE public.trackings t SET status = r.status, sub_status = r.sub_status, notice = r.notice,
      seq = CASE WHEN r.has_news THEN r.seq ELSE t.seq END,
      events = COALESCE(r.events, t.events), latest_event = r.latest_event,
      last_answer = COALESCE(r.last_answer, t.last_answer), annotations = r.annotations,
      answered_at = ${now.toISOString()}::timestamptz,
      updated_at = CASE WHEN r.has_news THEN ${now.toISOString()}::timestamptz ELSE t.updated_at END
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id text, account_id text, status text, sub_status text, notice text, seq int, events jsonb, has_news boolean,
      latest_event jsonb, last_answer jsonb, annotations jsonb)
    WHERE t.id = r.id AND t.account_id = r.account_id AND t.id = ANY(${rows.map(({ id }) => id)}::text[])
      AND t.account_id = ANY(${accountsIn(outcomes)}::text[])`;
}

/** The internal parts of scans are stored too: later answers are matched against them. */
function isSame(before: readonly Scan[], after: readonly Scan[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function latestEvent(scans: readonly Scan[]) {
  const latest = scans.at(-1);
  return latest === undefined ? null : toTrackingEvent(latest);
}
