import type { Question } from '@pts/carriers/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { boundAnswer } from '@pts/core/tracking/bounds';
import type { ClaimedCheck } from '@pts/core/tracking/check';
import { isWorthAskingSoon, SOON_SECONDS, type Trouble, troubleOf } from '@pts/core/tracking/trouble';
import { claimChecks, giveBackChecks } from '@pts/db/checks/schedule';
import type { QueryJob } from '@pts/queue/catalog';
import type { PollerDeps } from './deps.ts';
import { leaveTrouble } from './next-candidates.ts';
import { subscribeFirst } from './pushes.ts';
import { keepRhythms, noteFailing, storeAnswers } from './store.ts';
import { type Finding, heldBackUntil, noteSuccess, noteTrouble } from './trouble.ts';

/**
 * Queries a provider for a batch of parcels and stores what is new. An answer with the same fingerprint as in
 * the check changes nothing and costs no database access.
 */
export async function query(deps: PollerDeps, job: QueryJob): Promise<void> {
  const checks = await subscribeFirst(deps, 'claimed' in job ? job.claimed : await claim(deps, job.ids));
  if (checks.length === 0) return;
  const heldBack = await heldBackUntil(deps);
  if (heldBack) {
    await giveBackChecks(deps.db, checks.map(idOf), heldBack);
    return leaveTrouble(deps, checks, heldBack);
  }
  const askedAt = deps.now();
  const asked = await ask(deps, checks);
  if (asked === null) return giveBackUnanswered(deps, checks, askedAt);
  const { answers, latencyMs } = asked;
  const trouble = troubleOf(answers);
  if (trouble) return moveAll(deps, checks, trouble, askedAt);
  await noteSuccess(deps, askedAt);
  await storeAnswers(deps, checks, answers, { askedAt, latencyMs });
}

function claim({ db, provider, cadence, now }: PollerDeps, ids: readonly string[]): Promise<ClaimedCheck[]> {
  return claimChecks(db, { provider: provider.name, limit: provider.limits.batchSize, cadence, now: now() }, ids);
}

type Asked = { answers: CarrierAnswer[]; latencyMs: number };

/** @returns null when the process stops before there are answers. */
async function ask(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<Asked | null> {
  const { provider, metrics, logger, stopCalls } = deps;
  const startedAt = performance.now();
  const given = await unlessStopped(stopCalls, () => provider.ask(checks.map(toQuestion), stopCalls));
  if (given === null) return null;
  const answers = given.map(boundAnswer);
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.callSeconds.observe({ provider: provider.name }, seconds);
  const kinds = countKinds(answers);
  for (const [kind, count] of Object.entries(kinds)) metrics.answers.inc({ provider: provider.name, kind }, count);
  logger.debug(
    { provider: provider.name, numbers: checks.length, durationMs: Math.round(seconds * 1000), ...kinds },
    'asked',
  );
  return { answers, latencyMs: seconds * 1000 };
}

/** The result of `call`; null as soon as `signal` is aborted, even if the call ignores it. */
export async function unlessStopped<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T | null> {
  if (signal.aborted) return null;
  let stop = () => {};
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
  // Before the call's own listener: the result of an aborted call is not an answer of the provider.
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, call()]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The process stops: the provider may have been queried, so the checks are due again at its floor; no failure counts. */
async function giveBackUnanswered(deps: PollerDeps, checks: readonly ClaimedCheck[], askedAt: Date): Promise<void> {
  const { db, provider, cadence, logger } = deps;
  logger.info({ provider: provider.name, numbers: checks.length }, 'calls ended unanswered: the process stops');
  await giveBackChecks(db, checks.map(idOf), new Date(askedAt.getTime() + cadence.floorSeconds * 1000));
}

/**
 * Handles a call that failed as a whole, which is no failure of its parcels. Checks of a paused provider wait; otherwise
 * they are retried soon, but not forever, and not if only these parcels fail. The provider's floor applies.
 */
async function moveAll(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  trouble: Trouble,
  askedAt: Date,
): Promise<void> {
  const found = await noteTrouble(deps, trouble, { askedAt, trackingIds: checks.map(idOf) });
  await giveBackFailed(deps, checks, trouble, found);
  await leaveTrouble(deps, checks, found.pausedUntil);
}

async function giveBackFailed(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  trouble: Trouble,
  found: Finding,
): Promise<void> {
  const now = deps.now();
  const { floorSeconds, monitoredSeconds } = deps.cadence;
  const allowed = (at: Date) => new Date(Math.max(at.getTime(), now.getTime() + floorSeconds * 1000));
  if (found.pausedUntil) return giveBackChecks(deps.db, checks.map(idOf), allowed(found.pausedUntil));
  const isSoon = ({ failing }: ClaimedCheck) => !found.isAlone && isWorthAskingSoon(failing?.sinceMs ?? null, now);
  const soon = new Date(now.getTime() + Math.min(SOON_SECONDS, monitoredSeconds) * 1000);
  const again = checks.filter(isSoon);
  if (again.length > 0) await giveBackChecks(deps.db, again.map(idOf), allowed(soon));
  await keepRhythms(
    deps,
    checks.filter((check) => !isSoon(check)),
  );
  await noteFailing(
    deps,
    checks.map((check) => ({ check, failure: trouble.failure })),
  );
}

function toQuestion(check: ClaimedCheck): Question {
  return { number: check.trackingNumber, carrier: check.carrier, ...check.carrierInputs };
}

function idOf(check: ClaimedCheck): string {
  return check.trackingId;
}

function countKinds(answers: readonly CarrierAnswer[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer.kind === 'failed' ? answer.failure : answer.kind;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
