import { PAUSED } from './bullmq/paused-jobs.ts';
import { CANARY_ID, PRIORITIES } from './catalog.ts';
import type { QueueConnection, QueueHandle } from './connection.ts';

/** What a queue holds, and whether workers may take from it. */
export type QueueDepth = { queue: string; waiting: number; active: number; isPaused: boolean; oldestAt: Date | null };

/** The states of jobs that no worker has. */
const WAITING = ['waiting', PAUSED, 'prioritized', 'delayed'] as const;

/** Counts the jobs of queues. @throws if the store does not answer */
export async function readDepths(connection: QueueConnection, names: readonly string[]): Promise<QueueDepth[]> {
  const depths: QueueDepth[] = [];
  for (const name of names) depths.push(await withQueue(connection, name, (queue) => depthOf(name, queue)));
  return depths;
}

/** Keeps workers from taking jobs of a queue; those that run go on. Adding works as before. */
export function pauseQueue(connection: QueueConnection, name: string): Promise<void> {
  return withQueue(connection, name, (queue) => queue.pause());
}

export function resumeQueue(connection: QueueConnection, name: string): Promise<void> {
  return withQueue(connection, name, (queue) => queue.resume());
}

/** Removes the jobs that wait, also for another try. They are only wake-ups. @returns how many waited. */
export function drainQueue(connection: QueueConnection, name: string): Promise<number> {
  return withQueue(connection, name, async (queue) => {
    const { waiting } = await depthOf(name, queue);
    await queue.drain(true);
    return waiting;
  });
}

async function depthOf(name: string, queue: QueueHandle): Promise<QueueDepth> {
  const { active = 0 } = await queue.getJobCounts('active');
  return { queue: name, ...(await waitingIn(queue)), active, isPaused: await queue.isPaused() };
}

/** How many jobs no worker has, and when the oldest of them was added, canaries left out. @throws if the store does not answer */
export async function waitingIn(queue: QueueHandle): Promise<{ waiting: number; oldestAt: Date | null }> {
  const counts = await queue.getJobCounts(...WAITING);
  const waiting = WAITING.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  if (waiting === 0) return { waiting, oldestAt: null };
  // The first of each state and priority is the oldest one, or else the canary, which goes to the front.
  const { [PRIORITIES.bulk]: bulk = 0 } = await queue.getCountsPerPriority([PRIORITIES.bulk]);
  const first = await queue.getJobs([...WAITING], 0, 1, true);
  const behindBulk = await queue.getJobs(['prioritized'], bulk, bulk, true);
  const added = [...first, ...behindBulk].filter(({ id }) => id !== CANARY_ID).map(({ timestamp }) => timestamp);
  return { waiting, oldestAt: added.length === 0 ? null : new Date(Math.min(...added)) };
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
