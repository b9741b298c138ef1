/**
 * Gathers single calls into batches: while `atOnce` batches are under way the next gathers, so that a lone call never
 * waits and many share one run. Each caller gets its own result. A batch that fails fails all of its callers.
 */
export function grouped<I, O>(
  { most, atOnce }: { most: number; atOnce: number },
  run: (items: I[]) => Promise<O[]>,
): (item: I) => Promise<O> {
  type Waiting = { item: I; resolve(result: O): void; reject(error: unknown): void };
  const waiting: Waiting[] = [];
  let running = 0;

  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const results = await run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as O);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  };

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running >= atOnce) return;
      running += 1;
      // Whatever else this turn of the event loop asks for goes along.
      setImmediate(() => void flush());
    });
}
