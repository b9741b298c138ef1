import type { ServiceContext } from '@pts/service/context';
import type { Bulkhead } from './bulkhead.ts';
import type { AnswerHub } from './streaming/hub.ts';

/** What the operations work with: what the verbs do, and what streams need. */
export type ApiDeps = ServiceContext & {
  bulkhead: Bulkhead;
  streams: StreamDeps;
};

/** What streams work with. */
export type StreamDeps = {
  hub: AnswerHub;
  /** Streams of an account at once, over all replicas. */
  mostAtOnce: number;
  heartbeatMs: number;
  /** How often numbers whose signal was lost are looked up. */
  pollMs: number;
  /** Without an answer for so long, a stream ends. */
  timeoutMs: number;
  /** A reader that takes nothing for so long has gone. */
  stalledMs: number;
  /** Aborted when the process is told to stop. */
  stopping: AbortSignal;
};
