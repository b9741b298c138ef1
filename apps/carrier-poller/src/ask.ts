import type { Question } from '@pts/carriers/provider';
import { MAX_NAMED, requestsOf } from '@pts/core/process/origin';
import { boundAnswer, type CarrierAnswer, FAILURES } from '@pts/core/tracking/answer';
import { isWorthAskingSoon, type Outage, outageOf, SOON_SECONDS } from '@pts/core/tracking/outage';
import { type ClaimedCheck, idsOf } from '@pts/core/tracking/schedule';
import { claimChecks, giveBackChecks } from '@pts/db/checks/schedule';
import type { ParcelsJob } from '@pts/queue/catalog';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import { type SpanStart, traced } from '@pts/runtime/tracing/tracing';
import { keepIntervals, noteFailing, storeAnswers, tryOtherCandidates } from './answers.ts';
import { subscribeFirst } from './callbacks.ts';
import type { PollerDeps, Query } from './deps.ts';
import { noteOutage, noteSuccess, type OutageEffect, waitForPermit } from './outages.ts';
import { isSlow } from './pace.ts';

/** The most calls of one job when some of its numbers cause whole calls to be refused. */
const MAX_CALLS = 16;

/**
 * Queries a provider for a batch of parcels and stores what is new. An answer with the same fingerprint as in the
 * check changes nothing and costs no database access. A call that is refused because of one of its numbers is divided,
 * so that only that number fails; each part takes a permit of its own.
 */
export async function query(deps: PollerDeps, wanted: Query): Promise<void> {
  const claimed = 'claimed' in wanted ? wanted.claimed : await claim(deps, wanted);
  const checks = await subscribeFirst(deps, claimed);
  // Parcels of calls that were refused because of one number are queried apart from the others.
  const { suspects } = deps.memory;
  const { name } = deps.provider;
  const parts = suspects.groups(name, checks);
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const part = parts.shift();
    if (part === undefined) return;
    const isRefused = await traced('check parcels', spanOf(name, part), () => queryPart(deps, part)).catch((error) =>
      giveBackAfter(error, deps, [part, ...parts].flat()),
    );
    if (isRefused) parts.unshift(...suspects.split(name, part));
  }
  // The remaining checks become due again. Their parts stay as small as they are now.
  await giveBackChecks(deps.db, name, parts.flat(), deps.now());
}

/**
 * After an internal error, checks become due again soon; if the database is away, when their claim ends.
 * @throws the error
 */
async function giveBackAfter(
  error: unknown,
  { db, provider, cadence, now }: PollerDeps,
  checks: readonly ClaimedCheck[],
): Promise<never> {
  const seconds = Math.max(SOON_SECONDS, cadence.floorSeconds);
  await giveBackChecks(db, provider.name, checks, new Date(now().getTime() + seconds * 1000)).catch(() => {});
  throw error;
}

/**
 * The first check of a parcel is a part of its registration's trace; any other call only follows from the traces of its
 * parcels.
 */
function spanOf(provider: string, checks: readonly ClaimedCheck[]): SpanStart {
  const links = checks.flatMap(({ traceparent }) => traceparent ?? []);
  const [check, another] = checks;
  const isFirst = another === undefined && check?.fingerprint === null;
  const attributes = { 'pts.provider': provider, 'pts.parcels': checks.length };
  return isFirst ? { parent: check.traceparent, attributes } : { links, attributes };
}

/** @returns whether the whole call was refused because of one of its numbers: then nothing has been stored. */
async function queryPart(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<boolean> {
  const notBefore = await waitForPermit(deps);
  if (notBefore) {
    await giveBackChecks(deps.db, deps.provider.name, checks, notBefore);
    await tryOtherCandidates(deps, checks, notBefore);
    return false;
  }
  const requestedAt = deps.now();
  observeLag(deps, checks, requestedAt);
  const requested = await ask(deps, checks);
  if (requested === null) {
    await giveBackUnanswered(deps, checks, requestedAt);
    return false;
  }
  const { answers, latencyMs } = requested;
  // The provider does not say which of the numbers it refuses.
  if (checks.length > 1 && answers.every((answer) => answer.kind === 'failed' && answer.isOfOne)) return true;
  const outage = outageOf(answers);
  if (outage) {
    await handleOutage(deps, checks, outage, requestedAt);
    return false;
  }
  deps.memory.suspects.clear(
    deps.provider.name,
    checks.length > 1 ? checks : checks.filter((_, i) => !mayRefuse(answers[i])),
  );
  await noteSuccess(deps, requestedAt);
  await storeAnswers(deps, checks, answers, { requestedAt, latencyMs });
  return false;
}

/**
 * A number that is refused in a call of its own, or not known, would have the next call refused: it keeps getting calls
 * of its own.
 */
function mayRefuse(answer: CarrierAnswer | undefined): boolean {
  return answer?.kind === 'not_found' || (answer?.kind === 'failed' && FAILURES[answer.failure] !== 'provider');
}

/** Claims those of the parcels' checks that are still due. */
async function claim(deps: PollerDeps, parcels: ParcelsJob): Promise<ClaimedCheck[]> {
  const { db, provider, cadence, memory, now } = deps;
  const limit = provider.limits.batchSize;
  const since = memory.dueSince.get(provider.name);
  const wanted = { provider: provider.name, limit, cadence, now: now(), byTurns: isSlow(provider), since };
  return claimChecks(db, wanted, parcels);
}

function observeLag({ provider, metrics }: PollerDeps, checks: readonly ClaimedCheck[], requestedAt: Date): void {
  for (const { dueAtMs } of checks) {
    // Clocks of two pollers may differ a little.
    const seconds = dueAtMs === undefined ? null : Math.max(0, (requestedAt.getTime() - dueAtMs) / 1000);
    if (seconds !== null) metrics.lagSeconds.observe({ provider: provider.name }, seconds);
  }
}

type CallResult = { answers: CarrierAnswer[]; latencyMs: number };

/** @returns null when the process stops before there are answers. */
async function ask(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<CallResult | null> {
  const { provider, metrics, logger, pace, stopCalls } = deps;
  const startedAt = performance.now();
  const answered = await pace.calls.count(() =>
    traced('ask provider', { kind: 'client', attributes: { 'pts.provider': provider.name, ...provider.server } }, () =>
      unlessStopped(stopCalls, () => provider.ask(checks.map(toQuestion), stopCalls)),
    ),
  );
  if (answered === null) return null;
  const answers = answered.map(boundAnswer);
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.callSeconds.observe({ provider: provider.name }, seconds);
  const kinds = countKinds(answers);
  for (const [kind, count] of Object.entries(kinds)) metrics.answers.inc({ provider: provider.name, kind }, count);
  logger.debug(
    { provider: provider.name, ...namesOf(checks), durationMs: Math.round(seconds * 1000), ...kinds },
    'queried',
  );
  return { answers, latencyMs: seconds * 1000 };
}

/**
 * The process stops: the provider may have been queried, so the checks become due again after its floor; no failure
 * counts.
 */
async function giveBackUnanswered(deps: PollerDeps, checks: readonly ClaimedCheck[], requestedAt: Date): Promise<void> {
  const { db, provider, cadence, logger } = deps;
  logger.info({ provider: provider.name, ...namesOf(checks) }, 'calls were aborted because the process is stopping');
  await giveBackChecks(db, provider.name, checks, new Date(requestedAt.getTime() + cadence.floorSeconds * 1000));
}

/**
 * Handles a call that failed as a whole, which is not a failure of its parcels. Checks of a paused provider wait;
 * otherwise they are retried soon, but not forever, and not if only these parcels fail. The provider's floor applies.
 */
async function handleOutage(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  outage: Outage,
  requestedAt: Date,
): Promise<void> {
  const effect = await noteOutage(deps, outage, { requestedAt, trackingIds: idsOf(checks) });
  await giveBackFailed(deps, checks, outage, effect);
  await tryOtherCandidates(deps, checks, effect.pausedUntil);
}

async function giveBackFailed(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  outage: Outage,
  effect: OutageEffect,
): Promise<void> {
  const { db, provider } = deps;
  const now = deps.now();
  const { floorSeconds, monitoredSeconds } = deps.cadence;
  const allowed = (at: Date) => new Date(Math.max(at.getTime(), now.getTime() + floorSeconds * 1000));
  if (effect.pausedUntil) return giveBackChecks(db, provider.name, checks, allowed(effect.pausedUntil));
  const isSoon = ({ failing }: ClaimedCheck) => !effect.isAlone && isWorthAskingSoon(failing?.sinceMs ?? null, now);
  const soon = new Date(now.getTime() + Math.min(SOON_SECONDS, monitoredSeconds) * 1000);
  const again = checks.filter(isSoon);
  if (again.length > 0) await giveBackChecks(db, provider.name, again, allowed(soon));
  await keepIntervals(
    deps,
    checks.filter((check) => !isSoon(check)),
  );
  await noteFailing(
    deps,
    checks.map((check) => ({ check, failure: outage.failure })),
  );
}

function toQuestion(check: ClaimedCheck): Question {
  return { number: check.trackingNumber, carrier: check.carrier, ...check.hints };
}

/** How many parcels a line of the log is about, and some of them. */
function namesOf(checks: readonly ClaimedCheck[]) {
  const trackingIds = idsOf(checks.slice(0, MAX_NAMED));
  return { numbers: checks.length, trackingIds, requestIds: requestsOf(checks) };
}

function countKinds(answers: readonly CarrierAnswer[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer.kind === 'failed' ? answer.failure : answer.kind;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
