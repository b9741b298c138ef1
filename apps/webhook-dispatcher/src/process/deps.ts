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

/** The dependencies of one attempt. */
export type AttemptDeps = {
  send: Send;
  /** Decrypts a stored secret. */
  decryptSecret(encrypted: string): string;
  /** Real seconds per second of the retry schedule; 1 outside of tests. */
  retryTimeScale: number;
  now(): Date;
};

/** The dependencies for delivering everything that is pending for an endpoint. */
export type DrainDeps = AttemptDeps & {
  load(request: LoadRequest): Promise<DueDelivery[]>;
  /** Endpoints that this process currently serves. */
  endpointCount(): number;
  /** Resolves once the attempt is stored; `endsTurn` ends the endpoint's turn together with it. */
  record(outcome: AttemptOutcome, endsTurn: boolean): Promise<void>;
  endpoints: EndpointStore;
  windows: ConcurrencyWindows;
  limiter: FairLimiter;
  wakeTimers: Pick<WakeTimers, 'at'>;
  /** Wakes the endpoint again, behind the others that wait. */
  wake(endpoint: DeliverJob): Promise<unknown>;
  logger: Pick<Logger, 'debug' | 'isLevelEnabled'>;
  failures: Pick<FailureLog, 'attempted' | 'disabled'>;
  metrics: DispatcherMetrics;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  /** Aborted when it no longer waits for receivers: an attempt in flight then stays pending, as if it had not been made. */
  stopSends: AbortSignal;
};
