import type { Provider } from '@pts/carriers/provider';
import type { Cadence } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection/client';
import type { Producer } from '@pts/queue/producer';
import type { Signals } from '@pts/queue/signals';
import type { Logger } from '@pts/runtime/logger';
import type { PollerMetrics } from './metrics.ts';

/** What asking one provider takes. */
export type PollerDeps = {
  db: Db;
  producer: Producer;
  signals: Pick<Signals, 'publish'>;
  provider: Provider;
  cadence: Cadence;
  logger: Logger;
  metrics: PollerMetrics;
  now(): Date;
};
