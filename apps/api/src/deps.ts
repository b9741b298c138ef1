import type { Provider } from '@pts/carriers/provider';
import type { Plan } from '@pts/core/account/plan';
import type { UrlPolicy } from '@pts/core/webhook/url-policy';
import type { Db } from '@pts/db/client';
import type { Send } from '@pts/egress/send';
import type { Producer } from '@pts/queue/producer';
import type { SecretBox } from '@pts/runtime/secret-box';
import type { Bulkhead } from './bulkhead.ts';
import type { AnswerHub } from './streaming/hub.ts';

/** What the endpoints work with. */
export type ApiDeps = {
  db: Db;
  producer: Producer;
  bulkhead: Bulkhead;
  /** In order of preference. */
  providers: readonly Provider[];
  /** Whether numbers of no known carrier go to the sandbox. */
  sandbox: boolean;
  send: Send;
  secretBox: SecretBox;
  urlPolicy: UrlPolicy;
  quotas: Record<Plan, number>;
  monitoredSeconds: number;
  idleSeconds: number;
  /** How long messages and their deliveries are kept. */
  retentionDays: number;
  now(): Date;
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
