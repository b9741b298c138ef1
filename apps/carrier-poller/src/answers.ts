import { isSureByForm } from '@pts/carriers/detection/choose-carrier';
import { lengthOf, prefixOf } from '@pts/carriers/detection/evidence';
import { MAX_NAMED } from '@pts/core/process/origin';
import { type CarrierAnswer, type Failure, fingerprintOf } from '@pts/core/tracking/answer';
import { isWorthAskingSoon, SOON_SECONDS } from '@pts/core/tracking/outage';
import { cleanText } from '@pts/core/tracking/outside-text';
import { type ClaimedCheck, idsOf } from '@pts/core/tracking/schedule';
import { createBatcher } from '@pts/db/batcher';
import {
  type ChangedAnswer,
  type SavedApart,
  type SavedBatch,
  saveAnswersApart,
  type Unsaved,
} from '@pts/db/checks/answers';
import { clearFailing, endChecks, findWaitingUndecided, keepInterval, markFailing } from '@pts/db/checks/schedule';
import { recordFinds } from '@pts/db/learned-prefixes';
import { currentTraceparent, traced } from '@pts/runtime/tracing/tracing';
import { isLive } from '@pts/service/accounts';
import { wakePollers } from '@pts/service/trackings/register';
import { noteMissed, registerAgain, subscribeFound } from './callbacks.ts';
import type { PollerDeps } from './deps.ts';

/** An answer that could not be stored counts as a failure of the check, like a carrier's failure. */
type FailedCheck = { check: ClaimedCheck; failure: Failure | 'unsaved' };

/** When a carrier was queried, and how long its answer took. */
type Call = { requestedAt: Date; latencyMs: number };
/** `fingerprint` null: a failure that says nothing about the parcel, and is not stored. */
type Answered = { check: ClaimedCheck; answer: CarrierAnswer; fingerprint: string | null };

/**
 * Stores what is new in a call's answers. Unchanged answers to checks that did not fail before cost no database access.
 */
export async function storeAnswers(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  answers: readonly CarrierAnswer[],
  call: Call,
): Promise<void> {
  const now = deps.now();
  const answered = checks.flatMap((check, index) => {
    const answer = answers[index];
    return answer ? [{ check, answer, fingerprint: fingerprintOf(answer, now) }] : [];
  });
  const { unsaved, news } = await saveChanged(deps, answered, call);
  await endFinalLooks(deps, answered);
  await noteFailures(deps, answered, unsaved);
  await noteAnswered(deps, answered);
  await followSubscriptions(deps, answered, { unsaved, news });
}

/** @returns the parcels whose answers could not be stored, and those whose answers brought news. */
async function saveChanged(
  deps: PollerDeps,
  answered: readonly Answered[],
  call: Call,
): Promise<{ unsaved: ReadonlySet<string>; news: ReadonlySet<string> }> {
  const changed: ChangedAnswer[] = answered.flatMap(({ check, answer, fingerprint }) =>
    fingerprint === null || (fingerprint === check.fingerprint && !check.isUndecided)
      ? []
      : [{ ...check, answer, fingerprint, ...call, provider: deps.provider.name }],
  );
  if (changed.length === 0) return { unsaved: new Set(), news: new Set() };
  const saved = await traced('save answers', {}, () => deps.save(changed.map(followingFromHere)));
  const own = new Set(idsOf(changed));
  const unsaved = saved.unsaved.filter(({ trackingId }) => own.has(trackingId));
  const unsavedIds = new Set(idsOf(unsaved));
  const unanswered = new Set([...unsavedIds, ...idsOf(saved.moved)]);
  const firsts = answered.filter(({ check, fingerprint }) => check.fingerprint === null && fingerprint !== null);
  const stored = firsts.map(({ check }) => check.trackingId).filter((id) => !unanswered.has(id));
  // A stream may be waiting for the first answer.
  await deps.signals.publish('answered', stored);
  reportUnsaved(deps, answered, unsaved);
  reportQuarantined(
    deps,
    saved.quarantined.filter((id) => own.has(id)),
  );
  return { unsaved: unsavedIds, news: new Set(saved.news) };
}

/** Has the pushes of a traced parcel follow from the current span. */
function followingFromHere(answer: ChangedAnswer): ChangedAnswer {
  return answer.traceparent ? { ...answer, traceparent: currentTraceparent() } : answer;
}

/** Logged when a parcel starts to fail this way, not at each check; the metric counts them all. */
function reportUnsaved(
  { provider, metrics, logger }: PollerDeps,
  answered: readonly Answered[],
  unsaved: readonly Unsaved[],
): void {
  if (unsaved.length > 0) metrics.unsaved.inc({ provider: provider.name }, unsaved.length);
  const known = new Set(
    answered.filter(({ check }) => check.failing?.failure === 'unsaved').map(({ check }) => check.trackingId),
  );
  for (const { trackingId, error } of unsaved.filter((each) => !known.has(each.trackingId))) {
    const reason = cleanText(error instanceof Error ? error.message : String(error));
    logger.error({ provider: provider.name, trackingId, reason }, 'an answer could not be stored');
  }
}

/**
 * Logs answers that may be about another parcel: they are queried again, and operators should look if there are many.
 */
function reportQuarantined({ provider, metrics, logger }: PollerDeps, trackingIds: readonly string[]): void {
  if (trackingIds.length === 0) return;
  metrics.quarantined.inc({ provider: provider.name }, trackingIds.length);
  logger.warn(
    { provider: provider.name, trackingIds: trackingIds.slice(0, MAX_NAMED), count: trackingIds.length },
    'answers may be about other parcels and were not folded in',
  );
}

/** Polling stops for an arrived parcel whose final check brought nothing new. */
async function endFinalLooks({ db }: PollerDeps, answered: readonly Answered[]): Promise<void> {
  const ended = answered.filter(({ check, fingerprint }) => check.finalLook && fingerprint === check.fingerprint);
  if (ended.length > 0)
    await endChecks(
      db,
      ended.map(({ check }) => check),
    );
}

/**
 * Checks that have failed keep their intervals, for a reason that is noted; an undecided number goes on to its next
 * candidate.
 */
async function noteFailures(
  deps: PollerDeps,
  answered: readonly Answered[],
  unsaved: ReadonlySet<string>,
): Promise<void> {
  const failures = answered.flatMap(({ check, answer, fingerprint }): FailedCheck[] => {
    if (unsaved.has(check.trackingId)) return [{ check, failure: 'unsaved' }];
    return answer.kind === 'failed' && fingerprint === null ? [{ check, failure: answer.failure }] : [];
  });
  await keepIntervals(
    deps,
    failures.map(({ check }) => check),
  );
  await noteFailing(deps, failures);
  await tryOtherCandidates(
    deps,
    failures.flatMap(({ check, failure }) => (failure === 'unsaved' ? [] : check)),
  );
}

/**
 * Where the provider sends callbacks: subscribes to numbers that it knows, again to those that it dropped, and notes
 * missed callbacks.
 */
async function followSubscriptions(
  deps: PollerDeps,
  answered: readonly Answered[],
  { unsaved, news }: { unsaved: ReadonlySet<string>; news: ReadonlySet<string> },
): Promise<void> {
  const checksOf = (wanted: (answered: Answered) => boolean) => answered.filter(wanted).map(({ check }) => check);
  const found = checksOf(({ check, answer }) => answer.kind === 'found' && !unsaved.has(check.trackingId));
  await subscribeFound(deps, found);
  await registerAgain(
    deps,
    checksOf(({ answer }) => answer.kind === 'not_found' && answer.isUnregistered === true),
  );
  await noteMissed(
    deps,
    found.filter(({ trackingId }) => news.has(trackingId)),
  );
}

/**
 * A first check without an answer would wait for its lease to end; it gets the regular interval instead, like later
 * ones.
 */
export async function keepIntervals(
  { db, provider, cadence, now }: PollerDeps,
  unanswered: readonly ClaimedCheck[],
): Promise<void> {
  const first = unanswered.filter(({ fingerprint }) => fingerprint === null);
  if (first.length === 0) return;
  await keepInterval(db, provider.name, first, { cadence, now: now() });
}

/** Records why checks failed, for their merchants; an unchanged reason costs no write. */
export async function noteFailing({ db, provider, now }: PollerDeps, failures: readonly FailedCheck[]): Promise<void> {
  const news = failures.filter(({ check, failure }) => check.failing?.failure !== failure);
  if (news.length === 0) return;
  await markFailing(
    db,
    provider.name,
    news.map(({ check: { trackingId, accountId }, failure }) => ({ trackingId, accountId, failure })),
    now(),
  );
}

/** A changed answer clears the failure when it is stored; an unchanged one needs this. */
async function noteAnswered({ db }: PollerDeps, answered: readonly Answered[]): Promise<void> {
  const recovered = answered.filter(
    ({ check, fingerprint }) => check.failing && fingerprint !== null && fingerprint === check.fingerprint,
  );
  if (recovered.length === 0) return;
  await clearFailing(
    db,
    recovered.map(({ check }) => check),
  );
}

/** While two transactions run, the answers of up to 16 calls wait for the next one. */
const BATCH = { max: 16, concurrency: 2 };

/**
 * Saves changed answers of one provider, and wakes the endpoints and the checks that follow from them. Most of the cost
 * of a transaction does not depend on the number of answers, and few calls have more than one: those that finish at
 * about the same time share one. Of two answers about a tracking, the one that was requested later counts.
 * @returns for each call, the outcome of the transaction that it shared.
 */
export function createSave(deps: Omit<PollerDeps, 'save'>): (answers: readonly ChangedAnswer[]) => Promise<SavedApart> {
  const { db, estimator, cadence, producer, signals, provider, logger, pages, now } = deps;
  return createBatcher(BATCH, async (calls: (readonly ChangedAnswer[])[]) => {
    const changed = latest(calls.flat());
    const at = now();
    const saved = await saveAnswersApart(db, await estimator.prepare(changed, at), cadence, at, pages);
    await Promise.all([producer.deliver(saved.pending), signals.publish('events', saved.accounts)]);
    await followUp(deps, saved);
    logger.info(
      {
        provider: provider.name,
        changed: changed.length,
        endpoints: saved.pending.length,
        trackingIds: idsOf(changed.slice(0, MAX_NAMED)),
        requestIds: saved.requestIds.slice(0, MAX_NAMED),
      },
      'parcels changed',
    );
    return calls.map(() => saved);
  });
}

function latest(answers: readonly ChangedAnswer[]): ChangedAnswer[] {
  const byId = new Map<string, ChangedAnswer>();
  for (const answer of answers) {
    const other = byId.get(answer.trackingId);
    if (other?.requestedAt === undefined || answer.requestedAt === undefined || other.requestedAt <= answer.requestedAt)
      byId.set(answer.trackingId, answer);
  }
  return [...byId.values()];
}

/** A longer pause is not waited out if another provider can be queried. */
const LONG_PAUSE_SECONDS = 4 * SOON_SECONDS;
/** Numbers that one sweep moves away from a paused provider. */
const MAX_LEAVING = 200;

/**
 * Checks the next candidates of undecided numbers at once, and learns from carriers that knew numbers for the first
 * time.
 */
async function followUp(
  deps: Pick<PollerDeps, 'db' | 'producer' | 'providers' | 'provider' | 'logger' | 'now'>,
  { moved, firstFinds }: Pick<SavedBatch, 'moved' | 'firstFinds'>,
): Promise<void> {
  const due = moved.filter(({ isDue }) => isDue).map(({ trackingId: id, ...rest }) => ({ id, ...rest }));
  const wake = (accountId: string) => {
    const own = due.filter((each) => each.accountId === accountId);
    return wakePollers(deps, accountId, own);
  };
  await Promise.all([...new Set(due.map(({ accountId }) => accountId))].map(wake));
  if (isLive(deps.provider)) await learn(deps, firstFinds);
}

/** Statistics only: a fault here fails nothing. Numbers whose form decides teach nothing. */
async function learn(
  { db, logger, now }: Pick<PollerDeps, 'db' | 'logger' | 'now'>,
  firstFinds: SavedBatch['firstFinds'],
): Promise<void> {
  const finds = firstFinds
    .filter(({ trackingNumber }) => !isSureByForm(trackingNumber))
    .flatMap(({ accountId, trackingNumber, carrier }) => [
      { prefix: prefixOf(trackingNumber), carrier },
      { accountId, prefix: lengthOf(trackingNumber), carrier },
    ]);
  if (finds.length === 0) return;
  try {
    await recordFinds(db, finds, now());
  } catch (err) {
    logger.warn({ err, finds: finds.length }, 'learned carriers could not be stored');
  }
}

/**
 * Moves undecided numbers on to another candidate when theirs has failed for too long, or its provider is paused for
 * long. Their checks have been released before: those without another candidate do not change.
 */
export async function tryOtherCandidates(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  pausedUntil: Date | null = null,
): Promise<void> {
  const now = deps.now();
  const isLong = isLongPause(pausedUntil, now);
  const leaving = checks.filter(
    ({ isUndecided, failing }) => isUndecided && (isLong || !isWorthAskingSoon(failing?.sinceMs ?? null, now)),
  );
  if (leaving.length === 0) return;
  const { name } = deps.provider;
  const avoided = pausedUntil === null ? {} : { avoids: name };
  const answers = leaving.map((check) => ({ ...outageOf(check, name), ...avoided }));
  await followUp(deps, await saveAnswersApart(deps.db, answers, deps.cadence, now));
}

/** A failure that has an undecided number go on to its next candidate without an answer. */
function outageOf(check: ClaimedCheck, provider: string): ChangedAnswer {
  const answer = { kind: 'failed', failure: 'transient', message: '' } as const;
  return { ...check, answer, fingerprint: check.fingerprint ?? 'outage', provider };
}

function isLongPause(pausedUntil: Date | null, now: Date): boolean {
  return pausedUntil !== null && pausedUntil.getTime() - now.getTime() > LONG_PAUSE_SECONDS * 1000;
}

/** Moves undecided numbers that wait for a paused provider on to candidates of other providers. */
export async function tryOthersWhilePaused(deps: PollerDeps, pausedUntil: Date): Promise<void> {
  const { db, provider, cadence } = deps;
  const now = deps.now();
  const others = Object.keys(cadence.floors ?? {}).filter((name) => name !== provider.name);
  if (others.length === 0 || !isLongPause(pausedUntil, now)) return;
  const waiting = await findWaitingUndecided(db, { provider: provider.name, others, limit: MAX_LEAVING, now });
  await tryOtherCandidates(deps, waiting, pausedUntil);
}

/**
 * Moves undecided numbers that have been due since `dueBy` at a provider that was removed from the configuration to
 * candidates of the others.
 * @returns whether there may be more.
 */
export async function leaveProvider(deps: PollerDeps, provider: string, dueBy: Date): Promise<boolean> {
  const { db, cadence, now } = deps;
  const others = Object.keys(cadence.floors ?? {});
  const waiting = await findWaitingUndecided(db, { provider, others, limit: MAX_LEAVING, now: dueBy });
  if (waiting.length === 0) return false;
  const answers = waiting.map((check) => outageOf(check, provider));
  const saved = await saveAnswersApart(db, answers, cadence, now());
  await followUp(deps, saved);
  return waiting.length === MAX_LEAVING && saved.unsaved.length === 0;
}
