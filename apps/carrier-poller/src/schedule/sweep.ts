import { setTimeout as delay } from 'node:timers/promises';
import { chunks } from '@pts/core/chunks';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { analyzeGrown } from '@pts/db/analyze';
import { expireTrackings } from '@pts/db/checks/answers';
import { findExpired, giveBackChecks, moveToMonitored, type Taken, takeDue } from '@pts/db/checks/schedule';
import { learnLanes } from '@pts/db/lanes';
import { listPauses, type ProviderPause, takeProbe } from '@pts/db/providers';
import { type QueryJob, queryQueue } from '@pts/queue/catalog';
import type { Executor } from '@pts/queue/executor';
import { POSTGRES_SCHEMA } from '@pts/queue/postgres/schema';
import { samplesOf } from '@pts/service/estimates';
import { tryOthersWhilePaused } from '../check/next-candidates.ts';
import { query } from '../check/query.ts';
import type { PollerDeps } from '../deps.ts';
import { learnOutage } from '../provider/outages.ts';
import { isSlow, MAX_WAIT_SECONDS } from '../provider/pace.ts';
import type { Swept } from './sweep-rounds.ts';

export type SweepDeps = PollerDeps & {
  /** The places for queries of this provider: those of jobs, and those of the sweep while the queue is unavailable. */
  executor: Executor;
};

/** Checks claimed in one statement, at most. */
const CLAIM_SIZE = 1000;
/** The sweep adds no jobs while this many of its own wait: due work can wait in Postgres, and Redis stays small. */
const MAX_WAITING = 200;
/** Fewer, where the provider allows fewer calls in this time: claimed checks should run soon. */
const AHEAD_SECONDS = MAX_WAIT_SECONDS / 2;
/** The least time between two portions of jobs. */
const MIN_STEP_MS = 25;
/** Checks whose jobs could not be enqueued become due again after this. */
const LOST_AGAIN_SECONDS = 10;
/** After that, the sweep does without the queue for a while: one that answers may still take no jobs, for instance without the right. */
const WITHOUT_QUEUE_MS = 60_000;
const EXPIRE_SIZE = 200;

/**
 * Claims the due checks of one provider and enqueues them in batches of one call each; while the queue is unavailable, it
 * starts the calls itself, as many as the provider allows at once. This, not the queue, guarantees that a parcel is
 * checked: a lost job is found here. A provider gets one call as a probe after a pause. Regular checks wait behind other jobs of the
 * queue; while more of those wait than calls can be made soon, half of the places make the calls of this sweep.
 * @param spreadMs the time over which the jobs are enqueued, unless more checks are due than are claimed at once.
 */
export async function sweepDue(deps: SweepDeps, spreadMs = 0): Promise<Swept> {
  try {
    return await claimDue(deps, spreadMs);
  } catch (error) {
    deps.claimOutcomes.failed();
    throw error;
  }
}

async function claimDue(deps: SweepDeps, spreadMs: number): Promise<Swept> {
  const { db, provider, producer, cadence, metrics, executor } = deps;
  const waiting = hasJustLost(deps) ? null : await producer.load(queryQueue(provider.name));
  if (waiting === null && !(await executor.whenFree())) return { more: false };
  const now = deps.now();
  const pause = (await listPauses(db)).find((entry) => entry.provider === provider.name);
  learnOutage(deps, pause);
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  showPause(deps, isPaused ? pause : undefined);
  if (isPaused && pause?.pausedUntil) {
    await tryOthersWhilePaused(deps, pause.pausedUntil);
    return { more: false };
  }
  if (deps.pace.isFar()) return { more: false };
  const { batchSize, callsPerSecond, concurrency } = provider.limits;
  const callsAhead = Math.max(1, Math.floor(callsPerSecond * AHEAD_SECONDS));
  const max = Math.min(MAX_WAITING, callsAhead);
  const isCrowded = waiting !== null && waiting.others >= max;
  if (waiting !== null && !isCrowded && waiting.regular >= max) return { more: false };
  const isProbe = pause?.pausedUntil != null;
  if (isProbe && !(await takeProbe(db, provider.name, now))) return { more: false };
  const places = isCrowded ? Math.ceil(concurrency / 2) : waiting === null ? concurrency : callsAhead;
  const calls = isProbe ? 1 : Math.min(places, callsAhead);
  const limit = Math.min(CLAIM_SIZE, calls * batchSize);
  const wanted = { provider: provider.name, limit, cadence, now, isProbe, byTurns: isSlow(provider) };
  const taken = await takeDue(db, wanted);
  const claimed = firstAnswersFirst(taken.checks);
  const jobs = chunks(claimed, batchSize).map((chunk) => ({ claimed: chunk }));
  const started: Started[] = [];
  if (waiting === null || isCrowded) for (const job of jobs) started.push(await queryDirectly(deps, job));
  else if (!(await enqueue(deps, jobs, taken.more ? 0 : spreadMs))) return giveBack(deps, taken);
  await taken.settle();
  deps.claimOutcomes.succeeded();
  metrics.swept.inc({ provider: provider.name }, claimed.length);
  // The other half of the places is for the jobs.
  if (isCrowded) await Promise.all(started.map(({ ended }) => ended));
  return { more: taken.more && !isProbe, calls: jobs.length };
}

/**
 * Enqueues jobs evenly over a time: if their answers arrived at once, the news of one parcel would wait for that of many.
 * @returns whether all were enqueued.
 */
async function enqueue(
  { provider, producer }: PollerDeps,
  jobs: readonly QueryJob[],
  overMs: number,
): Promise<boolean> {
  const steps = Math.max(1, Math.floor(overMs / MIN_STEP_MS));
  const portions = chunks(jobs, Math.ceil(jobs.length / steps));
  for (const [n, portion] of portions.entries()) {
    if (n > 0) await delay(overMs / portions.length);
    if (!(await producer.query(provider.name, portion))) return false;
  }
  return true;
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

type Started = { ended: Promise<void> };

/** A query that waits when the process stops is not made: its checks become due for another process. */
async function queryDirectly(deps: SweepDeps, job: { claimed: ClaimedCheck[] }): Promise<Started> {
  const release = () => giveBackChecks(deps.db, deps.provider.name, job.claimed, deps.now());
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = () => (deps.executor.isClosed() ? release() : query(deps, job)).finally(end);
  if (!deps.executor.start(work)) await release().finally(end);
  return { ended };
}

/**
 * The jobs may not have been enqueued: the checks become due again shortly, but not before the provider's
 * floor, because some may be queried anyway.
 */
async function giveBack({ provider, memory, cadence, now }: PollerDeps, taken: Taken): Promise<{ more: false }> {
  memory.lostAt.set(provider, now());
  const seconds = Math.max(LOST_AGAIN_SECONDS, cadence.floorSeconds);
  await taken.giveBack(new Date(now().getTime() + seconds * 1000));
  return { more: false };
}

function hasJustLost({ provider, memory, now }: PollerDeps): boolean {
  const lostAt = memory.lostAt.get(provider);
  return lostAt !== undefined && now().getTime() - lostAt.getTime() < WITHOUT_QUEUE_MS;
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
