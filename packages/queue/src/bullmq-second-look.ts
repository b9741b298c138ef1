import type { RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';

/** BullMQ's answer to a claim for which no job waits. */
const NONE: Awaited<ReturnType<RedisQueueBackend['moveToActive']>> = [null, '', 0, 0] as never;

/**
 * BullMQ 6.7 sets the marker that wakes a waiting worker for each job that is claimed, even if no other waits. So a worker that a
 * single job woke claims three times: that job, then none, and none again after the marker has woken it once more. Here it
 * removes the marker after the first claim and only asks whether another job waits; one that is added later sets the marker again.
 */
export function withoutSecondLook(backend: RedisQueueBackend, client: () => Redis): RedisQueueBackend {
  const { moveToActive, waitForJob } = backend;
  let [isWoken, hasClaimed] = [false, false];
  const isAnyWaiting = async () => {
    const pipeline = client().pipeline().zrem(backend.toKey('marker'), '0').llen(backend.toKey('wait'));
    const [, [error, waiting] = [null, 0]] = (await pipeline.exec()) ?? [];
    if (error) throw error;
    return Number(waiting) > 0;
  };
  backend.waitForJob = async (seconds) => {
    const waited = await waitForJob.call(backend, seconds);
    isWoken = true;
    return waited;
  };
  backend.moveToActive = async (token, name) => {
    const isSecond = hasClaimed;
    hasClaimed = false;
    if (isSecond && !(await isAnyWaiting())) return NONE;
    const next = await moveToActive.call(backend, token, name);
    hasClaimed = isWoken && Boolean(next[0]);
    isWoken = false;
    return next;
  };
  return backend;
}
