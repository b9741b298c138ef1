import { setTimeout as delay } from 'node:timers/promises';
import { parseAllowList } from '@pts/core/url-policy';
import { type PendingEndpoint, WIDEST_WINDOW } from '@pts/core/webhook/endpoint';
import { createBatcher } from '@pts/db/batcher';
import type { Db } from '@pts/db/connection';
import {
  type AttemptOutcome,
  type DueDelivery,
  type LoadRequest,
  loadDue,
  recordAttempts,
} from '@pts/db/deliveries/attempts';
import { keyRefusal } from '@pts/db/readiness';
import { createSender, type SendPush } from '@pts/egress/send';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { watchQueues } from '@pts/queue/operate';
import { receiveWakeUps } from '@pts/queue/wake';
import { createKeyring, type SecretCipher } from '@pts/runtime/encryption/keyring';
import type { Logger } from '@pts/runtime/logger';
import { graceMs, type Work } from '@pts/runtime/process/boot';
import { lookEveryMs, startLoop, type Took, workLoops } from '@pts/runtime/process/loop';
import { type Config, storeOptions } from '@pts/runtime/settings/config';
import type { DISPATCHER_SETTINGS } from '@pts/runtime/settings/settings';
import { openProcessDatabase } from '@pts/service/process';
import { LRUCache } from 'lru-cache';
import type { DrainDeps, Store } from './deps.ts';
import { createDeliveries } from './drain.ts';
import { createFailureLog } from './failure-log.ts';
import { endpointStore } from './health.ts';
import { createLeases, type Leases } from './leases.ts';
import { createConcurrencyWindows, createFairLimiter } from './limiter.ts';
import type { DispatcherMetrics } from './metrics.ts';
import { createWakeTimers, reportPending, startSweeps } from './sweeps.ts';

const STALE_MS = 180_000;
const FAILURES_EVERY_MS = 5000;
const RENEW_EVERY_MS = 1500;
/**
 * Reads and records of this many endpoints and attempts share a statement (group commit): those that come while one
 * runs.
 */
const BATCH = { load: { max: 50, concurrency: 2 }, record: { max: 500, concurrency: 1 } };
/** The pauses between the records of an attempt that could not be stored. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;
const MAX_SECRETS = 20_000;
/** How long a call to the queue may take. */
const QUEUE_PATIENCE_MS = 500;

export type Dispatcher = {
  isLive(): boolean;
  /** The text that `/readyz` shows, by queue. */
  queues(): Record<string, string>;
  stop(): Promise<void>;
};

type Options = {
  queue: QueueConnection;
  /** Whether this process may take work at the moment: while it may not, its sweeps do nothing. Default: always. */
  takesWork?: () => boolean;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
  deps: {
    db: Db;
    send: SendPush;
    secretCipher: Pick<SecretCipher, 'decrypt'>;
    logger: Logger;
    metrics: DispatcherMetrics;
    retryTimeScale: number;
    /** Attempts and messages older than this are deleted. */
    retentionDays: number;
    now(): Date;
  };
  /** Pushes in flight. */
  concurrency: number;
  sweepIntervalMs: number;
  /** How long attempts in flight may take once the dispatcher stops. */
  sendGraceMs: number;
};

/** Starts what wakes endpoints (the queue, the sweeps, the timers of retries), and what serves them. */
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
  const { db, logger, metrics, retryTimeScale, retentionDays, now } = deps;
  const [stopping, sends] = [new AbortController(), new AbortController()];
  const onFault = (err: Error) => {
    if (took(err)) return;
    metrics.jobFaults.inc({ job: 'deliver' });
    logger.error({ err, job: 'deliver' }, 'job failed');
  };
  const queues = watchQueues({ connection: queue, queues: [DELIVER_QUEUE], logger, metrics, now });
  const failures = createFailureLog(logger, now);
  const leases = createLeases(db, now);
  const secrets = new LRUCache({ max: MAX_SECRETS, memoMethod: (box: string) => deps.secretCipher.decrypt(box) });
  const wake = (endpoint: PendingEndpoint) => {
    if (takesWork() && !queues.wasPaused(DELIVER_QUEUE)) deliveries.wake(endpoint);
  };
  const timers = createWakeTimers(wake, now);
  const drainDeps: DrainDeps = {
    store: { ...batchedStore({ db, leases, now, stopping: stopping.signal, onFault }), endpoints: endpointStore(db) },
    admission: {
      windows: createConcurrencyWindows(),
      limiter: createFairLimiter(concurrency),
      endpointCount: () => deliveries.count(),
    },
    receiver: { send: deps.send, decryptSecret: (encrypted) => secrets.memo(encrypted), retryTimeScale },
    reporting: { logger, failures, metrics },
    clock: { now, wake, wakeAt: timers.at, stopping: stopping.signal, stopSends: sends.signal },
  };
  const deliveries = createDeliveries(drainDeps, { leases, onError: onFault });
  const receiver = receiveWakeUps<'deliver'>(queue, DELIVER_QUEUE, { deliver: wake }, (err) =>
    logger.error({ err }, 'wake-up dropped'),
  );
  const sweeps = { db, metrics, retentionDays, now, wake, wakeAt: timers.at, hasFree: deliveries.hasFree };
  const idle = async () => ({ more: false });
  const renewal = startLoop('leases', RENEW_EVERY_MS, logger, () => leases.renew().then(idle), took);
  const lookMs = lookEveryMs(sweepIntervalMs);
  const loops = [
    ...startSweeps(sweeps, {
      start: workLoops(logger, takesWork, took),
      isOff: async () => (await queues.isPaused(DELIVER_QUEUE)) || !takesWork(),
      sweepIntervalMs,
      stopping: stopping.signal,
    }),
    startLoop('queues', lookMs, logger, queues.report, took),
    startLoop('pending', lookMs, logger, () => reportPending(sweeps), took),
    startLoop('failures', FAILURES_EVERY_MS, logger, async () => {
      failures.report();
      return { more: false };
    }),
  ];
  return {
    isLive: () => [...loops, renewal].every((loop) => loop.isAlive(STALE_MS)),
    queues: queues.details,
    stop: async () => {
      stopping.abort();
      const grace = setTimeout(() => sends.abort(), sendGraceMs).unref();
      timers.stop();
      await Promise.all([...loops.map((loop) => loop.stop()), receiver.close(), deliveries.close()]);
      await renewal.stop();
      clearTimeout(grace);
      await queues.close();
    },
  };
}

type StoreOptions = {
  db: Db;
  leases: Leases;
  now(): Date;
  stopping: AbortSignal;
  /** Gets the error of a record, of which each is made again. */
  onFault(error: Error): void;
};

/** Many endpoints and attempts at once share their reads and writes; each attempt still waits until it is on disk. */
function batchedStore({ db, leases, now, stopping, onFault }: StoreOptions): Pick<Store, 'load' | 'record'> {
  const load = createBatcher(BATCH.load, async (requests: LoadRequest[]) => {
    const pages = new Map(requests.map(({ webhookId }) => [webhookId, [] as DueDelivery[]]));
    for (const delivery of await loadDue(db, requests, now())) pages.get(delivery.webhookId)?.push(delivery);
    return requests.map(({ webhookId }) => pages.get(webhookId) ?? []);
  });
  const record = createBatcher(BATCH.record, async (done: { outcome: AttemptOutcome; endsLease: boolean }[]) => {
    const webhookIds = done.flatMap(({ outcome, endsLease }) => (endsLease ? outcome.webhookId : []));
    const outcomes = done.map(({ outcome }) => outcome);
    const wanted = await recordAttempts(db, outcomes, { holder: leases.holder, webhookIds }).catch((error) => {
      onFault(error);
      throw error;
    });
    leases.ended(webhookIds, wanted);
    return outcomes.map(() => undefined);
  });
  return { load, record: (outcome, endsLease) => untilRecorded(() => record({ outcome, endsLease }), stopping) };
}

/**
 * Records an attempt that was sent, however often that fails: a database that can be read and not written, as with a
 * full disk, would give the same delivery again. The endpoint's work goes on when it is stored; the places of the
 * limiter bound how many wait.
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

/** Creates the dispatcher's dependencies, and the dispatcher once it can start. */
export async function openDispatcher(
  config: Config<(typeof DISPATCHER_SETTINGS)[number]>,
  logger: Logger,
  metrics: DispatcherMetrics,
): Promise<Work> {
  const { databaseUrl: url, databasePoolSize: poolSize } = config;
  const { db, clock, databaseFaults } = openProcessDatabase({ url, poolSize }, logger, metrics);
  const takesWork = clock.isRight;
  const patienceMs = QUEUE_PATIENCE_MS;
  const queue = await openQueue({ ...storeOptions(config, logger, 'queue'), patienceMs, takesWork });
  const policy = {
    allowHttp: config.webhookAllowHttp,
    allowed: parseAllowList(config.webhookAllowedTargets),
    allowedPorts: config.webhookAllowedPorts,
  };
  const sender = createSender({
    policy,
    timeoutMs: config.tuning.webhookTimeoutMs,
    proxyUrl: config.webhookProxyUrl,
    connectionsPerReceiver: WIDEST_WINDOW,
  });
  const secretCipher = createKeyring(config.encryptionKeys);
  const { webhookRetentionDays: retentionDays, webhookConcurrency: concurrency } = config;
  const { retryTimeScale, sweepIntervalMs } = config.tuning;
  const deps = { db, send: sender.send, secretCipher, logger, metrics, retryTimeScale, retentionDays };
  let dispatcher: Dispatcher | undefined;
  return {
    about: { store: queue.store },
    clock,
    databaseFaults,
    refusal: () => keyRefusal(db, secretCipher),
    details: () => ({ queues: dispatcher?.queues() ?? {} }),
    isLive: () => dispatcher?.isLive() ?? true,
    begin: () => {
      dispatcher = startDispatcher({
        queue,
        takesWork,
        took: databaseFaults.took,
        deps: { ...deps, now: clock.now },
        concurrency,
        sweepIntervalMs,
        sendGraceMs: graceMs(config),
      });
    },
    stop: async () => {
      db.$hurry();
      await dispatcher?.stop();
      await sender.close();
      await Promise.all([queue.close(), db.$disconnect()]);
    },
  };
}
