import type { PageAddresses } from '@pts/core/page';
import type { ReadDb } from '@pts/db/replica';
import type { Signals } from '@pts/queue/signals';
import type { ServiceContext } from '@pts/service/context';
import type { Estimator } from '@pts/service/estimates';
import type { Bulkhead } from './http/bulkhead.ts';
import type { createAnswerHub, createEventHub, EVENT_STREAMS, STREAM_TIMES } from './streaming/hubs.ts';

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
  streams: Record<keyof typeof STREAM_TIMES, number> & {
    hub: ReturnType<typeof createAnswerHub>;
    events: Record<Exclude<keyof typeof EVENT_STREAMS, 'maxPerProcess'>, number> & {
      hub: ReturnType<typeof createEventHub>;
    };
    /** Aborted when the process stops. */
    stopping: AbortSignal;
  };
};
