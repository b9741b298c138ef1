import type { Db } from '@pts/db/connection';
import { endpointsAtWork } from '@pts/db/deliveries/attempts';
import { type PendingFor, pendingEndpoints } from '@pts/db/deliveries/pending';
import { createBacklogWatch } from '@pts/runtime/backlog-watch';
import type { Logger } from '@pts/runtime/logger';
import type { Outcomes } from '@pts/runtime/outcomes';
import type { DispatcherMetrics } from '../process/metrics.ts';

/** Endpoints that accept deliveries, and those that do not at the moment. */
export type Health = 'healthy' | 'failing';
const HEALTHS: readonly Health[] = ['healthy', 'failing'];

/** Whether deliveries are due, and how long the oldest that no process works on has waited. */
type Pending = { isDue: boolean; oldestSeconds: number };

export type BacklogDeps = {
  db: Db;
  logger: Pick<Logger, 'warn' | 'info'>;
  metrics: Pick<DispatcherMetrics, 'backlogGrowing' | 'pendingEndpoints' | 'lagSeconds' | 'failingSeconds'>;
  outcomes: Readonly<Record<Health, Pick<Outcomes, 'isFailing'>>>;
  /** Whether this process could serve another endpoint, even a failing one. */
  hasFree(): boolean;
  now(): Date;
};

/**
 * Reports the endpoints with pending deliveries, and warns when their deliveries cannot be sent because of an internal error, or
 * when they wait longer and longer although no process serves them and this one has free places.
 */
export function createBacklogReport({ db, logger, metrics, outcomes, hasFree, now }: BacklogDeps) {
  const watch = createBacklogWatch<'health'>({ logger, growing: metrics.backlogGrowing });

  async function read(): Promise<Record<Health, Pending>> {
    const open = (await pendingEndpoints(db)).filter(({ isClosed }) => !isClosed);
    const atWork = new Set(await endpointsAtWork(db));
    const at = now();
    const secondsSince = (then: Date) => Math.max(0, at.getTime() - then.getTime()) / 1000;
    const failingFor = open.map(({ failingSince }) => (failingSince === null ? 0 : secondsSince(failingSince)));
    metrics.failingSeconds.set({}, Math.max(0, ...failingFor));
    const oldest = (endpoints: readonly PendingFor[]) =>
      endpoints.reduce((max, { dueAt }) => Math.max(max, secondsSince(dueAt)), 0);
    const pendingOf = (health: Health): Pending => {
      const endpoints = open.filter(({ failingSince }) => (failingSince !== null) === (health === 'failing'));
      metrics.pendingEndpoints.set({ health }, endpoints.length);
      metrics.lagSeconds.set({ health }, oldest(endpoints));
      const waiting = endpoints.filter(({ webhookId }) => !atWork.has(webhookId));
      return { isDue: endpoints.some(({ dueAt }) => dueAt <= at), oldestSeconds: oldest(waiting) };
    };
    return { healthy: pendingOf('healthy'), failing: pendingOf('failing') };
  }

  /** What is not known any more must not stay as it was. */
  function forget(): void {
    for (const gauge of [metrics.pendingEndpoints, metrics.lagSeconds, metrics.failingSeconds]) gauge.reset();
  }

  return {
    /** What `/readyz` shows, by the health of endpoints. */
    details: watch.details,
    /** @throws the error of the database, after a look at what is known without it. */
    async round(): Promise<{ more: false }> {
      let pending: Record<Health, Pending> | null = null;
      try {
        pending = await read();
      } finally {
        if (pending === null) forget();
        for (const health of HEALTHS) {
          const { isDue, oldestSeconds } = pending?.[health] ?? { isDue: true, oldestSeconds: null };
          const isFailing = outcomes[health].isFailing() && isDue;
          watch.look({ health }, { oldestSeconds, isFailing, isHeldBack: !hasFree() });
        }
      }
      return { more: false };
    },
  };
}
