import { setTimeout as delay } from 'node:timers/promises';
import { createBatcher } from '@pts/db/batcher';
import type { Db } from '@pts/db/connection';
import {
  type AttemptOutcome,
  type DueDelivery,
  type LoadRequest,
  loadDue,
  recordAttempts,
} from '@pts/db/deliveries/attempts';
import type { SendPush } from '@pts/egress/send';
import { DELIVER_QUEUE, type DeliverJob } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { createCanaries } from '@pts/queue/health/canaries';
import { CANARY_EVERY_MS } from '@pts/queue/health/canary';
import type { Producer } from '@pts/queue/producer';
import { startWorker } from '@pts/queue/worker';
import { lookEveryMs } from '@pts/runtime/backlog-watch';
import type { SecretCipher } from '@pts/runtime/encryption/keyring';
import type { Logger } from '@pts/runtime/logger';
import { createOutcomes } from '@pts/runtime/outcomes';
import { startLoop, type Took, workLoops } from '@pts/runtime/process/loop';
import { LRUCache } from 'lru-cache';
import { createFailureLog } from '../attempt/failure-log.ts';
import { createBulkhead } from '../endpoint/bulkhead.ts';
import { createConcurrencyWindows } from '../endpoint/concurrency-windows.ts';
import { deliver } from '../endpoint/drain.ts';
import { createFairLimiter } from '../endpoint/fair-limiter.ts';
import { endpointStore } from '../endpoint/health.ts';
import { createLeases, type Leases } from '../endpoint/leases.ts';
import { createBacklogReport } from '../sweeps/backlog.ts';
import { keepHistory } from '../sweeps/history.ts';
import { pruneOld } from '../sweeps/prune.ts';
import { replay } from '../sweeps/replay.ts';
import { sweep, type WakeAll } from '../sweeps/sweep.ts';
import { createWakeTimers } from '../sweeps/wake-timers.ts';
import type { DeliverDeps, DrainDeps } from './deps.ts';
import type { DispatcherMetrics } from './metrics.ts';

const STALE_MS = 180_000;
const PRUNE_EVERY_MS = 60_000;
/** Often enough for a metric that is removed after a minute; usually nothing is to be done. */
const HISTORY_EVERY_MS = 30_000;
const TELL_EVERY_MS = 5000;
/** The number of endpoints that a process works for at once. Failing ones get half of them. */
const ENDPOINTS = 500;
/** Endpoints that may wait for a place while the queue is unavailable; the sweep finds the others later. */
const MAX_WAITING = 2000;
/**
 * Reads and records of this many endpoints and attempts share a statement (group commit). Records gather: a statement costs as
 * much as ten attempts before it has recorded one. A few wait longer for others; meanwhile, events for their endpoints gather, too,
 * and share the next wake-up.
 */
const BATCH = {
  load: { max: 50, concurrency: 2 },
  record: { max: 500, concurrency: 1, everyMs: (waiting: number) => (waiting < 4 ? 35 : 3) },
};
/** The pauses between the records of an attempt that could not be stored. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;
const MAX_SECRETS = 20_000;
const RENEW_EVERY_MS = 1500;

export type Dispatcher = {
  isLive(): boolean;
  /** By queue, whether work flows through it: what `/readyz` shows. */
  queues(): Record<string, string>;
  /** By the health of endpoints, whether their deliveries are sent: what `/readyz` shows. */
  backlogs(): Record<string, string>;
  stop(): Promise<void>;
};

export type DispatcherDeps = {
  db: Db;
  producer: Producer;
  send: SendPush;
  secretCipher: Pick<SecretCipher, 'decrypt'>;
  logger: Logger;
  metrics: DispatcherMetrics;
  retryTimeScale: number;
  /** Attempts and messages older than this are deleted. */
  retentionDays: number;
  now(): Date;
};

type Options = {
  queue: QueueConnection;
  /** Whether this process may take work at the moment: while it may not, its sweeps do nothing. Default: always. */
  takesWork?: () => boolean;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
  deps: DispatcherDeps;
  concurrency: number;
  sweepIntervalMs: number;
  /** How long attempts in flight may take once the dispatcher stops. */
  sendGraceMs: number;
};

/** Starts the worker that makes attempts, and the sweep that finds missed wake-ups. */
export function startDispatcher(options: Options): Dispatcher {
  const {
    queue,
    takesWork = () => true,
    took = () => false,
    deps,
    concurrency,
    sweepIntervalMs,
    sendGraceMs,
  } = options;
  const { db, producer, logger, metrics, now } = deps;
  const [stopping, sends] = [new AbortController(), new AbortController()];
  const failed = (err: Error, job?: string) => {
    if (took(err)) return;
    if (job) metrics.jobFaults.inc({ job });
    logger.error({ err, job }, job ? 'job failed' : 'worker error');
  };
  const executor = createExecutor({
    places: ENDPOINTS,
    maxWaiting: MAX_WAITING,
    onError: (error) => failed(error, 'deliver'),
  });
  const serve = (endpoint: DeliverJob) => deliver(deliverDeps, endpoint);
  /** While the queue is unavailable, this process serves them itself. */
  const wakeAll: WakeAll = async (endpoints) => {
    if ((await producer.deliver(endpoints)) || !takesWork()) return;
    for (const endpoint of endpoints) executor.start(() => serve(endpoint), endpoint.webhookId);
  };
  const wake = (endpoint: DeliverJob) => wakeAll([endpoint]);
  const wakeTimers = createWakeTimers((endpoint) => void wake(endpoint), now);
  const windows = createConcurrencyWindows();
  const bulkhead = createBulkhead({ windows, wakeTimers, now }, executor.places);
  const failures = createFailureLog(logger, now);
  const leases = createLeases(db, now);
  const outcomes = { healthy: createOutcomes(), failing: createOutcomes() };
  const secrets = new LRUCache({ max: MAX_SECRETS, memoMethod: (box: string) => deps.secretCipher.decrypt(box) });
  const deliverDeps: DeliverDeps = {
    ...deps,
    failures,
    ...batchedStore({ db, leases, now, stopping: stopping.signal, failed: (error) => failed(error, 'deliver') }),
    leases,
    bulkhead,
    outcomes,
    wakeTimers,
    windows,
    wake,
    stopping: stopping.signal,
    stopSends: sends.signal,
    decryptSecret: (encrypted) => secrets.memo(encrypted),
    endpoints: endpointStore(db),
    limiter: createFairLimiter(concurrency),
    endpointCount: executor.busy,
  };
  const worker = startWorker<'deliver'>(
    queue,
    DELIVER_QUEUE,
    { deliver: (job) => executor.run(() => serve(job), job.webhookId) },
    // Jobs of a killed process are taken over after this long.
    { concurrency: executor.places, lockMs: 4000 },
    failed,
  );
  const canaries = createCanaries({ connection: queue, workers: { [DELIVER_QUEUE]: worker }, logger, metrics, now });
  const hasFree = () => executor.hasFree() && bulkhead.hasRoom();
  const backlog = createBacklogReport({ db, logger, metrics, outcomes, hasFree, now });
  const startWork = workLoops(logger, takesWork, took);
  const loops = [
    startWork('canary', CANARY_EVERY_MS, canaries.round),
    startLoop('backlog', lookEveryMs(sweepIntervalMs), logger, backlog.round, took),
    startWork('sweep', sweepIntervalMs, () => sweep({ db, wakeAll, wakeTimers, now })),
    startWork('replay', sweepIntervalMs, () => replay({ db, wakeAll, now })),
    startLoop('leases', RENEW_EVERY_MS, logger, () => leases.renew().then(() => ({ more: false })), took),
    startLoop('failures', TELL_EVERY_MS, logger, async () => {
      failures.report();
      return { more: false };
    }),
    startWork('history', HISTORY_EVERY_MS, () => keepHistory({ db, metrics, retentionDays: deps.retentionDays, now })),
    startWork('prune', PRUNE_EVERY_MS, () => pruneOld({ db, retentionDays: deps.retentionDays, now })),
  ];
  return {
    isLive: () => canaries.isLive() && loops.every((loop) => loop.isAlive(STALE_MS)),
    queues: canaries.details,
    backlogs: backlog.details,
    stop: async () => {
      stopping.abort();
      const grace = setTimeout(() => sends.abort(), sendGraceMs).unref();
      wakeTimers.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all([executor.close(), worker.close()]);
      clearTimeout(grace);
      await canaries.close();
    },
  };
}

type StoreOptions = {
  db: Db;
  leases: Leases;
  now(): Date;
  stopping: AbortSignal;
  /** Is given the error of a record, of which each is made again. */
  failed(error: Error): void;
};

/** Many endpoints and attempts at once share their reads and writes; each attempt still waits until it is on disk. */
function batchedStore({ db, leases, now, stopping, failed }: StoreOptions): Pick<DrainDeps, 'load' | 'record'> {
  const load = createBatcher(BATCH.load, async (requests: LoadRequest[]) => {
    const pages = new Map(requests.map(({ webhookId }) => [webhookId, [] as DueDelivery[]]));
    for (const delivery of await loadDue(db, requests, now())) pages.get(delivery.webhookId)?.push(delivery);
    return requests.map(({ webhookId }) => pages.get(webhookId) ?? []);
  });
  const record = createBatcher(BATCH.record, async (done: { outcome: AttemptOutcome; endsLease: boolean }[]) => {
    const webhookIds = done.flatMap(({ outcome, endsLease }) => (endsLease ? outcome.webhookId : []));
    const outcomes = done.map(({ outcome }) => outcome);
    await recordAttempts(db, outcomes, { holder: leases.holder, webhookIds }).catch((error) => {
      failed(error);
      throw error;
    });
    leases.ended(webhookIds);
    return outcomes.map(() => undefined);
  });
  return { load, record: (outcome, endsLease) => untilRecorded(() => record({ outcome, endsLease }), stopping) };
}

/**
 * Records an attempt that was sent, however often that fails: a database that can be read and not written, as with a full disk,
 * would give the same delivery again. The endpoint's work goes on when it is stored; the places of the limiter bound how many wait.
 * @throws the last error when the process stops: the receiver gets the delivery once more, from another process.
 */
async function untilRecorded(record: () => Promise<unknown>, stopping: AbortSignal): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await record();
      return;
    } catch (error) {
      if (stopping.aborted) throw error;
    }
    // At the end of the process, it is tried once more at once.
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
}
