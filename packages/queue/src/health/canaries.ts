import type { FlowState } from '@pts/core/process/flow';
import type { QueueConnection } from '../connection.ts';
import type { StartedWorker } from '../worker.ts';
import { type Canary, createCanary } from './canary.ts';

type Gauge = { set(labels: { queue: string }, value: number): void; remove(labels: { queue: string }): void };

/** The metrics of canaries. */
export type CanaryMetrics = {
  /** Seconds since the last proof that work flows. */
  canaryAgeSeconds: Gauge;
  /** Seconds that the last canary waited for this process. */
  canaryLatencySeconds: Gauge;
  /** 1 while the queue does not answer. */
  queueUnreachable: Gauge;
  /** Jobs that no worker has. */
  queueDepth: Gauge;
  /** How long the oldest of them has waited; 0 without one. */
  queueOldestSeconds: Gauge;
};

type Logger = {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
};

/** The canaries of a process, one for each of its workers. */
export type Canaries = {
  /** Runs a round of each canary and reports it to operators. Call it every `CANARY_EVERY_MS`. */
  round(): Promise<{ more: false }>;
  /** What `/readyz` shows, by queue. */
  details(): Record<string, string>;
  /** False when a worker is stuck although its store answers: the process should be restarted. */
  isLive(): boolean;
  close(): Promise<void>;
};

type Options = {
  connection: QueueConnection;
  /** By queue. */
  workers: Readonly<Record<string, Pick<StartedWorker, 'answers' | 'onCanary'>>>;
  logger: Logger;
  metrics: CanaryMetrics;
  now(): Date;
};

export function createCanaries({ connection, workers, logger, metrics, now }: Options): Canaries {
  const canaries = Object.entries(workers).map(([queue, worker]) => createCanary({ connection, queue, worker, now }));
  /** Queues with a warning that the log has reported. */
  const reported = new Map<string, FlowState>();
  const report = (canary: Canary, state: FlowState) => {
    const { queue } = canary;
    if ((state === 'unconsumed' || state === 'stuck') && reported.get(queue) !== state) {
      reported.set(queue, state);
      logger.warn({ queue, state, seconds: Math.round(canary.ageSeconds()) }, warningOf(canary, state));
    }
    if (state === 'healthy' && reported.delete(queue)) logger.info({ queue }, 'work flows through the queue again');
  };
  const show = (canary: Canary, state: FlowState) => {
    const labels = { queue: canary.queue };
    metrics.queueUnreachable.set(labels, state === 'unreachable' ? 1 : 0);
    // The sweeps do the work of a queue that is unreachable: its canary must not raise a second alarm.
    if (state === 'unreachable') metrics.canaryAgeSeconds.remove(labels);
    else metrics.canaryAgeSeconds.set(labels, canary.ageSeconds());
    const latency = canary.latencySeconds();
    if (latency !== null) metrics.canaryLatencySeconds.set(labels, latency);
    const waiting = canary.waiting();
    if (waiting === null) {
      metrics.queueDepth.remove(labels);
      metrics.queueOldestSeconds.remove(labels);
    } else {
      metrics.queueDepth.set(labels, waiting.jobs);
      metrics.queueOldestSeconds.set(labels, waiting.oldestSeconds);
    }
  };
  return {
    async round() {
      // One after the other: many providers must not cause a burst on the store.
      for (const canary of canaries) {
        const state = await canary.round();
        report(canary, state);
        show(canary, state);
      }
      return { more: false };
    },
    details: () => Object.fromEntries(canaries.map((canary) => [canary.queue, inWords(canary, connection.at)])),
    isLive: () => !canaries.some((canary) => canary.needsRestart()),
    close: async () => void (await Promise.all(canaries.map((canary) => canary.close()))),
  };
}

const WARNINGS = {
  unconsumed: 'no process takes the jobs of this queue',
  stuck: 'this process takes no jobs from its queue, although the queue answers',
} as const;

const warningOf = (canary: Canary, state: keyof typeof WARNINGS) =>
  canary.isPaused() ? pausedText(canary) : WARNINGS[state];

const pausedText = ({ queue }: Canary) => `this queue is paused: \`npm run admin -- queues resume ${queue}\` ends it`;

function inWords(canary: Canary, at: string): string {
  const state = canary.state();
  switch (state) {
    case 'starting':
    case 'healthy':
      return canary.isPaused() ? pausedText(canary) : state;
    case 'unreachable':
      return `${at} is unreachable: the sweeps start the work`;
    case 'unconsumed':
    case 'stuck':
      return `${warningOf(canary, state)}, for ${Math.round(canary.ageSeconds())} s`;
  }
}
