import { randomBytes } from 'node:crypto';
import { type Flow, type FlowState, flowState, look, NO_FLOW, needsRestart } from '@pts/core/process/flow';
import { CANARY_ID, DELIVER_QUEUE, jobOptions } from '../catalog.ts';
import type { QueueConnection, QueueHandle } from '../connection.ts';
import { waitingIn } from '../operate.ts';
import type { CanaryListener } from '../worker.ts';

/** How often to call `round`. */
export const CANARY_EVERY_MS = 15_000;
/** All processes together send at most one canary in this time. */
const RARELY_MS = 10_000;

/** To a worker that does not know canaries, one is a wake-up for which nothing is due. */
const PAYLOADS = {
  query: { ids: [CANARY_ID], accounts: [CANARY_ID] },
  deliver: { webhookId: CANARY_ID, accountId: CANARY_ID, isFailing: false },
} as const;

/** Proves that work flows through one queue, and that this process's worker takes part in it. */
export type Canary = {
  queue: string;
  /** Looks at the queue and the worker, and adds a canary unless one waits. Bounded in time; never throws. */
  round(): Promise<FlowState>;
  state(): FlowState;
  /** Whether an operator had paused the queue at the last look that it answered. */
  isPaused(): boolean;
  /** Seconds since the last proof, or since the start. */
  ageSeconds(): number;
  /** Seconds that the last canary waited until this process's worker took it; null before the first. */
  latencySeconds(): number | null;
  /** What waited in the queue at the last look, besides the canary; null if it did not answer. */
  waiting(): { jobs: number; oldestSeconds: number } | null;
  /** Whether the process should be restarted: the store answers others, but its worker has had no answer for long. */
  needsRestart(): boolean;
  /** Takes the canary out of the queue. */
  close(): Promise<void>;
};

type Options = {
  connection: QueueConnection;
  queue: string;
  worker: { answers(): number; onCanary(listener: CanaryListener): void };
  /** The time that all processes share. */
  now(): Date;
};

/** A canary for a worker. It is a job of the worker's queue, which any process may take. */
export function createCanary({ connection, queue: name, worker, now }: Options): Canary {
  let queue: QueueHandle | undefined;
  let flow: Flow = NO_FLOW;
  let provenAt = performance.now();
  let latencySeconds: number | null = null;
  let waiting: ReturnType<Canary['waiting']> = null;
  let isPaused = false;
  worker.onCanary((addedAtMs) => {
    latencySeconds = Math.max(0, now().getTime() - addedAtMs) / 1000;
  });
  const opened = () => {
    queue ??= connection.queue(name);
    return queue;
  };
  const readWaiting = async (canaries: number) => {
    const { waiting, oldestAt } = await connection.breaker.run(() => waitingIn(opened()));
    const oldestMs = oldestAt === null ? 0 : now().getTime() - oldestAt.getTime();
    return { jobs: Math.max(0, waiting - canaries), oldestSeconds: Math.max(0, oldestMs) / 1000 };
  };
  const add = async () => {
    const id = randomBytes(6).toString('hex');
    await connection.breaker.run(() => opened().addBulk([canaryJob(name, id, now())]));
    return id;
  };
  return {
    queue: name,
    async round() {
      try {
        const canary = idOf(await connection.breaker.run(() => opened().getJob(CANARY_ID)));
        flow = look(flow, { isUnreachable: false, canary, answers: worker.answers() });
        waiting = await readWaiting(canary === null ? 0 : 1);
        isPaused = await connection.breaker.run(() => opened().isPaused());
        if (canary === null) flow = { ...flow, canary: await add() };
      } catch {
        waiting = null;
        flow = look(flow, { isUnreachable: true });
      }
      if (flow.isProof || flow.isUnreachable) provenAt = performance.now();
      return flowState(flow);
    },
    state: () => flowState(flow),
    isPaused: () => isPaused,
    ageSeconds: () => (performance.now() - provenAt) / 1000,
    latencySeconds: () => latencySeconds,
    waiting: () => waiting,
    needsRestart: () => needsRestart(flow),
    async close() {
      if (!queue) return;
      if (!connection.breaker.isOpen()) await connection.breaker.run(() => opened().remove(CANARY_ID)).catch(() => {});
      await queue.close();
    },
  };
}

/**
 * One at a time in each queue, whatever the number of processes: its id is taken while it waits. It goes to the front: a
 * backlog raises no alarm.
 */
function canaryJob(queue: string, canary: string, now: Date) {
  const name = queue === DELIVER_QUEUE ? 'deliver' : 'query';
  return {
    name,
    data: { ...PAYLOADS[name], canary, addedAtMs: now.getTime() },
    opts: {
      ...jobOptions(name),
      jobId: CANARY_ID,
      timestamp: now.getTime(),
      deduplication: { id: CANARY_ID, ttl: RARELY_MS },
      lifo: true,
    },
  };
}

function idOf(job: { data: { canary?: unknown } } | undefined): string | null {
  const id = job?.data.canary;
  return typeof id === 'string' ? id : null;
}
