import { countWithin } from '@pts/core/chunks';
import { within } from '@pts/waiting/within';

/** How much a batch may hold: items of weight 1 by default. */
export type BatchBounds<T> = { max: number; weigh?: (item: T) => number };

/**
 * Groups input, which arrives in pieces of any length, into batches of up to `most`; a batch is passed on after `waitMs` without
 * input, so that a slow sender is not kept waiting for its first answers.
 */
export async function* batchesOf<T>(
  pieces: AsyncIterable<readonly T[]>,
  { max, weigh = () => 1 }: BatchBounds<T>,
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
        while (batch.length < max) {
          const result = await within(waitMs, next, () => null);
          if (result === null || result.done) break;
          batch.push(...result.value);
          next = read();
        }
        const count = countWithin(batch, max, weigh);
        yield batch.slice(0, count);
        batch = batch.slice(count);
      }
    }
  } finally {
    void source.return?.()?.catch?.(() => {});
  }
}
