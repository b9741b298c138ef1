import type { Db } from '@pts/db/client';
import { cancelUndeliverable, sweepOwed } from '@pts/db/deliveries';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import type { Producer } from '@pts/queue/producer';
import type { DispatcherMetrics } from './metrics.ts';

export type SweepDeps = { db: Db; producer: Producer; metrics: DispatcherMetrics; now(): Date };

const SWEEP_SIZE = 500;
/** The sweep holds back while this many jobs wait: what is owed can wait in Postgres, and Redis stays small. */
const MOST_WAITING = 5000;

/** Finds deliveries whose wake-up was lost or whose later attempt is near, and enqueues them again. */
export async function sweep({ db, producer, metrics, now }: SweepDeps): Promise<{ more: boolean }> {
  const waiting = await producer.waiting(DELIVER_QUEUE);
  if (waiting === null || waiting >= MOST_WAITING) return { more: false };
  const swept = await sweepOwed(db, SWEEP_SIZE, now());
  if (swept.length === 0) return { more: false };
  const at = now().getTime();
  await producer.deliver(swept.map(({ dueAt, ...owed }) => ({ ...owed, delayMs: dueAt.getTime() - at })));
  metrics.swept.inc(swept.length);
  return { more: swept.length === SWEEP_SIZE };
}

/** Drops what is owed to endpoints that were disabled or deleted meanwhile. */
export async function cancel({ db }: SweepDeps): Promise<{ more: boolean }> {
  await cancelUndeliverable(db);
  return { more: false };
}
