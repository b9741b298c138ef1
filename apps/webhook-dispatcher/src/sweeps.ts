import { BULK_ACTION_DAYS } from '@pts/core/bulk-actions';
import { KEPT_DAYS } from '@pts/core/stats';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { forgetKeys } from '@pts/db/accounts/idempotency-keys';
import { forgetBulkActions } from '@pts/db/bulk-actions';
import type { Db } from '@pts/db/connection';
import { endpointsAtWork } from '@pts/db/deliveries/attempts';
import { cancelPending, endDropping, type PendingFor, pendingEndpoints } from '@pts/db/deliveries/pending';
import { prune, readHistoryAges, rotateHistory } from '@pts/db/deliveries/retention';
import { feedReplays } from '@pts/db/deliveries/send-again';
import { forgetImports } from '@pts/db/imports';
import { forgetNotices } from '@pts/db/notices';
import { pruneStats } from '@pts/db/stats';
import { forgetRemoved } from '@pts/db/trackings/records';
import type { Kind } from '@pts/queue/loop';
import type { Loop, workLoops } from '@pts/runtime/process/loop';
import { sweepErasures } from '@pts/service/accounts';
import type { DispatcherMetrics } from './metrics.ts';

type SweepDeps = {
  db: Db;
  /** Has an endpoint served now, or at a time that is near. */
  wake(endpoint: PendingEndpoint): void;
  wakeAt(endpoint: PendingEndpoint, dueAt: Date): void;
  metrics: Pick<
    DispatcherMetrics,
    | 'pendingEndpoints'
    | 'lagSeconds'
    | 'failingSeconds'
    | 'oldestDueSeconds'
    | 'historyAheadSeconds'
    | 'historyExpiredSeconds'
  >;
  /** Whether this process would serve another endpoint of this kind at once. */
  hasFree(kind: Kind): boolean;
  retentionDays: number;
  now(): Date;
};

/** Often enough for a metric that is removed after a minute; usually nothing is to be done. */
const HISTORY_EVERY_MS = 30_000;
const PRUNE_EVERY_MS = 60_000;
const ERASE_EVERY_MS = 5000;

type Rounds = {
  start: ReturnType<typeof workLoops>;
  /** Whether deliveries must not start: an operator has paused their queue, or the clock is wrong. */
  isOff(): Promise<boolean>;
  sweepIntervalMs: number;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
};

/** Starts the sweeps. */
export function startSweeps(deps: SweepDeps, { start, isOff, sweepIntervalMs, stopping }: Rounds): Loop[] {
  return [
    start('sweep', sweepIntervalMs, async () => ((await isOff()) ? { more: false } : sweepPending(deps))),
    start('replay', sweepIntervalMs, () => sweepReplays(deps)),
    start('history', HISTORY_EVERY_MS, () => keepHistory(deps)),
    start('prune', PRUNE_EVERY_MS, () => pruneOld(deps)),
    start('erase', ERASE_EVERY_MS, () => sweepErasures(deps, () => stopping.aborted)),
  ];
}

const CANCEL_SIZE = 1000;

/**
 * Finds every endpoint with pending deliveries for which no process works: wakes it if one is due, sets a timer if one
 * soon will be. This, not the queue, guarantees that a push is made. Drops the deliveries of disabled or deleted
 * endpoints, also of one that was enabled again meanwhile.
 */
async function sweepPending({ db, wake, wakeAt, now }: SweepDeps): Promise<{ more: boolean }> {
  const pending = await pendingEndpoints(db);
  const atWork = new Set(pending.length > 0 ? await endpointsAtWork(db) : []);
  const at = now();
  const open = pending
    .filter(({ isClosed, webhookId }) => !isClosed && !atWork.has(webhookId))
    .sort((one, other) => Number(one.dueAt) - Number(other.dueAt));
  for (const endpoint of open) {
    if (endpoint.dueAt <= at) wake(endpointOf(endpoint));
    else wakeAt(endpointOf(endpoint), endpoint.dueAt);
  }
  let more = false;
  for (const endpoint of pending) {
    if (endpoint.isClosed && (await cancelPending(db, endpoint, CANCEL_SIZE)) === CANCEL_SIZE) more = true;
  }
  await endDropping(db);
  return { more };
}

const endpointOf = ({ webhookId, accountId, failingSince }: PendingFor): PendingEndpoint => ({
  webhookId,
  accountId,
  isFailing: failingSince !== null,
});

/** Makes the next pages of running replays pending, and wakes their endpoints. */
export async function sweepReplays({ db, wake, now }: SweepDeps): Promise<{ more: boolean }> {
  const { pending, more } = await feedReplays(db, now());
  for (const endpoint of pending) wake(endpoint);
  return { more };
}

/**
 * Reports the endpoints with pending deliveries, and for how long the oldest due delivery has waited that no process
 * works on although this one could: the signal that work does not flow.
 * @throws the error of the database; until it answers, nothing is known.
 */
export async function reportPending({ db, metrics, hasFree, now }: SweepDeps): Promise<{ more: false }> {
  const { pendingEndpoints: count, lagSeconds, failingSeconds, oldestDueSeconds } = metrics;
  try {
    const open = (await pendingEndpoints(db)).filter(({ isClosed }) => !isClosed);
    const atWork = new Set(await endpointsAtWork(db));
    const at = now();
    const secondsSince = (then: Date) => Math.max(0, at.getTime() - then.getTime()) / 1000;
    const oldest = (of: readonly PendingFor[]) => of.reduce((max, { dueAt }) => Math.max(max, secondsSince(dueAt)), 0);
    failingSeconds.set(
      {},
      Math.max(0, ...open.map(({ failingSince }) => (failingSince ? secondsSince(failingSince) : 0))),
    );
    for (const health of ['healthy', 'failing'] as const) {
      const endpoints = open.filter(({ failingSince }) => (failingSince !== null) === (health === 'failing'));
      const isHeldBack = !hasFree(health === 'failing' ? 'late' : 'prompt');
      count.set({ health }, endpoints.length);
      lagSeconds.set({ health }, oldest(endpoints));
      const waiting = endpoints.filter(({ webhookId }) => !atWork.has(webhookId));
      oldestDueSeconds.set({ work: health }, isHeldBack ? 0 : oldest(waiting));
    }
  } catch (error) {
    for (const gauge of [count, lagSeconds, failingSeconds, oldestDueSeconds]) gauge.reset();
    throw error;
  }
  return { more: false };
}

/** Creates partitions of the history ahead of time, drops expired ones, and reports whether that keeps up. */
async function keepHistory({ db, metrics, retentionDays, now }: SweepDeps): Promise<{ more: boolean }> {
  const retention = { retentionDays, now: now() };
  try {
    await rotateHistory(db, retention);
  } finally {
    for (const { table, aheadSeconds, expiredSeconds } of await readHistoryAges(db, retention)) {
      metrics.historyAheadSeconds.set({ table }, aheadSeconds);
      metrics.historyExpiredSeconds.set({ table }, expiredSeconds);
    }
  }
  return { more: false };
}

const PRUNE_SIZE = 1000;
/** Each may have a hundred megabytes of rows. */
const PRUNED_IMPORTS = 10;
/** Partitions of attempts hold a quarter of the retention, or a day; they are dropped soon after their end. */
const OVERDUE_DAYS = 3;
const DAY_MS = 24 * 3_600_000;

/** Deletes one small batch of each kind of expired rows. */
async function pruneOld({ db, retentionDays, now }: SweepDeps): Promise<{ more: boolean }> {
  const batch = PRUNE_SIZE;
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
  // The oldest interval that can be read is whole.
  const [hoursBefore, daysBefore] = [daysAgo(KEPT_DAYS.hour + 1), daysAgo(KEPT_DAYS.day + 1)];
  const deleted = [
    await prune(db, { before: daysAgo(retentionDays), overdue: daysAgo(1.25 * retentionDays + OVERDUE_DAYS), batch }),
    await pruneStats(db, { hoursBefore, daysBefore, batch }),
    await forgetKeys(db, { now: now(), batch }),
    await forgetRemoved(db, { now: now(), batch }),
    await forgetNotices(db, { before: daysAgo(retentionDays), now: now(), batch }),
    await forgetBulkActions(db, { before: daysAgo(BULK_ACTION_DAYS), batch }),
  ];
  const imports = await forgetImports(db, { now: now(), batch: PRUNED_IMPORTS });
  return { more: imports >= PRUNED_IMPORTS || deleted.some((count) => count >= PRUNE_SIZE) };
}

/** The sweep runs again long before then. */
const HORIZON_MS = 5000;

/** One timer per endpoint, for the earliest due time; after a crash, the sweep of any process sets it again. */
export function createWakeTimers(wake: (endpoint: PendingEndpoint) => void, now: () => Date) {
  const set = new Map<string, { dueAt: number; timer: NodeJS.Timeout }>();
  let isStopped = false;
  return {
    /** Wakes an endpoint when its next attempt is due, if that is soon. Later ones wait in Postgres only. */
    at(endpoint: PendingEndpoint, dueAt: Date) {
      if (isStopped) return;
      const due = dueAt.getTime();
      const known = set.get(endpoint.webhookId);
      const delayMs = due - now().getTime();
      if (delayMs > HORIZON_MS || (known && known.dueAt <= due)) return;
      clearTimeout(known?.timer);
      const ring = () => {
        set.delete(endpoint.webhookId);
        wake(endpoint);
      };
      // A timer may be a millisecond early, and would then find nothing due.
      set.set(endpoint.webhookId, { dueAt: due, timer: setTimeout(ring, Math.max(0, delayMs) + 1) });
    },
    stop() {
      isStopped = true;
      for (const { timer } of set.values()) clearTimeout(timer);
      set.clear();
    },
  };
}
