import type { CallbackAddress, ConnectedProvider } from '@pts/carriers/provider';
import type { PageAddressOf } from '@pts/core/page';
import type { ChangedAnswer, SavedApart } from '@pts/db/checks/answers';
import type { Cadence } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection';
import type { Producer } from '@pts/queue/producer';
import type { Signals } from '@pts/queue/signals';
import type { Logger } from '@pts/runtime/logger';
import type { Outcomes } from '@pts/runtime/outcomes';
import type { Estimator } from '@pts/service/estimates';
import type { PollerMetrics } from './metrics.ts';
import type { Pace } from './provider/pace.ts';
import type { ProviderMemory } from './provider/provider-memory.ts';

/** The dependencies for querying one provider. */
export type PollerDeps = {
  db: Db;
  producer: Producer;
  signals: Pick<Signals, 'publish'>;
  provider: ConnectedProvider;
  /** All providers of this process. */
  providers: readonly ConnectedProvider[];
  cadence: Cadence;
  /** Estimates from history, for carriers that give none. */
  estimator: Estimator;
  /** Stores changed answers (`createSave`). */
  save(answers: readonly ChangedAnswer[]): Promise<SavedApart>;
  /** The permits to call the provider, over all processes. */
  pace: Pace;
  /** Whether claims of the provider's checks succeed. */
  claimOutcomes: Outcomes;
  /** Where the provider sends callbacks to; null if callbacks cannot reach this installation. */
  callback: CallbackAddress | null;
  /** The addresses of buyers' pages, for pushes; absent if the installation has no public address. */
  pageOf?: PageAddressOf | undefined;
  logger: Logger;
  metrics: PollerMetrics;
  /** Of all providers of this process. */
  memory: ProviderMemory;
  now(): Date;
  /** Aborted when the process stops and no longer waits for calls in flight. */
  stopCalls: AbortSignal;
};
