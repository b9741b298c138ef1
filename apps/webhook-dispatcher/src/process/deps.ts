import type { AttemptOutcome, DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import type { Send } from '@pts/egress/send';
import type { DeliverJob } from '@pts/queue/catalog';
import type { Logger } from '@pts/runtime/logger';
import type { FailureLog } from '../attempt/failure-log.ts';
import type { ConcurrencyWindows } from '../endpoint/concurrency-windows.ts';
import type { FairLimiter } from '../endpoint/fair-limiter.ts';
import type { EndpointStore } from '../endpoint/health.ts';
import type { WakeTimers } from '../sweeps/wake-timers.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** What making one attempt takes. */
export type AttemptDeps = {
  send: Send;
  /** Decrypts a stored secret. */
  decryptSecret(encrypted: string): string;
  /** Real seconds per second of the ladder; 1 outside of tests. */
  retryTimeScale: number;
  now(): Date;
};

/** What working off all that an endpoint is owed takes. */
export type DrainDeps = AttemptDeps & {
  load(request: LoadRequest): Promise<DueDelivery[]>;
  /** Endpoints that this process works for just now. */
  endpointCount(): number;
  /** Resolves once the attempt is on disk. */
  record(outcome: AttemptOutcome): Promise<void>;
  endpoints: EndpointStore;
  windows: ConcurrencyWindows;
  limiter: FairLimiter;
  wakeTimers: Pick<WakeTimers, 'at'>;
  /** Has the endpoint looked at again, behind the others that wait. */
  wake(endpoint: DeliverJob): Promise<unknown>;
  logger: Pick<Logger, 'debug'>;
  failures: Pick<FailureLog, 'attempted' | 'disabled'>;
  metrics: DispatcherMetrics;
  /** Aborted when the process is told to stop. */
  stopping: AbortSignal;
};
