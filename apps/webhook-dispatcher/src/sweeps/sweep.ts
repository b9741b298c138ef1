import type { Db } from '@pts/db/connection';
import { cancelPending, endDropping, type PendingFor, pendingEndpoints } from '@pts/db/deliveries/pending';
import type { DeliverJob } from '@pts/queue/catalog';
import type { WakeTimers } from './wake-timers.ts';

/** Wakes endpoints through the queue, or directly while it is unavailable. */
export type WakeAll = (endpoints: readonly DeliverJob[]) => Promise<void>;

export type SweepDeps = {
  db: Db;
  wakeAll: WakeAll;
  wakeTimers: Pick<WakeTimers, 'at'>;
  now(): Date;
};

const WAKE_SIZE = 1000;
const CANCEL_SIZE = 1000;

/**
 * Finds every endpoint with pending deliveries: wakes it if one is due, sets a wake timer if one soon will be, and
 * drops the deliveries of disabled or deleted endpoints, also of one that was enabled again meanwhile. An endpoint that is already awake is left as it is.
 */
export async function sweep({ db, wakeAll, wakeTimers, now }: SweepDeps): Promise<{ more: boolean }> {
  const pending = await pendingEndpoints(db);
  const at = now();
  const open = pending
    .filter(({ isClosed }) => !isClosed)
    .sort((one, other) => Number(one.dueAt) - Number(other.dueAt));
  const due = open.filter(({ dueAt }) => dueAt <= at).map(jobFor);
  for (let i = 0; i < due.length; i += WAKE_SIZE) await wakeAll(due.slice(i, i + WAKE_SIZE));
  for (const endpoint of open) if (endpoint.dueAt > at) wakeTimers.at(jobFor(endpoint), endpoint.dueAt);
  const more = await cancel(db, pending);
  await endDropping(db);
  return { more };
}

const jobFor = ({ webhookId, accountId, failingSince }: PendingFor): DeliverJob => ({
  webhookId,
  accountId,
  isFailing: failingSince !== null,
});

async function cancel(db: Db, pending: readonly PendingFor[]): Promise<boolean> {
  let more = false;
  for (const endpoint of pending) {
    if (endpoint.isClosed && (await cancelPending(db, endpoint, CANCEL_SIZE)) === CANCEL_SIZE) more = true;
  }
  return more;
}
