import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { AttemptOutcome, DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import type { SendPush } from '@pts/egress/send';
import type { Logger } from '@pts/runtime/logger';
import type { FailureLog } from './failure-log.ts';
import type { EndpointStore } from './health.ts';
import type { ConcurrencyWindows, FairLimiter } from './limiter.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** The dependencies for delivering what is pending for endpoints, by what they are for. */
export type DrainDeps = { store: Store; admission: Admission; receiver: Receiver; reporting: Reporting; clock: Clock };

/** The pending deliveries and their outcomes. */
export type Store = {
  load(request: LoadRequest): Promise<readonly DueDelivery[]>;
  /** Resolves once the attempt is stored; `endsLease` ends the endpoint's lease together with it. */
  record(outcome: AttemptOutcome, endsLease: boolean): Promise<void>;
  endpoints: EndpointStore;
};

/** How much is sent at once. */
type Admission = {
  windows: ConcurrencyWindows;
  limiter: FairLimiter;
  /** Endpoints that this process currently serves. */
  endpointCount(): number;
};

/** How a push is signed and sent. */
export type Receiver = {
  send: SendPush;
  /** Decrypts a stored secret. */
  decryptSecret(encrypted: string): string;
  /** Real seconds per second of the retry schedule; 1 outside of tests. */
  retryTimeScale: number;
};

/** The logs and metrics that operators see. */
export type Reporting = {
  logger: Pick<Logger, 'debug' | 'info' | 'isLevelEnabled'>;
  failures: Pick<FailureLog, 'attempted' | 'disabled'>;
  metrics: Pick<DispatcherMetrics, 'attempts' | 'sendSeconds' | 'pushSeconds' | 'scanPushSeconds'>;
};

/** When something happens. */
type Clock = {
  now(): Date;
  /** Wakes the endpoint again, behind the others that wait. */
  wake(endpoint: PendingEndpoint): void;
  /** Wakes it at that time, if that is soon. */
  wakeAt(endpoint: PendingEndpoint, dueAt: Date): void;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  /**
   * Aborted when it no longer waits for receivers: an attempt in flight then stays pending, as if it had not been made.
   */
  stopSends: AbortSignal;
};
