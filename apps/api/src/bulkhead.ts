import { ApiError } from '@pts/core/errors';

/** Bulk work of accounts: one statement at a time for each, in the order in which it came. */
export type Bulkhead = {
  /**
   * Runs `work` once what the account has asked for before is done.
   * @param mostWaiting how many may be before it; none are too many without it.
   * @throws ApiError `too_many_requests` when there are more.
   */
  run<T>(accountId: string, work: () => Promise<T>, mostWaiting?: number): Promise<T>;
};

/**
 * Keeps an account that sends large batches from taking every connection to the database, and every core of its server,
 * from the others.
 */
export function createBulkhead(): Bulkhead {
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return {
    async run(accountId, work, mostWaiting = Number.POSITIVE_INFINITY) {
      const queue = queues.get(accountId) ?? { last: Promise.resolve(), waiting: 0 };
      if (queue.waiting > mostWaiting)
        throw new ApiError('too_many_requests', {
          text: 'This account has too many bulk calls under way. Back off for 120 seconds (Retry-After), then send fewer of them at once.',
        });
      queues.set(accountId, queue);
      queue.waiting += 1;
      const result = queue.last.then(work);
      queue.last = result.catch(() => {});
      try {
        return await result;
      } finally {
        queue.waiting -= 1;
        if (queue.waiting === 0) queues.delete(accountId);
      }
    },
  };
}
