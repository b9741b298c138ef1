import { setMaxListeners } from 'node:events';
import type { ConnectedProvider } from '@pts/carriers/provider';
import { type QueryJob, queryQueue } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { startWorker } from '@pts/queue/worker';
import { type SharedClock, startClockLoop } from '@pts/runtime/clock';
import { type Loop, startLoop } from '@pts/runtime/loop';
import type { PollerDeps } from './deps.ts';
import { createForgetting } from './next-candidates.ts';
import { subscribes } from './pushes.ts';
import { query } from './query.ts';
import { createRouteSweep } from './routes.ts';
import { subscribe, subscribeDeps } from './subscribe.ts';
import { reportBacklog, sweepCadence, sweepDelivered, sweepDue, sweepExpired } from './sweep.ts';
import { reportOverdue, sweepForgotten, sweepSubscriptions } from './sweep-subscriptions.ts';

/** How long an unfinished round of a sweep may take before the process counts as stuck. */
const STALE_MS = 60_000;
const EXPIRE_EVERY_MS = 60_000;
const CADENCE_EVERY_MS = 60_000;
const BACKLOG_EVERY_MS = 15_000;
const ROUTES_EVERY_MS = 30_000;
const LEARN_EVERY_MS = 60_000;

export type Poller = { isLive(): boolean; stop(): Promise<void> };

type Options = {
  queue: QueueConnection;
  /** The clock that `now` of the dependencies reads, if it has to be kept right. */
  clock?: SharedClock;
  providers: readonly ConnectedProvider[];
  depsFor(provider: ConnectedProvider): Omit<PollerDeps, 'stopCalls'>;
  sweepIntervalMs: number;
  /** How long calls in flight may take once the poller stops. */
  callGraceMs: number;
};

/** Starts a worker and a sweep for every provider, so that a slow one holds back only itself. */
export function startPoller({ queue, clock, providers, sweepIntervalMs, callGraceMs, ...options }: Options): Poller {
  const calls = new AbortController();
  // Every call in flight and every wait for a turn listens: their number is bounded by the limits of the providers.
  setMaxListeners(0, calls.signal);
  const depsFor = (provider: ConnectedProvider) => ({ ...options.depsFor(provider), stopCalls: calls.signal });
  const parts = providers.map((provider) => startProvider(queue, depsFor(provider), sweepIntervalMs));
  const [first] = parts;
  const loops: Loop[] = parts.flatMap((part) => part.loops);
  if (first) {
    const { deps } = first;
    loops.push(startLoop('expire', EXPIRE_EVERY_MS, deps.logger, () => sweepExpired(deps)));
    loops.push(startLoop('routes', ROUTES_EVERY_MS, deps.logger, createRouteSweep(deps, providers)));
    loops.push(startLoop('lanes', LEARN_EVERY_MS, deps.logger, () => sweepDelivered(deps)));
    loops.push(startLoop('forget', EXPIRE_EVERY_MS, deps.logger, () => sweepForgotten(deps)));
    loops.push(startLoop('forget learned', EXPIRE_EVERY_MS, deps.logger, createForgetting(deps)));
    loops.push(startLoop('backlog', BACKLOG_EVERY_MS, deps.logger, () => reportBacklog(deps)));
    if (clock) loops.push(startClockLoop(clock, deps.logger, deps.metrics.clockSkewSeconds));
  }
  return {
    isLive: () =>
      parts.every(({ worker }) => worker.isRunning()) &&
      loops.every((loop) => loop.isAlive(EXPIRE_EVERY_MS + STALE_MS)),
    stop: async () => {
      const grace = setTimeout(() => calls.abort(), callGraceMs);
      const executors = parts.map(({ deps }) => deps.executor.close());
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all([...executors, ...parts.map(({ worker }) => worker.close())]);
      clearTimeout(grace);
    },
  };
}

function startProvider(queue: QueueConnection, options: PollerDeps, sweepIntervalMs: number) {
  const { provider, logger, metrics } = options;
  const { concurrency } = provider.limits;
  const failed = (err: Error, job?: string) => {
    if (job) metrics.jobFaults.inc({ job });
    logger.error({ err, provider: provider.name, job }, job ? 'job failed' : 'worker error');
  };
  const onError = (error: Error) => failed(error, 'query');
  const deps = { ...options, executor: createExecutor({ places: concurrency, mostWaiting: 2 * concurrency, onError }) };
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
  const loops = [
    startLoop(`cadence ${provider.name}`, CADENCE_EVERY_MS, logger, () => sweepCadence(deps)),
    startLoop(`sweep ${provider.name}`, sweepIntervalMs, logger, () => sweepDue(deps)),
  ];
  if (subscribes(deps))
    loops.push(
      startLoop(`subscribe ${provider.name}`, sweepIntervalMs, logger, () => sweepSubscriptions(subscribing)),
      startLoop(`overdue ${provider.name}`, BACKLOG_EVERY_MS, logger, () => reportOverdue(deps)),
    );
  return { deps, worker, loops };
}
