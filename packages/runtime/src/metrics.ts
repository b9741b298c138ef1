import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A process's own registry with the default metrics of Node. */
export function createRegistry(app: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  return registry;
}

type Named<L extends string> = { name: string; help: string; labels?: readonly L[] };

export function counter<L extends string>(registry: Registry, { name, help, labels = [] }: Named<L>): Counter<L> {
  return new Counter({ name, help, labelNames: labels, registers: [registry] });
}

export function gauge<L extends string>(registry: Registry, { name, help, labels = [] }: Named<L>): Gauge<L> {
  return new Gauge({ name, help, labelNames: labels, registers: [registry] });
}

/** @param buckets upper bounds in seconds. */
export function histogram<L extends string>(
  registry: Registry,
  { name, help, labels = [] }: Named<L>,
  buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
): Histogram<L> {
  return new Histogram({ name, help, labelNames: labels, buckets, registers: [registry] });
}

/** Jobs that failed because of an internal error, by job: one metric of every process that works on jobs. */
export function jobFaults(registry: Registry): Counter<'job'> {
  return counter(registry, {
    name: 'pts_job_faults_total',
    help: 'Jobs that failed because of an internal error.',
    labels: ['job'],
  });
}

/** Wake-up jobs that could not be enqueued: one metric of every process that adds jobs. */
export function wakeUpsLost(registry: Registry): Counter<never> {
  return counter<never>(registry, {
    name: 'pts_wake_ups_lost_total',
    help: 'Wake-up jobs that could not be enqueued.',
  });
}

/** How wrong the clock of this machine is, measured against the database's. */
export function clockSkewSeconds(registry: Registry): Gauge<never> {
  return gauge<never>(registry, {
    name: 'pts_clock_skew_seconds',
    help: "How far the machine's clock is ahead of the database's.",
  });
}

/** What the canaries of a process's workers show: one set of every process that works on jobs. */
export function canaryMetrics(registry: Registry) {
  return {
    canaryAgeSeconds: gauge(registry, {
      name: 'pts_canary_age_seconds',
      help: 'Seconds since the last proof that work flows through a queue and that this process takes part.',
      labels: ['queue'],
    }),
    canaryLatencySeconds: gauge(registry, {
      name: 'pts_canary_latency_seconds',
      help: 'Seconds that the last canary of a queue waited until this process took it.',
      labels: ['queue'],
    }),
    queueUnreachable: gauge(registry, {
      name: 'pts_queue_unreachable',
      help: '1 while a queue does not answer and the sweeps start its work.',
      labels: ['queue'],
    }),
  };
}
