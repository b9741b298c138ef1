import type { ClaimedCheck } from '@pts/core/tracking/check';
import { expireTrackings } from '@pts/db/checks/answers';
import { claimChecks, countDue, findExpired, giveBackChecks } from '@pts/db/checks/schedule';
import { listPauses, takeProbe } from '@pts/db/providers/pauses';
import { queryQueue } from '@pts/queue/catalog';
import type { PollerDeps } from './deps.ts';
import { MOST_WAIT_SECONDS } from './pace.ts';
import { learnTrouble } from './trouble.ts';

/** Checks claimed in one statement, at most. */
const CLAIM_SIZE = 1000;
/** The sweep pauses while this many jobs wait: due work can wait in Postgres, and Redis stays small. */
const MOST_WAITING = 200;
/** Fewer, where the provider allows fewer calls in this time: what is claimed should be asked soon. */
const AHEAD_SECONDS = MOST_WAIT_SECONDS / 2;
/** Checks whose jobs could not be enqueued are due again after this. */
const LOST_AGAIN_SECONDS = 10;
const EXPIRE_SIZE = 200;

/**
 * Claims the due checks of one provider and enqueues them in batches of one call each. This, not the queue, guarantees
 * that a parcel is checked: a lost job is found here. A provider gets one call as a probe after a pause.
 */
export async function sweepDue(deps: PollerDeps): Promise<{ more: boolean }> {
  const { db, provider, producer, cadence, metrics } = deps;
  const now = deps.now();
  const pause = (await listPauses(db)).find((entry) => entry.provider === provider.name);
  learnTrouble(deps, pause);
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  metrics.paused.set({ provider: provider.name }, isPaused ? 1 : 0);
  if (isPaused)
    deps.memory.pauses.set(provider.name, `paused until ${pause.pausedUntil?.toISOString()}: ${pause.reason}`);
  else deps.memory.pauses.delete(provider.name);
  if (isPaused || deps.pace.isFar()) return { more: false };
  const { batchSize, callsPerSecond } = provider.limits;
  const callsAhead = Math.max(1, Math.floor(callsPerSecond * AHEAD_SECONDS));
  const waiting = await producer.waiting(queryQueue(provider.name));
  // The queue is unreachable: due checks stay due and are found again when it is back.
  if (waiting === null || waiting >= Math.min(MOST_WAITING, callsAhead)) return { more: false };
  const isProbe = pause?.pausedUntil != null;
  if (isProbe && !(await takeProbe(db, provider.name, now))) return { more: false };
  const limit = isProbe ? batchSize : Math.min(CLAIM_SIZE, callsAhead * batchSize);
  const claimed = await claimChecks(db, { provider: provider.name, limit, cadence, now, isProbe });
  if (claimed.length === 0) return { more: false };
  const jobs = chunks(claimed, batchSize).map((chunk) => ({ claimed: chunk }));
  if (!(await producer.query(provider.name, jobs))) return giveBack(deps, claimed);
  metrics.swept.inc({ provider: provider.name }, claimed.length);
  return { more: claimed.length === limit && !isProbe };
}

/**
 * The jobs may not have been enqueued: the checks are due again shortly, but not before the provider's
 * floor, because some may be queried anyway.
 */
async function giveBack({ db, cadence, now }: PollerDeps, claimed: readonly ClaimedCheck[]): Promise<{ more: false }> {
  const seconds = Math.max(LOST_AGAIN_SECONDS, cadence.floorSeconds);
  await giveBackChecks(
    db,
    claimed.map(({ trackingId }) => trackingId),
    new Date(now().getTime() + seconds * 1000),
  );
  return { more: false };
}

/** Stops polling parcels without news for 30 days. */
export async function sweepExpired({ db, producer, cadence, logger, now }: PollerDeps): Promise<{ more: boolean }> {
  const ids = await findExpired(db, EXPIRE_SIZE, now());
  if (ids.length === 0) return { more: false };
  const pending = await expireTrackings(db, ids, cadence, now());
  await producer.deliver(pending);
  logger.info({ expired: ids.length, pending: pending.length }, 'parcels expired');
  return { more: ids.length === EXPIRE_SIZE };
}

function chunks(items: readonly ClaimedCheck[], size: number): ClaimedCheck[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Updates the number of due checks that are not yet claimed: it grows when the pollers cannot keep up. */
export async function reportBacklog({ db, metrics, now }: PollerDeps): Promise<{ more: false }> {
  metrics.due.reset();
  for (const { provider, due } of await countDue(db, now())) metrics.due.set({ provider }, due);
  return { more: false };
}
