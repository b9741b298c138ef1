import type { PageAddresses } from '@pts/core/page';
import { TEST_PROVIDER } from '@pts/core/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import {
  type Annotations,
  type AnswerContext,
  applyAnswer,
  type Change,
  expire,
  isUnconfirmed,
  type Snapshot,
} from '@pts/core/tracking/change';
import { type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
import { accountsOf, checkAfter, expiresAt, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { isDoubtfulCallback } from '@pts/core/tracking/subscription';
import { allowedAt, candidateAnswerOf, currentOf, nextCandidate, type Undecided } from '@pts/core/tracking/undecided';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Account } from '../accounts/accounts.ts';
import {
  byIndex,
  column,
  columns,
  columnsOf,
  type Db,
  type HotTx,
  hotExecute,
  hotRows,
  type RowOf,
} from '../connection.ts';
import { type Emitted, storeMessages } from '../deliveries/pending.ts';
import { isPassing } from '../errors.ts';
import { CURRENT_EPOCH, recordEpoch } from '../feed.ts';
import { type Check, Prisma, type Tracking } from '../generated/client.ts';
import { pageGeneration } from '../pages.ts';
import { INPUT_COLUMNS } from '../trackings/inputs.ts';
import type { LastAnswer } from '../trackings/records.ts';
import { mergeTaken } from '../trackings/register.ts';
import { enabledEndpoints } from '../webhooks.ts';
import { type Cadence, jittered, regularSeconds } from './schedule.ts';

/** An answer that differs from the last one stored. */
export type ChangedAnswer = ParcelKey & {
  answer: CarrierAnswer;
  fingerprint: string;
  finalLook: boolean;
  /** The carrier of the answer. If the tracking has moved to another one, the answer is dropped. */
  carrier?: string;
  /**
   * When it was requested, or received in a callback. If the stored answer was requested later, this one is dropped.
   */
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

/** The result of a batch: the endpoints to wake, and ids of trackings by the outcome of their answers. */
export type SavedBatch = {
  pending: PendingEndpoint[];
  /** They brought news. */
  news: string[];
  /** The accounts with new events. */
  accounts: string[];
  quarantined: string[];
  /** They came in callbacks and must be confirmed by a check. */
  doubtful: string[];
  /** Undecided numbers in their first round: the next candidate, and whether its check is due now. */
  moved: (ParcelKey & { provider: string; isDue: boolean })[];
  /** The requests that registered the parcels whose answers were stored. */
  requestIds: string[];
  /** Numbers that their carrier knew for the first time. */
  firstFinds: { accountId: string; trackingNumber: string; carrier: string }[];
};

/** An answer that cannot be stored, and why. */
export type Unsaved = { trackingId: string; error: unknown };

/** The result of a batch, and the answers that could not be stored. */
export type SavedApart = SavedBatch & { unsaved: Unsaved[] };

/** The columns that a change of a tracking starts from, and those that its pushes need. */
const LOCKED = columns({
  ...columnsOf<Tracking>('t')('id', 'accountId', 'trackingNumber', 'carrier', 'provider'),
  scans: column<Scan[]>('t.events'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  notice: column<Tracking['notice']>('t.notice'),
  annotations: column<Annotations | null>('t.annotations'),
  ...columnsOf<Tracking>('t')('seq', 'createdAt'),
  /** Null once its carrier is known. */
  candidates: column<Undecided | null>('CASE WHEN t.detected THEN t.candidates END'),
  /** When the stored answer was requested, in ISO 8601; null if that is not known. */
  lastRequestedAt: column<string | null>("t.last_answer ->> 'requestedAt'"),
  /** The generation of the link to its page; null without one. */
  pageGeneration: pageGeneration('t'),
  ...columnsOf<Account>('a')('include', 'language'),
  ...INPUT_COLUMNS,
});

export type LockedTracking = Omit<RowOf<typeof LOCKED>, 'annotations'> & Pick<Snapshot, 'annotations'>;

/** The stored result of an answer about an undecided number. */
type CandidateStep =
  | { kind: 'decided'; provider: string }
  | {
      kind: 'ask';
      undecided: Undecided;
      /**
       * In the first round, the next candidate is checked as soon as its floor allows, afterwards at a regular check.
       */
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
  /** The candidate step of a tracking whose carrier was not known. */
  step?: CandidateStep;
};

/**
 * Stores a batch of changed answers. If one cannot be stored, the others are stored one by one. Transient failures (the
 * database is unreachable, a conflict) throw.
 */
export async function saveAnswersApart(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
  pages?: PageAddresses,
): Promise<SavedApart> {
  try {
    return { ...(await saveBatch(db, answers, cadence, now, pages)), unsaved: [] };
  } catch (error) {
    if (isPassing(error)) throw error;
    const [only, ...others] = answers;
    if (only && others.length === 0) return { ...nothing(), unsaved: [{ trackingId: only.trackingId, error }] };
  }
  const pending = new Map<string, PendingEndpoint>();
  const all = { ...nothing(), unsaved: [] as Unsaved[] };
  for (const answer of answers) {
    const saved = await saveAnswersApart(db, [answer], cadence, now, pages);
    for (const endpoint of saved.pending) pending.set(endpoint.webhookId, endpoint);
    all.news.push(...saved.news);
    all.accounts.push(...saved.accounts);
    all.doubtful.push(...saved.doubtful);
    all.quarantined.push(...saved.quarantined);
    all.moved.push(...saved.moved);
    all.requestIds.push(...saved.requestIds);
    all.firstFinds.push(...saved.firstFinds);
    all.unsaved.push(...saved.unsaved);
  }
  return { ...all, pending: [...pending.values()] };
}

function nothing(): SavedBatch {
  const none = { news: [], accounts: [], quarantined: [], doubtful: [], moved: [], requestIds: [], firstFinds: [] };
  return { pending: [], ...none };
}

/**
 * Stores a batch of changed answers in one transaction: the rows are locked, the answers folded in, and the snapshots,
 * the checks, the messages and the pending deliveries are written together. Repeating it changes nothing.
 * @param pages the addresses of parcels' pages, for pushes.
 * @returns the endpoints with new pending deliveries, and the outcome of each answer.
 */
export async function saveBatch(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
  pages?: PageAddresses,
): Promise<SavedBatch> {
  const byId = new Map(answers.map((entry) => [entry.trackingId, entry]));
  const doubtful = new Set<string>();
  const saved = await lockAndStore(db, [...byId.values()], { cadence, now, pages }, async (trackings) =>
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
 * Whether an answer must be dropped: its tracking has moved to another carrier or provider since the question, or a
 * later question was answered first (scans that an old answer lacks would seem withdrawn). Any candidate may answer.
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

/**
 * Stops polling parcels without news for too long, and notifies the subscribers of those that have not arrived
 * (`expire`).
 */
export async function expireTrackings(
  db: Db,
  parcels: readonly ParcelKey[],
  cadence: Cadence,
  now: Date,
  pages?: PageAddresses,
): Promise<PendingEndpoint[]> {
  const { pending } = await lockAndStore(db, parcels, { cadence, now, pages }, async (trackings, tx) => {
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
  { cadence, now, pages }: { cadence: Cadence; now: Date; pages: PageAddresses | undefined },
  decide: (trackings: LockedTracking[], tx: HotTx) => Promise<Outcome[]>,
): Promise<Omit<SavedBatch, 'doubtful'>> {
  return byIndex(db, async (tx) => {
    const decided = await decide(await lockTrackings(tx, parcels), tx);
    // If the account has the number with the carrier that was found, this tracking is merged into that one.
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
        outcomes.flatMap((outcome) => emittedBy(outcome, requests.get(outcome.tracking.id) ?? null, pages)),
        endpoints,
        now,
      ),
      ...savedOf(outcomes, now),
      requestIds: [...new Set(requests.values())],
    };
  });
}

/** `seqFloor`: null until the server's epoch is recorded. */
const LOCKED_IN_EPOCH = columns({ ...LOCKED.columns, seqFloor: column<number | null>('e.seq_floor') });

/**
 * Rows are locked in id order, so that two batches with parcels in common cannot deadlock. The `seq` of each continues
 * above all that an earlier epoch may have sent.
 */
export async function lockTrackings(tx: HotTx, parcels: readonly ParcelKey[]): Promise<LockedTracking[]> {
  const lock = () =>
    hotRows(
      tx,
      LOCKED_IN_EPOCH,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.trackings t
        CROSS JOIN LATERAL (SELECT include, language FROM public.accounts WHERE id = t.account_id OFFSET 0) a ${CURRENT_EPOCH}
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

/**
 * The events that an outcome emits, each with the parcel as it stands then.
 * @param requestId the request that registered it
 */
export function emittedBy(
  { tracking, change, step, traceparent = null }: Pick<Outcome, 'tracking' | 'change' | 'step' | 'traceparent'>,
  requestId: string | null,
  pages: PageAddresses | undefined,
): Emitted[] {
  const { pageGeneration } = tracking;
  const pageUrl = pageGeneration === null ? undefined : pages?.ofBuyer?.(tracking.id, pageGeneration);
  const isKnown = tracking.candidates === null || step?.kind === 'decided';
  const carrierUrl = isKnown ? pages?.ofCarrier(tracking.carrier, tracking.trackingNumber) : undefined;
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
      carrierUrl,
      ...(tracking.provider === TEST_PROVIDER ? { isTest: true } : {}),
    },
  }));
}

/** The results that a batch stores besides its messages. */
function savedOf(outcomes: readonly Outcome[], now: Date): Omit<SavedBatch, 'pending' | 'doubtful' | 'requestIds'> {
  const news = outcomes.filter(({ change }) => change.emits.length > 0);
  return {
    news: trackingIds(news),
    accounts: [...new Set(news.map(({ tracking }) => tracking.accountId))],
    quarantined: trackingIds(outcomes.filter(({ change }) => isUnconfirmed(change))),
    moved: outcomes.flatMap((outcome) => movedOf(outcome, now)),
    firstFinds: outcomes
      .filter(({ tracking, change }) => tracking.scans.length === 0 && change.after.scans.length > 0)
      .map(({ tracking: { accountId, trackingNumber, carrier } }) => ({ accountId, trackingNumber, carrier })),
  };
}

function trackingIds(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ tracking }) => tracking.id);
}

function movedOf({ tracking, step }: Outcome, now: Date): SavedBatch['moved'] {
  if (step?.kind !== 'ask' || !step.isAtOnce) return [];
  const provider = currentOf(step.undecided)?.provider ?? '';
  return [{ trackingId: tracking.id, accountId: tracking.accountId, provider, isDue: step.dueAt <= now }];
}

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
    ...(answer.kind === 'found' && answer.untimed ? { untimed: answer.untimed } : {}),
  };
}

type Entry = {
  answer: CarrierAnswer;
  /** The carrier that was queried; absent: the current one. */
  carrier?: string;
  /** A provider with an outage, whose candidates are skipped. */
  avoids?: string;
};

/**
 * The outcome of a candidate's answer. A find of any candidate decides; any other answer counts only from the current
 * candidate, so that two processes never move on twice.
 * @param outcome what the answer would change if its carrier were the parcel's.
 * @returns null if the answer must be dropped.
 */
function outcomeOfCandidate(outcome: Outcome, entry: Entry, cadence: Cadence, now: Date): Outcome | null {
  const undecided = outcome.tracking.candidates;
  if (undecided === null) return outcome;
  const carrier = entry.carrier ?? currentOf(undecided)?.carrier;
  const at = undecided.candidates.findIndex((candidate) => candidate.carrier === carrier);
  const said = candidateAnswerOf(entry.answer, outcome.change);
  if (at < 0 || (at !== undecided.at && said !== 'found')) return null;
  const step = nextCandidate({ ...undecided, at }, said, { now, isAvailable: availableIn(cadence, entry) });
  switch (step.kind) {
    case 'decided': {
      const tracking = { ...outcome.tracking, carrier: step.carrier };
      return { ...outcome, tracking, step: { kind: 'decided', provider: step.provider } };
    }
    case 'stay':
      return null;
    case 'nobody':
      return { ...outcome, change: unchanged(outcome, entry.answer) };
    case 'ask': {
      const next = currentOf(step.undecided)?.provider ?? '';
      const dueAt = allowedAt(step.undecided, cadence.floors?.[next] ?? cadence.floorSeconds, now);
      const endsFirstRound = undecided.isFirstRound && !step.isAtOnce;
      return {
        ...outcome,
        change: unchanged(outcome, said === 'needs_input' ? entry.answer : null),
        // Until the first round is over, there is no answer to compare with.
        fingerprint: step.isAtOnce ? null : outcome.fingerprint,
        step: { ...step, endsFirstRound, isOutage: said === 'outage', dueAt },
      };
    }
    default:
      return step satisfies never;
  }
}

/**
 * The change by an answer that says nothing about the parcel.
 * @param shown becomes the notice until a carrier is found: it names the field that a candidate needs; null: the notice
 *   stays.
 */
function unchanged({ tracking }: Outcome, shown: CarrierAnswer | null): Change {
  const { scans, status, subStatus, annotations } = tracking;
  const notice = shown?.kind === 'failed' ? shown.message : tracking.notice;
  const after = { scans, status, subStatus, notice, ...(annotations === undefined ? {} : { annotations }) };
  return { after, emits: [] };
}

function availableIn({ floors }: Cadence, { avoids }: Entry): (provider: string) => boolean {
  return (provider) => provider !== avoids && (floors === undefined || Object.hasOwn(floors, provider));
}

/** The accounts of outcomes, one for each (`accountsOf`). */
function accountsIn(outcomes: readonly Pick<Outcome, 'tracking'>[]): string[] {
  return outcomes.map(({ tracking }) => tracking.accountId);
}

/** The statement that stores the snapshots, any number of them. Ids and accounts twice: as in `RECORD_ATTEMPTS`. */
function updateTrackings(outcomes: readonly Outcome[], now: Date): Prisma.Sql {
  const rows = outcomes.map(({ tracking, change: { after, emits }, lastAnswer }) => ({
    id: tracking.id,
    account_id: tracking.accountId,
    status: after.status,
    sub_status: after.subStatus,
    notice: after.notice,
    seq: tracking.seq + emits.length,
    // Null keeps the column: the wide history is written only when it has changed.
    // The internal parts of scans are stored too: later answers are matched against them.
    events: JSON.stringify(tracking.scans) === JSON.stringify(after.scans) ? null : after.scans,
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

function latestEvent(scans: readonly Scan[]) {
  const latest = scans.at(-1);
  return latest === undefined ? null : toTrackingEvent(latest);
}

const REQUEST = columns({
  ...columnsOf<Check>('c')('trackingId', 'requestId'),
});

/**
 * Stores the snapshots after answers, and the checks: their fingerprints, and when they are due if they are.
 * @returns by tracking, the request that registered it, where that is known.
 */
async function storeOutcomes(
  tx: HotTx,
  outcomes: readonly Outcome[],
  cadence: Cadence,
  now: Date,
): Promise<Map<string, string>> {
  const checks = outcomes
    .filter(({ step }) => step?.kind !== 'ask')
    .map((outcome) => ({ outcome, next: nextOf(outcome, now) }));
  const ended = await deleteEnded(tx, checks);
  // One statement for both: a round trip costs more than most of these rows.
  const updated = await hotRows(
    tx,
    REQUEST,
    (list) =>
      Prisma.sql`WITH stored AS (${updateTrackings(outcomes, now)}) ${updateChecks(checks, cadence, now)} RETURNING ${list}`,
  );
  return new Map(
    [...ended, ...updated].flatMap((row) => (row.requestId === null ? [] : [[row.trackingId, row.requestId]])),
  );
}

/** Whether and when a parcel is checked again after an answer. */
type CheckAfter = { outcome: Outcome; next: ReturnType<typeof checkAfter> };

function nextOf({ change, lastAnswer, finalLook }: Outcome, now: Date): CheckAfter['next'] {
  return checkAfter({ subStatus: change.after.subStatus, answered: lastAnswer ?? null, finalLook }, now);
}

/** Deletes the checks of parcels that need no more of them. */
async function deleteEnded(tx: HotTx, checks: readonly CheckAfter[]): Promise<RowOf<typeof REQUEST>[]> {
  const ended = checks.filter(({ next }) => next.watch === 'never').map(({ outcome }) => outcome);
  if (ended.length === 0) return [];
  return hotRows(
    tx,
    REQUEST,
    (list) => Prisma.sql`
      DELETE FROM public.checks c
      WHERE c.tracking_id = ANY(${ended.map(({ tracking }) => tracking.id)}::text[])
        AND c.account_id = ANY(${accountsIn(ended)}::text[])
      RETURNING ${list}`,
  );
}

/** The statement that stores the checks after answers: their fingerprints and when they are due. */
function updateChecks(checks: readonly CheckAfter[], cadence: Cadence, now: Date): Prisma.Sql {
  const rows = checks.flatMap(({ outcome: { tracking, fingerprint, change }, next }) => {
    if (next.watch === 'never') return [];
    return {
      id: tracking.id,
      account_id: tracking.accountId,
      fingerprint,
      // A quarantined answer is queried again and compared with the last answer that was folded in.
      keeps_fingerprint: isUnconfirmed(change),
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
      id text, account_id text, fingerprint text, keeps_fingerprint boolean, final_at timestamptz, expires_at timestamptz)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${rows.map(({ id }) => id)}::text[])
      AND c.account_id = ANY(${accountsIn(checks.map(({ outcome }) => outcome))}::text[])`;
}

/** Stores the next candidates of undecided numbers, and the carriers of decided ones. */
async function storeSteps(tx: HotTx, outcomes: readonly Outcome[], cadence: Cadence, now: Date): Promise<void> {
  const decided = outcomes.flatMap(({ tracking: { id, accountId, carrier }, step }) =>
    step?.kind === 'decided' ? [{ id, account_id: accountId, carrier, provider: step.provider }] : [],
  );
  if (decided.length > 0) await storeDecided(tx, decided);
  const requested = outcomes.flatMap((outcome) => (outcome.step?.kind === 'ask' ? [rowOf(outcome, outcome.step)] : []));
  if (requested.length > 0) await storeAsked(tx, requested, cadence, now);
}

/** The regular update of the check has set the rest. */
async function storeDecided(
  tx: HotTx,
  decided: readonly { id: string; account_id: string; carrier: string; provider: string }[],
): Promise<void> {
  const rows = JSON.stringify(decided);
  const { ids, accounts } = keysIn(decided);
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.trackings t SET carrier = r.carrier, provider = r.provider, candidates = NULL
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, carrier text, provider text)
    WHERE t.id = r.id AND t.account_id = r.account_id AND t.id = ANY(${ids}) AND t.account_id = ANY(${accounts})`,
  );
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.checks c SET carrier = r.carrier, provider = r.provider, undecided = false
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, carrier text, provider text)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${ids}) AND c.account_id = ANY(${accounts})`,
  );
}

/** Ids and accounts of rows (`accountsOf`). */
function keysIn(rows: readonly { id: string; account_id: string }[]) {
  return {
    ids: Prisma.sql`${rows.map(({ id }) => id)}::text[]`,
    accounts: Prisma.sql`${rows.map(({ account_id }) => account_id)}::text[]`,
  };
}

function rowOf({ tracking, fingerprint }: Outcome, step: Extract<CandidateStep, { kind: 'ask' }>) {
  const { undecided } = step;
  return {
    id: tracking.id,
    account_id: tracking.accountId,
    ...currentOf(undecided),
    state: undecided,
    fingerprint,
    at_once: step.isAtOnce,
    ends_round: step.endsFirstRound,
    is_outage: step.isOutage,
    due_at: step.dueAt,
    since: undecided.since,
    questions: undecided.candidates.length,
  };
}

/**
 * After the first round, the number waits as many intervals as the round had queries, then it has one query at each
 * regular check: it never costs more calls than a number whose carrier is known.
 */
async function storeAsked(
  tx: HotTx,
  requested: readonly ReturnType<typeof rowOf>[],
  cadence: Cadence,
  now: Date,
): Promise<void> {
  const rows = JSON.stringify(requested);
  const { ids, accounts } = keysIn(requested);
  const at = now.toISOString();
  const interval = jittered(regularSeconds(cadence), cadence);
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.trackings t SET provider = r.provider, candidates = r.state,
      -- Streams wait for the end of the first round.
      answered_at = CASE WHEN r.at_once THEN NULL ELSE t.answered_at END
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, provider text, state jsonb, at_once boolean)
    WHERE t.id = r.id AND t.account_id = r.account_id AND t.id = ANY(${ids}) AND t.account_id = ANY(${accounts})`,
  );
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.checks c SET carrier = r.carrier, provider = r.provider, undecided = true, fingerprint = r.fingerprint,
      final_look = false, pushed = NULL,
      failure = CASE WHEN r.is_outage AND c.carrier = r.carrier THEN c.failure END,
      failing_since = CASE WHEN r.is_outage AND c.carrier = r.carrier THEN c.failing_since END,
      next_check_at = CASE
        WHEN r.at_once THEN r.due_at
        WHEN r.ends_round THEN GREATEST(r.due_at, ${at}::timestamptz + ${interval}, r.since + ${questionsWorth(cadence)})
        ELSE GREATEST(r.due_at, CASE WHEN c.next_check_at > ${at}::timestamptz AND NOT r.is_outage THEN c.next_check_at
          ELSE ${at}::timestamptz + ${interval} END) END
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(
      id text, account_id text, carrier text, provider text, fingerprint text, at_once boolean, ends_round boolean, is_outage boolean,
      due_at timestamptz, since timestamptz, questions int)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${ids}) AND c.account_id = ANY(${accounts})`,
  );
}

/** The time that the queries of the first round would take at the regular interval. */
function questionsWorth(cadence: Cadence): Prisma.Sql {
  return Prisma.sql`make_interval(secs => r.questions * GREATEST(${cadence.floorSeconds}::float8, ${regularSeconds(cadence)}))`;
}
