import { setMaxListeners } from 'node:events';
import type { ConnectedProvider } from '@pts/carriers/provider';
import { createCanaries } from '@pts/queue/canaries';
import { CANARY_EVERY_MS } from '@pts/queue/canary';
import { type QueryJob, queryQueue } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { startWorker } from '@pts/queue/worker';
import { type SharedClock, startClockLoop } from '@pts/runtime/clock';
import { type Loop, startLoop } from '@pts/runtime/loop';
import { createOutcomes } from '@pts/runtime/outcomes';
import { createBacklogReport } from './backlog.ts';
import type { PollerDeps } from './deps.ts';
import { createForgetting } from './next-candidates.ts';
import { subscribes } from './pushes.ts';
import { query } from './query.ts';
import { createWatcherSweep, releaseDeps, sweepReleases } from './release.ts';
import { createRouteSweep } from './routes.ts';
import { createSave } from './save.ts';
import { subscribe, subscribeDeps } from './subscribe.ts';
import { sweepCadence, sweepDelivered, sweepDue, sweepExpired, sweepGrown } from './sweep.ts';
import { createSweepRounds } from './sweep-rounds.ts';
import { reportOverdue, sweepForgotten, sweepRenewals, sweepSubscriptions } from './sweep-subscriptions.ts';

/** How long an unfinished round of a sweep may take before the process counts as stuck. */
const STALE_MS = 60_000;
const EXPIRE_EVERY_MS = 60_000;
const CADENCE_EVERY_MS = 60_000;
const BACKLOG_EVERY_MS = 15_000;
const ROUTES_EVERY_MS = 30_000;
const LEARN_EVERY_MS = 60_000;
const RELEASE_EVERY_MS = 10_000;
/** In this time, an import adds some ten thousand rows. */
const ANALYZE_EVERY_MS = 2000;

export type Poller = {
  isLive(): boolean;
  /** By queue, whether work flows through it: what `/readyz` shows. */
  queues(): Record<string, string>;
  /** By provider, whether its due checks are made: what `/readyz` shows. */
  backlogs(): Record<string, string>;
  stop(): Promise<void>;
};

type Options = {
  queue: QueueConnection;
  /** The clock that `now` of the dependencies reads, if it must be kept in sync. */
  clock?: SharedClock;
  providers: readonly ConnectedProvider[];
  depsFor(provider: ConnectedProvider): Omit<PollerDeps, 'stopCalls' | 'save' | 'claims'>;
  sweepIntervalMs: number;
  /** How long calls in flight may take once the poller stops. */
  callGraceMs: number;
};

/** Starts a worker and a sweep for every provider, so that a slow one delays only itself. */
export function startPoller({ queue, clock, providers, sweepIntervalMs, callGraceMs, ...options }: Options): Poller {
  const calls = new AbortController();
  // Every call in flight and every wait for a turn listens: their number is bounded by the limits of the providers.
  setMaxListeners(0, calls.signal);
  const depsFor = (provider: ConnectedProvider) => ({ ...options.depsFor(provider), stopCalls: calls.signal });
  const parts = providers.map((provider) => startProvider(queue, depsFor(provider), sweepIntervalMs));
  const [first] = parts;
  const loops: Loop[] = parts.flatMap((part) => part.loops);
  const canaries = first && canariesOf(queue, parts, first.deps);
  const backlog = first && createBacklogReport({ ...first.deps, parts: parts.map((part) => part.deps) });
  if (first && canaries && backlog) {
    const { deps } = first;
    loops.push(startLoop('canary', CANARY_EVERY_MS, deps.logger, canaries.round));
    loops.push(startLoop('expire', EXPIRE_EVERY_MS, deps.logger, () => sweepExpired(deps)));
    loops.push(startLoop('statistics', ANALYZE_EVERY_MS, deps.logger, () => sweepGrown(deps)));
    loops.push(startLoop('routes', ROUTES_EVERY_MS, deps.logger, createRouteSweep(deps, providers)));
    loops.push(startLoop('lanes', LEARN_EVERY_MS, deps.logger, () => sweepDelivered(deps)));
    loops.push(startLoop('forget', EXPIRE_EVERY_MS, deps.logger, () => sweepForgotten(deps)));
    loops.push(startLoop('forget learned', EXPIRE_EVERY_MS, deps.logger, createForgetting(deps)));
    if (providers.some(({ push }) => push))
      loops.push(startLoop('watchers', RELEASE_EVERY_MS, deps.logger, createWatcherSweep(deps)));
    loops.push(startLoop('backlog', BACKLOG_EVERY_MS, deps.logger, backlog.round));
    if (clock) loops.push(startClockLoop(clock, deps.logger, deps.metrics.clockSkewSeconds));
  }
  return {
    isLive: () =>
      parts.every(({ worker }) => worker.isRunning()) &&
      loops.every((loop) => loop.isAlive(EXPIRE_EVERY_MS + STALE_MS)) &&
      (canaries?.isLive() ?? true),
    queues: () => canaries?.details() ?? {},
    backlogs: () => backlog?.details() ?? {},
    stop: async () => {
      const grace = setTimeout(() => calls.abort(), callGraceMs);
      const executors = parts.map(({ deps }) => deps.executor.close());
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all([...executors, ...parts.map(({ worker }) => worker.close())]);
      await canaries?.close();
      clearTimeout(grace);
    },
  };
}

function canariesOf(queue: QueueConnection, parts: readonly Part[], { logger, metrics, now }: PollerDeps) {
  const workers = Object.fromEntries(parts.map(({ deps, worker }) => [queryQueue(deps.provider.name), worker]));
  return createCanaries({ connection: queue, workers, logger, metrics, now });
}

type Part = ReturnType<typeof startProvider>;

function startProvider(queue: QueueConnection, options: Omit<PollerDeps, 'save' | 'claims'>, sweepIntervalMs: number) {
  const { provider, logger, metrics } = options;
  const { concurrency } = provider.limits;
  const failed = (err: Error, job?: string) => {
    if (job) metrics.jobFaults.inc({ job });
    logger.error({ err, provider: provider.name, job }, job ? 'job failed' : 'worker error');
  };
  const onError = (error: Error) => failed(error, 'query');
  const executor = createExecutor({ places: concurrency, mostWaiting: 2 * concurrency, onError });
  const given = { ...options, claims: createOutcomes() };
  const deps = { ...given, save: createSave(given), executor };
  const subscribing = subscribeDeps(deps);
  // A retrack is a query that the merchant requested: its check became due when it was granted.
  const handle = (job: QueryJob) => deps.executor.run(() => query(deps, job));
  const worker = startWorker<'query' | 'retrack' | 'subscribe'>(
    queue,
    queryQueue(provider.name),
    { query: handle, retrack: handle, subscribe: (job) => deps.executor.run(() => subscribe(subscribing, job)) },
    { concurrency },
    failed,
  );
  const sweepRounds = createSweepRounds(sweepIntervalMs, (spreadMs) => sweepDue(deps, spreadMs));
  const loops = [
    startLoop(`cadence ${provider.name}`, CADENCE_EVERY_MS, logger, () => sweepCadence(deps)),
    startLoop(`sweep ${provider.name}`, sweepIntervalMs, logger, sweepRounds),
  ];
  if (provider.push) {
    const releasing = releaseDeps(deps);
    loops.push(startLoop(`release ${provider.name}`, RELEASE_EVERY_MS, logger, () => sweepReleases(releasing)));
  }
  if (subscribes(deps))
    loops.push(
      startLoop(`subscribe ${provider.name}`, sweepIntervalMs, logger, () => sweepSubscriptions(subscribing)),
      startLoop(`renew ${provider.name}`, EXPIRE_EVERY_MS, logger, () => sweepRenewals(deps)),
      startLoop(`overdue ${provider.name}`, BACKLOG_EVERY_MS, logger, () => reportOverdue(deps)),
    );
  return { deps, worker, loops };
}
