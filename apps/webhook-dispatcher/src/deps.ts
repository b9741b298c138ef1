import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries';
import type { OwedDelivery } from '@pts/db/messages';
import type { Send } from '@pts/egress/send';
import type { Producer } from '@pts/queue/producer';
import type { Logger } from '@pts/runtime/logger';
import type { SecretBox } from '@pts/runtime/secret-box';
import type { DispatcherMetrics } from './metrics.ts';

/** What making one attempt takes. */
export type DeliverDeps = {
  /** The delivery, if this very attempt of it is due now. */
  load(owed: OwedDelivery): Promise<DueDelivery | null>;
  /** Resolves once the attempt is on disk. */
  record(outcome: AttemptOutcome): Promise<void>;
  send: Send;
  producer: Pick<Producer, 'deliver'>;
  secretBox: Pick<SecretBox, 'open'>;
  logger: Logger;
  metrics: DispatcherMetrics;
  /** Real seconds per second of the ladder; 1 outside of tests. */
  ladderTimeScale: number;
  now(): Date;
};
