import type { CallbackAddress, ConnectedProvider } from '@pts/carriers/provider';
import type { PageAddresses } from '@pts/core/page';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import type { ChangedAnswer, SavedApart } from '@pts/db/checks/answers';
import type { Cadence } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection';
import type { ParcelsJob } from '@pts/queue/catalog';
import type { WorkLoop } from '@pts/queue/loop';
import type { Signals } from '@pts/queue/signals';
import type { Producer } from '@pts/queue/wake';
import type { Logger } from '@pts/runtime/logger';
import type { Took, workLoops } from '@pts/runtime/process/loop';
import type { Estimator } from '@pts/service/estimates';
import type { Breaker, ProviderMemory } from './memory.ts';
import type { PollerMetrics } from './metrics.ts';
import type { Pace } from './pace.ts';

/** The dependencies that the work for all providers shares. */
export type Installation = {
  db: Db;
  producer: Producer;
  signals: Pick<Signals, 'publish'>;
  /** All providers of this process. */
  providers: readonly ConnectedProvider[];
  /** Estimates from history, for carriers that give none. */
  estimator: Estimator;
  /** The addresses of parcels' pages, for pushes. */
  pages: PageAddresses;
  logger: Logger;
  metrics: PollerMetrics;
  memory: ProviderMemory;
  now(): Date;
  /** Aborted when the process stops and no longer waits for calls in flight. */
  stopCalls: AbortSignal;
};

/** The dependencies for querying one provider. */
export type PollerDeps = Installation & {
  provider: ConnectedProvider;
  cadence: Cadence;
  /** Stores changed answers (`createSave`). */
  save(answers: readonly ChangedAnswer[]): Promise<SavedApart>;
  /** The permits to call the provider, over all processes. */
  pace: Pace;
  /** Where the provider sends callbacks to; null if callbacks cannot reach this installation. */
  callback: CallbackAddress | null;
  /** Pauses calls of this kind: queries, unless said otherwise. */
  breaker: Breaker;
};

/** Numbers to subscribe to in one call; the other inputs are in Postgres. */
export type Numbers = readonly { carrier: string; trackingNumber: string }[];

/** Checks that a sweep has claimed, or parcels of a wake-up, whose checks have to be claimed. */
export type Query = { claimed: ClaimedCheck[] } | ParcelsJob;
/** Work that a provider is called for. */
export type ProviderWork = Query | { numbers: Numbers };
/** The calls to a provider: a slow one delays only its own. */
export type AskLoop = WorkLoop<ProviderWork>;

/** How sweeps are repeated. */
export type Rounds = {
  /** Whether the work of a queue must not start: an operator has paused it, or the clock is wrong. */
  isOff(queue: string): Promise<boolean>;
  sweepIntervalMs: number;
  /** Reports outages of the database. */
  took: Took;
  start: ReturnType<typeof workLoops>;
};
