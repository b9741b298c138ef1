import { setTimeout as delay } from 'node:timers/promises';
import type { Checks } from '@pts/core/process/readiness-check';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { LATENCY_SECONDS } from './tracing/open-metrics.ts';

export type { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A process's own registry with the default metrics of Node. */
export function createRegistry(app: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  const named = {
    name: 'pts_build_info',
    help: 'The release of the process and its version of Node.',
    labels: ['version', 'node'] as const,
  };
  gauge(registry, named).set({ version: VERSION, node: process.version }, 1);
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
  buckets = LATENCY_SECONDS,
): Histogram<L> {
  return new Histogram({ name, help, labelNames: labels, buckets, registers: [registry] });
}

/** How long the value of a cluster gauge is shown after it was set, in milliseconds. */
const MAX_AGE_MS = 60_000;

type ClusterGauge<L extends string> = Pick<Gauge<L>, 'reset' | 'get'> & {
  set(labels: Record<L, string>, value: number): void;
  remove(labels: Record<L, string>): void;
};

/**
 * A gauge of what the database says about the whole installation. A value that was not set again for a minute vanishes:
 * a figure that cannot be read any more must not look like a current one.
 */
export function clusterGauge<L extends string>(
  registry: Registry,
  { name, help, labels = [] }: Named<L>,
  elapsed: () => number = () => performance.now(),
): ClusterGauge<L> {
  const setAt = new Map<string, { labels: Record<L, string>; at: number }>();
  const shown = new Gauge<L>({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      for (const [key, { labels, at }] of setAt) {
        if (elapsed() - at <= MAX_AGE_MS) continue;
        setAt.delete(key);
        this.remove(labels);
      }
    },
  });
  // One without labels would begin at 0.
  shown.remove({} as Record<L, string>);
  return {
    set(labels, value) {
      setAt.set(JSON.stringify(labels), { labels, at: elapsed() });
      shown.set(labels, value);
    },
    remove(labels) {
      setAt.delete(JSON.stringify(labels));
      shown.remove(labels);
    },
    reset() {
      for (const { labels } of setAt.values()) shown.remove(labels);
      setAt.clear();
    },
    get: () => shown.get(),
  };
}

/**
 * The schema of the database, read when the metrics are.
 * @param read the name of its newest migration; null while it is not known
 */
export function schemaInfo(registry: Registry, read: () => string | null): void {
  new Gauge({
    name: 'pts_schema_info',
    help: 'The newest migration in the database. Absent while it is not known.',
    labelNames: ['version'],
    registers: [registry],
    collect() {
      this.reset();
      const version = read();
      if (version !== null) this.set({ version }, 1);
    },
  });
}

/** Lets counters begin at zero, so that `increase()` sees the first event. */
export function startAtZero<L extends string>(counted: Counter<L>, ...known: Record<L, string>[]): void {
  for (const labels of known) counted.inc(labels, 0);
}

/** Jobs that failed because of an internal error, by job: one metric of every process that works on jobs. */
export function jobFaults<J extends string>(registry: Registry, jobs: readonly J[]): Counter<'job'> {
  const faults = counter(registry, {
    name: 'pts_job_faults_total',
    help: 'Jobs that failed because of an internal error. Outages of the database do not count.',
    labels: ['job'],
  });
  startAtZero(faults, ...jobs.map((job) => ({ job })));
  return faults;
}

/** Errors that are the database's: one metric of every process. */
export function databaseFaults(registry: Registry): Counter<'kind'> {
  const faults = counter(registry, {
    name: 'pts_database_faults_total',
    help: 'Statements and connections that failed because the database was unreachable, or because one statement was too slow.',
    labels: ['kind'],
  });
  startAtZero(faults, { kind: 'unreachable' }, { kind: 'slow' });
  return faults;
}

/** How long reading the metrics waits for a look at the requirements; after that it shows the look before. */
const LOOK_MS = 500;

/**
 * The requirements that a process waits for, looked at when the metrics are read: also at boot, when nothing else of
 * the process reports them.
 * @param look the checks of `/readyz`. It never throws.
 */
export function unmetRequirements(registry: Registry, look: () => Promise<Checks>): void {
  let known: Checks = {};
  let looking: Promise<void> | null = null;
  const refresh = () => {
    looking ??= look()
      .then((found) => {
        known = found;
      })
      .finally(() => {
        looking = null;
      });
    return looking;
  };
  new Gauge({
    name: 'pts_requirement_unmet',
    help: '1 while a process waits for a requirement (its database, the schema, its clock or its own start), 0 while it is met.',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      await Promise.race([refresh(), delay(LOOK_MS, undefined, { ref: false })]);
      this.reset();
      for (const [check, { state }] of Object.entries(known))
        this.set({ check }, state === 'ok' || state === 'stopping' ? 0 : 1);
    },
  });
}

/** When the first certificate of the connection to the database expires, read when the metrics are. */
export function certificateExpiry(registry: Registry, read: () => Date | null): void {
  new Gauge({
    name: 'pts_certificate_expires_seconds',
    help: "Time until the database's certificate or this process's client certificate expires. Absent without TLS.",
    registers: [registry],
    collect() {
      const expiresAt = read();
      if (expiresAt === null) this.remove();
      else this.set((expiresAt.getTime() - Date.now()) / 1000);
    },
  });
}

/** How a process uses its connections to the database, read when the metrics are. */
export function poolUse(registry: Registry, read: () => { open: number; idle: number; waiting: number }): void {
  new Gauge({
    name: 'pts_database_connections',
    help: 'Connections of the pool by activity. DATABASE_POOL_SIZE is their maximum.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, idle } = read();
      this.set({ state: 'active' }, open - idle);
      this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    name: 'pts_database_waiting',
    help: 'Statements that wait for a connection of the pool.',
    registers: [registry],
    collect() {
      this.set(read().waiting);
    },
  });
}

/** How old what a replica shows is; NaN while that is not known. @param readMs milliseconds, or null */
export function replicaLag(registry: Registry, readMs: () => number | null): void {
  new Gauge({
    name: 'pts_replica_lag_seconds',
    help: 'Age of the data in the replica of DATABASE_REPLICA_URL. NaN while it is not responding.',
    registers: [registry],
    collect() {
      this.set((readMs() ?? Number.NaN) / 1000);
    },
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

/** The metrics of a process that receives wake-ups, by queue. */
export function queueMetrics(registry: Registry) {
  return {
    queueUnreachable: gauge(registry, {
      name: 'pts_queue_unreachable',
      help: '1 while a queue is not responding and the sweeps start its work.',
      labels: ['queue'],
    }),
    queueDepth: clusterGauge(registry, {
      name: 'pts_queue_depth',
      help: 'Wake-ups that no process has received. Absent while it is not known.',
      labels: ['queue'],
    }),
    queueOldestSeconds: clusterGauge(registry, {
      name: 'pts_queue_oldest_seconds',
      help: 'Waiting time of the oldest wake-up that no process has received. Absent while it is not known.',
      labels: ['queue'],
    }),
  };
}

/** The signal that work does not flow, by kind of work: one metric of every process that works. */
export function oldestDueSeconds(registry: Registry) {
  return clusterGauge(registry, {
    name: 'pts_work_oldest_due_seconds',
    help: 'How long the oldest work that no process is doing has been due, except work held back by its other side or a full process. Absent while it is not known.',
    labels: ['work'],
  });
}

/** The version that a build writes into its bundle (`scripts/parts/bundle.mjs`). */
declare const PTS_VERSION: string | undefined;

/** The version of the release; `source` where no bundle runs. */
export const VERSION = typeof PTS_VERSION === 'string' ? PTS_VERSION : 'source';
