import { setTimeout as delay } from 'node:timers/promises';
import { chunks } from '@pts/core/chunks';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { analyzeGrown } from '@pts/db/analyze';
import { expireTrackings } from '@pts/db/checks/answers';
import { takeDue } from '@pts/db/checks/claim';
import { findExpired, giveBackChecks, moveToMonitored } from '@pts/db/checks/schedule';
import { learnLanes } from '@pts/db/estimates/lanes';
import { listPauses, type ProviderPause, takeProbe } from '@pts/db/providers/pauses';
import { POSTGRES_SCHEMA } from '@pts/queue/postgres/schema';
import { samplesOf } from '@pts/service/estimates/route';
import { tryOthersWhilePaused } from '../check/next-candidates.ts';
import type { AskLoop } from '../check/query.ts';
import type { PollerDeps } from '../deps.ts';
import { learnOutage } from '../provider/outages.ts';
import { isSlow, MAX_WAIT_SECONDS } from '../provider/pace.ts';
import type { Swept } from './sweep-rounds.ts';

/** Checks claimed in one statement, at most. */
const CLAIM_SIZE = 1000;
/** No more calls are claimed than the provider allows in this time: claimed checks should run soon. */
const AHEAD_SECONDS = MAX_WAIT_SECONDS / 2;
/** How long one round waits for a place. */
const ROOM_MS = 10_000;
/** The least time between two portions of calls. */
const MIN_STEP_MS = 25;
const EXPIRE_SIZE = 200;

/**
 * Claims the due checks of one provider, as many as it can be called for soon, and starts the calls. This, not the queue, guarantees
 * that a parcel is checked. A provider gets one call as a probe after a pause. Calls for wake-ups go first: somebody waits for them.
 * @param spreadMs the time over which the calls start, unless more checks are due than are claimed at once.
 */
export async function sweepDue(deps: PollerDeps, loop: AskLoop, spreadMs = 0): Promise<Swept> {
  if (!(await loop.whenRoom(ROOM_MS))) return { more: !loop.isClosed() };
  const { db, provider, cadence, metrics } = deps;
  const now = deps.now();
  const pause = learnOutage(deps, await listPauses(db));
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  showPause(deps, isPaused ? pause : undefined);
  if (isPaused && pause?.pausedUntil) {
    await tryOthersWhilePaused(deps, pause.pausedUntil);
    return { more: false };
  }
  if (deps.pace.isFar()) return { more: false };
  const isProbe = pause?.pausedUntil != null;
  if (isProbe && !(await takeProbe(db, provider.name, now))) return { more: false };
  const { batchSize, callsPerSecond } = provider.limits;
  const callsAhead = Math.max(1, Math.floor(callsPerSecond * AHEAD_SECONDS));
  const calls = isProbe ? 1 : Math.min(loop.room(), callsAhead);
  const limit = Math.min(CLAIM_SIZE, calls * batchSize);
  const wanted = { provider: provider.name, limit, cadence, now, isProbe, byTurns: isSlow(provider) };
  const taken = await takeDue(db, wanted);
  const batches = chunks(firstAnswersFirst(taken.checks), batchSize);
  await start(deps, loop, batches, taken.more ? 0 : spreadMs);
  await taken.settle();
  metrics.swept.inc({ provider: provider.name }, taken.checks.length);
  return { more: taken.more && !isProbe, calls: batches.length };
}

/** Starts calls evenly over a time: if their answers arrived at once, the news of one parcel would wait for that of many. */
async function start(deps: PollerDeps, loop: AskLoop, batches: ClaimedCheck[][], overMs: number): Promise<void> {
  const steps = Math.max(1, Math.floor(overMs / MIN_STEP_MS));
  const portions = chunks(batches, Math.ceil(batches.length / steps));
  for (const [n, portion] of portions.entries()) {
    if (n > 0) await delay(overMs / portions.length);
    for (const claimed of portion)
      if (!loop.start({ claimed }, 'late')) await giveBackChecks(deps.db, deps.provider.name, claimed, deps.now());
  }
}

/** What operators see of a pause: the metric, and the detail of `/readyz`. */
function showPause({ provider: { name }, metrics, memory }: PollerDeps, pause: ProviderPause | undefined): void {
  metrics.paused.set({ provider: name }, pause ? 1 : 0);
  if (pause) memory.pauses.set(name, `paused until ${pause.pausedUntil?.toISOString()}: ${pause.reason}`);
  else memory.pauses.delete(name);
}

/** Those that were never answered come first, so that they are in calls that do not wait behind others. */
function firstAnswersFirst(checks: readonly ClaimedCheck[]): ClaimedCheck[] {
  const [first, others] = [checks.filter(isUnanswered), checks.filter((check) => !isUnanswered(check))];
  return [...first, ...others];
}

function isUnanswered({ fingerprint }: ClaimedCheck): boolean {
  return fingerprint === null;
}

/** Stops polling parcels without news for 30 days. */
export async function sweepExpired({
  db,
  producer,
  cadence,
  pageOf,
  logger,
  now,
}: PollerDeps): Promise<{ more: boolean }> {
  const expired = await findExpired(db, EXPIRE_SIZE, now());
  if (expired.length === 0) return { more: false };
  const pending = await expireTrackings(db, expired, cadence, now(), pageOf);
  await producer.deliver(pending);
  logger.info({ expired: expired.length, pending: pending.length }, 'parcels expired');
  return { more: expired.length === EXPIRE_SIZE };
}

/** Moves the checks of accounts that have enabled a webhook, page by page, into the monitored interval. */
export async function sweepMonitored({ db, providers, cadence, now }: PollerDeps): Promise<{ more: boolean }> {
  const floors = Object.fromEntries(providers.map(({ name, limits }) => [name, limits.floorSeconds]));
  return { more: await moveToMonitored(db, { monitoredSeconds: cadence.monitoredSeconds, floors, now: now() }) };
}

/** Learns the transit times of lanes from delivered parcels. */
export async function sweepDelivered({ db, logger, now }: PollerDeps): Promise<{ more: boolean }> {
  const { parcels, more } = await learnLanes(db, samplesOf, now());
  if (parcels > 0) logger.debug({ parcels }, 'learned transit times');
  return { more };
}

/** The tables of the service and of its queue; the latter are in Redis on that store. */
const SCHEMAS = ['public', POSTGRES_SCHEMA];

/** Keeps the plans of statements right while tables grow faster than autovacuum looks at them, as in a first import. */
export async function sweepGrown({ db, logger }: Pick<PollerDeps, 'db' | 'logger'>): Promise<{ more: false }> {
  const tables = await analyzeGrown(db, SCHEMAS);
  if (tables.length > 0) logger.debug({ tables }, 'analyzed tables that have grown');
  return { more: false };
}
