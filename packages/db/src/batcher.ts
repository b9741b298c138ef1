import { countWithin } from '@pts/core/chunks';

export type Batching<I = unknown> = {
  /** The maximum size of a batch: of its calls, or of all that they ask for (`sizeOf`). A call alone may be larger. */
  max: number;
  /** The size that a call adds to its batch; default 1. */
  sizeOf?: (item: I) => number;
  /** The maximum number of running batches. */
  concurrency: number;
  /**
   * Milliseconds from the start of a batch to that of the next, unless that is full already, by the number of calls
   * that wait.
   */
  everyMs?: (waiting: number) => number;
};

/**
 * Groups single calls into batches: while `concurrency` batches run, and for `everyMs`, the next one fills, so that a
 * call after a silence never waits and many share one run. Each caller gets its own result. A batch that fails fails
 * all of its callers.
 * @param run returns a result for each item, in their order.
 */
export function createBatcher<I, O>(
  { max, concurrency, everyMs = () => 0, sizeOf = () => 1 }: Batching<I>,
  run: (items: I[]) => Promise<O[]>,
): (item: I) => Promise<O> {
  type Waiting = { item: I; resolve(result: O): void; reject(error: unknown): void };
  const waiting: Waiting[] = [];
  let running = 0;
  /** When the last batch started, in milliseconds of a monotonic clock. */
  let startedAt = Number.NEGATIVE_INFINITY;
  let called = () => {};
  const takeBatch = () =>
    waiting.splice(
      0,
      countWithin(waiting, max, ({ item }) => sizeOf(item)),
    );

  const runBatch = async () => {
    const batch = takeBatch();
    startedAt = performance.now();
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error(
          `a batch of ${batch.length} calls has returned ${results.length} results: its work must return one for each`,
        );
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  /** Resolves after `ms`, or at the next call. */
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      called = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const flush = async () => {
    while (waiting.length > 0) {
      const restMs = startedAt + everyMs(waiting.length) - performance.now();
      await (restMs > 0 && waiting.length < max ? rest(restMs) : runBatch());
    }
    running -= 1;
  };

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      called();
      if (running >= concurrency) return;
      running += 1;
      // Calls from the same turn of the event loop join the batch.
      setImmediate(() => void flush());
    });
}

/**
 * A batcher for each key, kept while it is in use: calls with the same key share batches, different keys run side by
 * side.
 */
export function createKeyedBatcher<I, O>(
  batching: Batching<I>,
  run: (key: string, items: I[]) => Promise<O[]>,
): (key: string, item: I) => Promise<O> {
  const inUse = new Map<string, { call(item: I): Promise<O>; calls: number }>();
  return async (key, item) => {
    const entry = inUse.get(key) ?? { call: createBatcher<I, O>(batching, (items) => run(key, items)), calls: 0 };
    inUse.set(key, entry);
    entry.calls += 1;
    try {
      return await entry.call(item);
    } finally {
      entry.calls -= 1;
      if (entry.calls === 0) inUse.delete(key);
    }
  };
}
