import { within } from '@pts/db/pool';

/**
 * Groups input, which arrives in pieces of any length, into batches of up to `max`; a batch is passed on after `waitMs` without
 * input, so that a slow sender is not kept waiting for its first answers.
 */
export async function* batchesOf<T>(
  pieces: AsyncIterable<readonly T[]>,
  max: number,
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
        yield batch.slice(0, max);
        batch = batch.slice(max);
      }
    }
  } finally {
    void source.return?.()?.catch?.(() => {});
  }
}
