const TIME_IS_UP = Symbol('time is up');

/** How much a batch may hold: items of weight 1 by default. */
export type BatchBounds<T> = { most: number; weigh?: (item: T) => number };

/**
 * Groups input, which arrives in pieces of any length, into batches of up to `most`; a batch is passed on after `waitMs` without
 * input, so that a slow sender is not kept waiting for its first answers.
 */
export async function* batchesOf<T>(
  pieces: AsyncIterable<readonly T[]>,
  { most, weigh = () => 1 }: BatchBounds<T>,
  waitMs: number,
): AsyncGenerator<T[]> {
  const source = pieces[Symbol.asyncIterator]();
  const read = () => {
    const result = source.next();
    // It may fail while a batch is in use, when nobody waits for it yet: it is reported with the next batch.
    result.catch(() => {});
    return result;
  };
  let next = read();
  try {
    for (let piece = await next; !piece.done; piece = await next) {
      let batch = [...piece.value];
      next = read();
      while (batch.length > 0) {
        while (batch.length < most) {
          const result = await within(waitMs, next);
          if (result === TIME_IS_UP || result.done) break;
          batch.push(...result.value);
          next = read();
        }
        const count = countWithin(batch, most, weigh);
        yield batch.slice(0, count);
        batch = batch.slice(count);
      }
    }
  } finally {
    void source.return?.()?.catch?.(() => {});
  }
}

/** How many of the first items are within a weight: at least one. */
function countWithin<T>(items: readonly T[], most: number, weigh: (item: T) => number): number {
  let weight = 0;
  const over = items.findIndex((item) => {
    weight += weigh(item);
    return weight > most;
  });
  return over < 0 ? items.length : Math.max(1, over);
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof TIME_IS_UP> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof TIME_IS_UP>((resolve) => {
    timer = setTimeout(() => resolve(TIME_IS_UP), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
