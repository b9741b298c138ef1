import type { JobType } from 'bullmq';
import type { QueueConnection, QueueHandle } from './connection.ts';

/** The jobs that a queue holds, and whether processes may receive from it. */
export type QueueDepth = { queue: string; waiting: number; active: number; isPaused: boolean; oldestAt: Date | null };

/**
 * BullMQ 6.7: its PostgreSQL store counts the waiting jobs of a paused queue as `paused`, a state that its types do not
 * have; its Redis store counts them as `waiting`.
 */
const PAUSED = 'paused' as JobType;
/** The states of jobs that no process has received. */
const WAITING = ['waiting', PAUSED, 'prioritized', 'delayed'] as const;

/** Counts the jobs of queues. @throws if the store does not answer */
export async function readDepths(connection: QueueConnection, names: readonly string[]): Promise<QueueDepth[]> {
  const depths: QueueDepth[] = [];
  for (const name of names) depths.push(await withQueue(connection, name, (queue) => depthOf(name, queue)));
  return depths;
}

/** Keeps processes from doing the work of a queue; what runs goes on. Adding works as before. */
export function pauseQueue(connection: QueueConnection, name: string): Promise<void> {
  return withQueue(connection, name, (queue) => queue.pause());
}

export function resumeQueue(connection: QueueConnection, name: string): Promise<void> {
  return withQueue(connection, name, (queue) => queue.resume());
}

/** Removes the jobs that wait. They are only wake-ups. @returns how many waited. */
export function drainQueue(connection: QueueConnection, name: string): Promise<number> {
  return withQueue(connection, name, async (queue) => {
    const { waiting } = await depthOf(name, queue);
    await queue.drain(true);
    return waiting;
  });
}

async function depthOf(name: string, queue: QueueHandle): Promise<QueueDepth> {
  const { active = 0, ...waiting } = await queue.getJobCounts('active', ...WAITING);
  const count = Object.values(waiting).reduce((sum, each) => sum + each, 0);
  // BullMQ's PostgreSQL store lists the newest first, whatever the order that is asked for.
  const ends = count === 0 ? [] : [0, count - 1].map((at) => queue.getJobs([...WAITING], at, at, true));
  const oldest = (await Promise.all(ends)).flat();
  return {
    queue: name,
    waiting: count,
    oldestAt: oldest.length === 0 ? null : new Date(Math.min(...oldest.map(({ timestamp }) => timestamp))),
    active,
    isPaused: await queue.isPaused(),
  };
}

async function withQueue<T>(
  connection: QueueConnection,
  name: string,
  use: (queue: QueueHandle) => Promise<T>,
): Promise<T> {
  const queue = connection.queue(name);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

type Gauge = { set(labels: { queue: string }, value: number): void; remove(labels: { queue: string }): void };

export type QueueMetrics = {
  /** 1 while a queue does not answer. */
  queueUnreachable: Gauge;
  /** Wake-ups that no process has received. */
  queueDepth: Gauge;
  /** How long the oldest of them has waited; 0 without one. */
  queueOldestSeconds: Gauge;
};

/** A process's knowledge of its queues. */
export type QueueWatch = {
  /** Reads whether operators have paused it. Never throws: a queue that does not answer holds no work back. */
  isPaused(queue: string): Promise<boolean>;
  /** Whether the queue was paused when that was last read. */
  wasPaused(queue: string): boolean;
  /** Shows operators the depths of all queues. Never throws. */
  report(): Promise<{ more: false }>;
  /** The details that `/readyz` shows, by queue. */
  details(): Record<string, string>;
  close(): Promise<void>;
};

type WatchOptions = {
  connection: QueueConnection;
  queues: readonly string[];
  logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  metrics: QueueMetrics;
  now(): Date;
};

/** Watches queues for a process: operators pause them, and see what waits in them. */
export function watchQueues({ connection, queues, logger, metrics, now }: WatchOptions): QueueWatch {
  const { breaker, at } = connection;
  const handles = new Map<string, QueueHandle>();
  const paused = new Set<string>();
  const open = (name: string) => {
    const known = handles.get(name) ?? connection.queue(name);
    handles.set(name, known);
    return known;
  };
  const note = (queue: string, isPaused: boolean) => {
    if (isPaused && !paused.has(queue)) logger.warn({ queue }, pausedText(queue));
    if (!isPaused && paused.has(queue)) logger.info({ queue }, 'this queue is no longer paused');
    if (isPaused) paused.add(queue);
    else paused.delete(queue);
  };
  return {
    async isPaused(queue) {
      const isPaused = await breaker.run(() => open(queue).isPaused()).catch(() => false);
      note(queue, isPaused);
      return isPaused;
    },
    wasPaused: (queue) => paused.has(queue),
    async report() {
      for (const queue of queues) {
        const depth = await breaker.run(() => depthOf(queue, open(queue))).catch(() => null);
        metrics.queueUnreachable.set({ queue }, depth === null ? 1 : 0);
        if (depth === null) {
          metrics.queueDepth.remove({ queue });
          metrics.queueOldestSeconds.remove({ queue });
          continue;
        }
        const oldestMs = depth.oldestAt === null ? 0 : now().getTime() - depth.oldestAt.getTime();
        metrics.queueDepth.set({ queue }, depth.waiting);
        metrics.queueOldestSeconds.set({ queue }, Math.max(0, oldestMs) / 1000);
      }
      return { more: false };
    },
    details: () =>
      Object.fromEntries(
        queues.map((queue) => {
          if (paused.has(queue)) return [queue, pausedText(queue)];
          return [queue, breaker.isOpen() ? `${at} is unreachable, so the sweeps start the work` : 'ok'];
        }),
      ),
    close: async () => {
      await Promise.all([...handles.values()].map((handle) => handle.close()));
    },
  };
}

const pausedText = (queue: string) => `this queue is paused: \`npm run admin -- queues resume ${queue}\` ends it`;
