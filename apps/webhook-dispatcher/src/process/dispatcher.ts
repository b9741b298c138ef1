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
import type { Logger } from '@pts/runtime/logger';
import { startLoop } from '@pts/runtime/loop';
import type { SecretBox } from '@pts/runtime/secret-cipher';
import { createFailureLog } from '../attempt/failure-log.ts';
import { grouped } from '../endpoint/batcher.ts';
import { createAdmission } from '../endpoint/bulkhead.ts';
import { createFlows } from '../endpoint/concurrency-windows.ts';
import { drain } from '../endpoint/drain.ts';
import { createSlots } from '../endpoint/fair-limiter.ts';
import { endpointStore } from '../endpoint/health.ts';
import { memoize } from '../endpoint/memoize.ts';
import { pruneOld } from '../sweeps/prune.ts';
import { replay } from '../sweeps/replay.ts';
import { sweep } from '../sweeps/sweep.ts';
import { createAlarms } from '../sweeps/wake-timers.ts';
import type { DrainDeps } from './deps.ts';
import type { DispatcherMetrics } from './metrics.ts';

const STALE_MS = 180_000;
const PRUNE_EVERY_MS = 60_000;
const TELL_EVERY_MS = 5000;
/** Endpoints that a process works for at once. Those that fail get half of them. */
const ENDPOINTS = 500;
/**
 * Reads and records of this many endpoints and attempts share a statement (group commit). Records gather a little: a
 * statement costs as much as ten attempts before it has recorded one.
 */
const GROUP = { load: { most: 50, atOnce: 2 }, record: { most: 500, atOnce: 1, everyMs: 3 } };
const MOST_SECRETS = 20_000;

export type Dispatcher = { isLive(): boolean; stop(): Promise<void> };

export type DispatcherDeps = {
  db: Db;
  producer: Producer;
  send: Send;
  secretBox: Pick<SecretBox, 'open'>;
  logger: Logger;
  metrics: DispatcherMetrics;
  ladderTimeScale: number;
  /** Attempts and messages older than this are deleted. */
  retentionDays: number;
  now(): Date;
};

type Options = { queue: QueueConnection; deps: DispatcherDeps; concurrency: number; sweepIntervalMs: number };

/** Starts the worker that makes attempts, and the sweep that finds what was not woken. */
export function startDispatcher({ queue, deps, concurrency, sweepIntervalMs }: Options): Dispatcher {
  const { db, producer, logger, metrics, now } = deps;
  const stopping = new AbortController();
  const wake = (endpoint: DeliverJob) => producer.deliver([endpoint]);
  const alarms = createAlarms((endpoint) => void wake(endpoint), now);
  const flows = createFlows();
  const admission = createAdmission({ flows, alarms, now }, ENDPOINTS);
  const failures = createFailureLog(logger, now);
  const drainDeps: DrainDeps = {
    ...deps,
    failures,
    ...groupedStore(db, now),
    ...{ alarms, flows, wake, stopping: stopping.signal },
    openSecret: memoize(MOST_SECRETS, (box) => deps.secretBox.open(box)),
    endpoints: endpointStore(db),
    slots: createSlots(concurrency),
    endpointCount: admission.count,
  };
  const worker = startWorker<'deliver'>(
    queue,
    DELIVER_QUEUE,
    { deliver: (job) => admission.admit(job, () => drain(drainDeps, job)) },
    // What a killed process was working for is taken up after this long.
    { concurrency: ENDPOINTS, lockMs: 4000 },
    (err, job) => {
      if (job) metrics.jobFaults.inc({ job });
      logger.error({ err, job }, job ? 'job failed' : 'worker error');
    },
  );
  const loops = [
    startLoop('sweep', sweepIntervalMs, logger, () => sweep({ db, producer, alarms, metrics, now })),
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
      alarms.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await worker.close();
    },
  };
}

/** Many endpoints and attempts at once share their reads and writes; each attempt still waits until it is on disk. */
function groupedStore(db: Db, now: () => Date): Pick<DrainDeps, 'load' | 'record'> {
  const load = grouped(GROUP.load, async (requests: LoadRequest[]) => {
    const pages = new Map(requests.map(({ webhookId }) => [webhookId, [] as DueDelivery[]]));
    for (const delivery of await loadDue(db, requests, now())) pages.get(delivery.webhookId)?.push(delivery);
    return requests.map(({ webhookId }) => pages.get(webhookId) ?? []);
  });
  const record = grouped(GROUP.record, async (outcomes: AttemptOutcome[]) => {
    await recordAttempts(db, outcomes);
    return outcomes.map(() => undefined);
  });
  return { load, record };
}
