import type { PageAddresses } from '@pts/core/page';
import type { ReadDb } from '@pts/db/replica';
import type { Signals } from '@pts/queue/signals';
import type { ServiceContext } from '@pts/service/context';
import type { Estimator } from '@pts/service/estimates';
import type { Bulkhead } from './http/bulkhead.ts';
import type { AnswerHub, EventHub } from './streaming/hubs.ts';

/** The dependencies of the operations: those of the verbs, and those of streams. */
export type ApiDeps = ServiceContext & {
  bulkhead: Bulkhead;
  /** For reads that may be a little old. */
  reads: ReadDb;
  signals: Pick<Signals, 'publish'>;
  /** For the histories of callbacks. */
  estimator: Estimator;
  /** The addresses of parcels' pages, for pushes. */
  pages: PageAddresses;
  streams: StreamDeps;
};

/** The dependencies of streams. */
type StreamDeps = {
  hub: AnswerHub;
  /** Streams of an account at once, over all replicas. */
  maxConcurrency: number;
  heartbeatMs: number;
  /** How often numbers whose signal was lost are looked up. */
  pollMs: number;
  /** A stream ends after this long without an answer. */
  timeoutMs: number;
  /** A reader that reads nothing for this long counts as gone. */
  stalledMs: number;
  events: EventStreamDeps;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
};

/** The dependencies of streams of events. */
type EventStreamDeps = {
  hub: EventHub;
  /** Streams of an account at once, over all replicas. */
  maxConcurrency: number;
  heartbeatMs: number;
  /** How often events whose signal was lost are looked up. */
  pollMs: number;
  /** A stream ends after this long; its client connects again. */
  lifeMs: number;
};
