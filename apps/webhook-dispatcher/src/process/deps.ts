import type { Db } from '@pts/db/connection';
import type { AttemptOutcome, DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import type { SendPush } from '@pts/egress/send';
import type { DeliverJob } from '@pts/queue/catalog';
import type { Logger } from '@pts/runtime/logger';
import type { Outcomes } from '@pts/runtime/outcomes';
import type { FailureLog } from '../attempt/failure-log.ts';
import type { Bulkhead } from '../endpoint/bulkhead.ts';
import type { ConcurrencyWindows } from '../endpoint/concurrency-windows.ts';
import type { FairLimiter } from '../endpoint/fair-limiter.ts';
import type { EndpointStore } from '../endpoint/health.ts';
import type { Leases } from '../endpoint/leases.ts';
import type { WakeTimers } from '../sweeps/wake-timers.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** The dependencies of one attempt. */
export type AttemptDeps = {
  send: SendPush;
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
  /** Resolves once the attempt is stored; `endsLease` ends the endpoint's lease together with it. */
  record(outcome: AttemptOutcome, endsLease: boolean): Promise<void>;
  endpoints: EndpointStore;
  windows: ConcurrencyWindows;
  limiter: FairLimiter;
  wakeTimers: Pick<WakeTimers, 'at'>;
  /** Wakes the endpoint again, behind the others that wait. */
  wake(endpoint: DeliverJob): Promise<unknown>;
  logger: Pick<Logger, 'debug' | 'info' | 'isLevelEnabled'>;
  failures: Pick<FailureLog, 'attempted' | 'disabled'>;
  metrics: DispatcherMetrics;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  /** Aborted when it no longer waits for receivers: an attempt in flight then stays pending, as if it had not been made. */
  stopSends: AbortSignal;
};

/** The dependencies of a `deliver` job. */
export type DeliverDeps = DrainDeps & {
  db: Db;
  leases: Leases;
  bulkhead: Bulkhead;
  /** Whether the work for endpoints succeeds; what receivers respond does not matter. */
  outcomes: Readonly<Record<'healthy' | 'failing', Outcomes>>;
};
