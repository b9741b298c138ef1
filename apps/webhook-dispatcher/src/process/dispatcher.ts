import type { Db } from '@pts/db/connection/client';
import {
  type AttemptOutcome,
  type DueDelivery,
  type LoadRequest,
  loadDue,
  recordAttempts,
} from '@pts/db/deliveries/attempts';
import type { Send } from '@pts/egress/send';
import { DELIVER_QUEUE, type DeliverJob } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import type { Producer } from '@pts/queue/producer';
import { startWorker } from '@pts/queue/worker';
import { createBatcher } from '@pts/runtime/batcher';
import type { Logger } from '@pts/runtime/logger';
import { startLoop } from '@pts/runtime/loop';
import type { SecretCipher } from '@pts/runtime/secret-cipher';
import { createFailureLog } from '../attempt/failure-log.ts';
import { createBulkhead } from '../endpoint/bulkhead.ts';
import { createConcurrencyWindows } from '../endpoint/concurrency-windows.ts';
import { drain } from '../endpoint/drain.ts';
import { createFairLimiter } from '../endpoint/fair-limiter.ts';
import { endpointStore } from '../endpoint/health.ts';
import { memoize } from '../endpoint/memoize.ts';
import { pruneOld } from '../sweeps/prune.ts';
import { replay } from '../sweeps/replay.ts';
import { sweep } from '../sweeps/sweep.ts';
import { createWakeTimers } from '../sweeps/wake-timers.ts';
import type { DrainDeps } from './deps.ts';
import type { DispatcherMetrics } from './metrics.ts';

const STALE_MS = 180_000;
const PRUNE_EVERY_MS = 60_000;
const TELL_EVERY_MS = 5000;
/** The number of endpoints that a process works for at once. Failing ones get half of them. */
const ENDPOINTS = 500;
/**
 * Reads and records of this many endpoints and attempts share a statement (group commit). Records gather a little: a
 * statement costs as much as ten attempts before it has recorded one.
 */
const BATCH = { load: { most: 50, atOnce: 2 }, record: { most: 500, atOnce: 1, everyMs: 3 } };
const MOST_SECRETS = 20_000;

export type Dispatcher = { isLive(): boolean; stop(): Promise<void> };

export type DispatcherDeps = {
  db: Db;
  producer: Producer;
  send: Send;
  secretCipher: Pick<SecretCipher, 'decrypt'>;
  logger: Logger;
  metrics: DispatcherMetrics;
  retryTimeScale: number;
  /** Attempts and messages older than this are deleted. */
  retentionDays: number;
  now(): Date;
};

type Options = { queue: QueueConnection; deps: DispatcherDeps; concurrency: number; sweepIntervalMs: number };

/** Starts the worker that makes attempts, and the sweep that finds missed wake-ups. */
export function startDispatcher({ queue, deps, concurrency, sweepIntervalMs }: Options): Dispatcher {
  const { db, producer, logger, metrics, now } = deps;
  const stopping = new AbortController();
  const wake = (endpoint: DeliverJob) => producer.deliver([endpoint]);
  const wakeTimers = createWakeTimers((endpoint) => void wake(endpoint), now);
  const windows = createConcurrencyWindows();
  const bulkhead = createBulkhead({ windows, wakeTimers, now }, ENDPOINTS);
  const failures = createFailureLog(logger, now);
  const drainDeps: DrainDeps = {
    ...deps,
    failures,
    ...batchedStore(db, now),
    wakeTimers,
    windows,
    wake,
    stopping: stopping.signal,
    decryptSecret: memoize(MOST_SECRETS, (encrypted) => deps.secretCipher.decrypt(encrypted)),
    endpoints: endpointStore(db),
    limiter: createFairLimiter(concurrency),
    endpointCount: bulkhead.count,
  };
  const worker = startWorker<'deliver'>(
    queue,
    DELIVER_QUEUE,
    { deliver: (job) => bulkhead.admit(job, () => drain(drainDeps, job)) },
    // Jobs of a killed process are taken over after this long.
    { concurrency: ENDPOINTS, lockMs: 4000 },
    (err, job) => {
      if (job) metrics.jobFaults.inc({ job });
      logger.error({ err, job }, job ? 'job failed' : 'worker error');
    },
  );
  const loops = [
    startLoop('sweep', sweepIntervalMs, logger, () => sweep({ db, producer, wakeTimers, metrics, now })),
    startLoop('replay', sweepIntervalMs, logger, () => replay({ db, producer, now })),
    startLoop('failures', TELL_EVERY_MS, logger, async () => {
      failures.tell();
      return { more: false };
    }),
    startLoop('prune', PRUNE_EVERY_MS, logger, () => pruneOld({ db, retentionDays: deps.retentionDays, now })),
  ];
  return {
    isLive: () => worker.isRunning() && loops.every((loop) => loop.isAlive(STALE_MS)),
    stop: async () => {
      stopping.abort();
      wakeTimers.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await worker.close();
    },
  };
}

/** Many endpoints and attempts at once share their reads and writes; each attempt still waits until it is on disk. */
function batchedStore(db: Db, now: () => Date): Pick<DrainDeps, 'load' | 'record'> {
  const load = createBatcher(BATCH.load, async (requests: LoadRequest[]) => {
    const pages = new Map(requests.map(({ webhookId }) => [webhookId, [] as DueDelivery[]]));
    for (const delivery of await loadDue(db, requests, now())) pages.get(delivery.webhookId)?.push(delivery);
    return requests.map(({ webhookId }) => pages.get(webhookId) ?? []);
  });
  const record = createBatcher(BATCH.record, async (outcomes: AttemptOutcome[]) => {
    await recordAttempts(db, outcomes);
    return outcomes.map(() => undefined);
  });
  return { load, record };
}
