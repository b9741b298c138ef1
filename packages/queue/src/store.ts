import type { Queue } from 'bullmq';
import type { Breaker } from './health/breaker.ts';
import type { OutageListener } from './health/outage-log.ts';

export type Store = 'redis' | 'postgres';

/** The part of BullMQ's queue that we use; the same on both stores. */
export type QueueHandle = Pick<
  Queue,
  | 'add'
  | 'addBulk'
  | 'getJob'
  | 'getJobs'
  | 'getJobCounts'
  | 'getCountsPerPriority'
  | 'remove'
  | 'pause'
  | 'resume'
  | 'isPaused'
  | 'drain'
  | 'close'
>;
/** Gets the name and the payload of a job that was received. */
export type Woken = (name: string, payload: unknown) => void;
export type Receiver = {
  isRunning(): boolean;
  /** Bounded in time, whatever the store does. */
  close(): Promise<void>;
};

export type QueueConnection = {
  store: Store;
  /** Where the store is, for operators: `Redis 10.0.0.1:6379`. */
  at: string;
  /** For calls with a waiting caller, also those of other connections to the same server. */
  breaker: Breaker;
  queue(name: string): QueueHandle;
  /** Receives the jobs of a queue until it is closed. */
  receive(queue: string, woken: Woken): Receiver;
  /** Resolves when the store answers. @throws when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type QueueOptions = OutageListener & {
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** The server itself, if `databaseUrl` leads to a pooler: a listener needs its own session. */
  directDatabaseUrl?: string | undefined;
  prefix: string;
  /** Milliseconds that a producer's call may take. Default 2000. */
  patienceMs?: number;
  /** Whether workers may take jobs at the moment; asked before each one. Default: always. */
  takesWork?: () => boolean;
};

/** The default of `patienceMs`. */
export const PATIENCE_MS = 2000;
