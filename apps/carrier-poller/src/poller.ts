import { setMaxListeners } from 'node:events';
import type { ConnectedProvider } from '@pts/carriers/provider';
import { foldStats } from '@pts/db/stats';
import { BACKGROUND_QUEUE, type QueryJob, queryQueue } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { createCanaries } from '@pts/queue/health/canaries';
import { CANARY_EVERY_MS } from '@pts/queue/health/canary';
import { startWorker } from '@pts/queue/worker';
import { lookEveryMs } from '@pts/runtime/backlog-watch';
import { createOutcomes } from '@pts/runtime/outcomes';
import { type Loop, startLoop, type Took, workLoops } from '@pts/runtime/process/loop';
import { isLive } from '@pts/service/accounts';
import { transitOf } from '@pts/service/stats';
import { createWatcherSweep, releaseDeps, sweepReleases } from './callbacks/release.ts';
import { subscribe, subscribeDeps } from './callbacks/subscribe.ts';
import { subscribes } from './callbacks/subscriptions.ts';
import { reportOverdue, sweepForgotten, sweepRenewals, sweepSubscriptions } from './callbacks/sweep-subscriptions.ts';
import { createForgetting } from './check/next-candidates.ts';
import { query } from './check/query.ts';
import { createRouteSweep } from './check/routes.ts';
import { createSave } from './check/save.ts';
import type { PollerDeps } from './deps.ts';
import { type RunDeps, type Runs, startRuns } from './runs/runs.ts';
import { createBacklogReport } from './schedule/backlog.ts';
import { sweepDelivered, sweepDue, sweepExpired, sweepGrown, sweepMonitored } from './schedule/sweep.ts';
import { createCadenceSweep } from './schedule/sweep-cadence.ts';
import { createSweepRounds } from './schedule/sweep-rounds.ts';

/** How long an unfinished round of a sweep may take before the process counts as stuck. */
const STALE_MS = 60_000;
const EXPIRE_EVERY_MS = 60_000;
const CADENCE_EVERY_MS = 60_000;
const ROUTES_EVERY_MS = 30_000;
const LEARN_EVERY_MS = 60_000;
const RELEASE_EVERY_MS = 10_000;
const STATS_EVERY_MS = 5000;
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
  /** Whether this process may take work at the moment: while it may not, its sweeps do nothing. Default: always. */
  takesWork?: () => boolean;
  providers: readonly ConnectedProvider[];
  depsFor(provider: ConnectedProvider): Omit<PollerDeps, 'providers' | 'stopCalls' | 'save' | 'claimOutcomes'>;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
  /** Absent: this process runs no imports and bulk actions. */
  runs?: RunDeps;
  sweepIntervalMs: number;
  /** How long calls in flight may take once the poller stops. */
  callGraceMs: number;
};

/** Starts a worker and a sweep for every provider, so that a slow one delays only itself. */
export function startPoller(given: Options): Poller {
  const { queue, takesWork = () => true, took = () => false, providers, sweepIntervalMs, callGraceMs } = given;
  const calls = new AbortController();
  // Every call in flight and every wait for a permit listens: their number is bounded by the limits of the providers.
  setMaxListeners(0, calls.signal);
  const depsFor = (provider: ConnectedProvider) => ({ ...given.depsFor(provider), providers, stopCalls: calls.signal });
  const parts = providers.map((provider) =>
    startProvider(queue, depsFor(provider), { sweepIntervalMs, takesWork, took }),
  );
  const [first] = parts;
  const runs = given.runs && startRuns(queue, { ...given.runs, took });
  const loops: Loop[] = parts.flatMap((part) => part.loops);
  const canaries = first && canariesOf(queue, parts, runs, first.deps);
  const backlog = first && createBacklogReport({ ...first.deps, parts: parts.map((part) => part.deps) });
  if (first && canaries && backlog) {
    const { deps } = first;
    const start = workLoops(deps.logger, takesWork, took);
    loops.push(start('canary', CANARY_EVERY_MS, canaries.round));
    if (runs) loops.push(start('runs', sweepIntervalMs, runs.sweep));
    loops.push(start('expire', EXPIRE_EVERY_MS, () => sweepExpired(deps)));
    loops.push(start('monitored', sweepIntervalMs, () => sweepMonitored(deps)));
    loops.push(start('statistics', ANALYZE_EVERY_MS, () => sweepGrown(deps)));
    loops.push(start('routes', ROUTES_EVERY_MS, createRouteSweep(deps, providers.filter(isLive))));
    loops.push(start('lanes', LEARN_EVERY_MS, () => sweepDelivered(deps)));
    loops.push(start('stats', STATS_EVERY_MS, () => foldStats(deps.db, transitOf)));
    loops.push(start('forget', EXPIRE_EVERY_MS, () => sweepForgotten(deps)));
    loops.push(start('forget learned', EXPIRE_EVERY_MS, createForgetting(deps)));
    if (providers.some(({ callbacks }) => callbacks))
      loops.push(start('watchers', RELEASE_EVERY_MS, createWatcherSweep(deps)));
    loops.push(startLoop('backlog', lookEveryMs(sweepIntervalMs), deps.logger, backlog.round, took));
  }
  return {
    isLive: () => loops.every((loop) => loop.isAlive(EXPIRE_EVERY_MS + STALE_MS)) && (canaries?.isLive() ?? true),
    queues: () => canaries?.details() ?? {},
    backlogs: () => backlog?.details() ?? {},
    stop: async () => {
      const grace = setTimeout(() => calls.abort(), callGraceMs);
      const executors = parts.map(({ deps }) => deps.executor.close());
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all([...executors, ...parts.map(({ worker }) => worker.close()), runs?.stop()]);
      await canaries?.close();
      clearTimeout(grace);
    },
  };
}

function canariesOf(
  queue: QueueConnection,
  parts: readonly Part[],
  runs: Runs | undefined,
  { logger, metrics, now }: PollerDeps,
) {
  const workers = {
    ...Object.fromEntries(parts.map(({ deps, worker }) => [queryQueue(deps.provider.name), worker])),
    ...(runs && { [BACKGROUND_QUEUE]: runs.worker }),
  };
  return createCanaries({ connection: queue, workers, logger, metrics, now });
}

type Part = ReturnType<typeof startProvider>;

function startProvider(
  queue: QueueConnection,
  options: Omit<PollerDeps, 'save' | 'claimOutcomes'>,
  { sweepIntervalMs, takesWork, took }: { sweepIntervalMs: number; takesWork(): boolean; took: Took },
) {
  const { provider, logger, metrics } = options;
  const { concurrency } = provider.limits;
  const failed = (err: Error, job?: string) => {
    if (took(err)) return;
    if (job) metrics.jobFaults.inc({ job });
    logger.error({ err, provider: provider.name, job }, job ? 'job failed' : 'worker error');
  };
  const onError = (error: Error) => failed(error, 'query');
  const executor = createExecutor({ places: concurrency, maxWaiting: 2 * concurrency, onError });
  const given = { ...options, claimOutcomes: createOutcomes() };
  const deps = { ...given, save: createSave(given), executor };
  const subscribing = subscribeDeps(deps);
  // A retrack is a query that the merchant requested: its check became due when it was granted.
  const handle = (job: QueryJob) => deps.executor.run(() => query(deps, job));
  const worker = startWorker<'query' | 'retrack' | 'subscribe'>(
    queue,
    queryQueue(provider.name),
    { query: handle, retrack: handle, subscribe: (job) => deps.executor.run(() => subscribe(subscribing, job)) },
    { concurrency: executor.places },
    failed,
  );
  const sweepRounds = createSweepRounds(sweepIntervalMs, (spreadMs) => sweepDue(deps, spreadMs));
  const start = workLoops(logger, takesWork, took);
  const loops = [
    start(`cadence ${provider.name}`, CADENCE_EVERY_MS, createCadenceSweep(deps)),
    start(`sweep ${provider.name}`, sweepIntervalMs, sweepRounds),
  ];
  if (provider.callbacks) {
    const releasing = releaseDeps(deps);
    loops.push(start(`release ${provider.name}`, RELEASE_EVERY_MS, () => sweepReleases(releasing)));
  }
  if (subscribes(deps))
    loops.push(
      start(`subscribe ${provider.name}`, sweepIntervalMs, () => sweepSubscriptions(subscribing)),
      start(`renew ${provider.name}`, EXPIRE_EVERY_MS, () => sweepRenewals(deps)),
      start(`overdue ${provider.name}`, lookEveryMs(sweepIntervalMs), () => reportOverdue(deps)),
    );
  return { deps, worker, loops };
}
