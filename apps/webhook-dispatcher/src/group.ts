/**
 * Gathers single calls into batches: `run` is given up to `most` items that came within `waitMs`, and each caller gets
 * its own result. A batch that fails fails all of its callers.
 */
export function grouped<I, O>(
  options: { waitMs: number; most: number },
  run: (items: I[]) => Promise<O[]>,
): (item: I) => Promise<O> {
  type Waiting = { item: I; resolve(result: O): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length >= options.most) void flush();
      else timer ??= setTimeout(() => void flush(), options.waitMs);
    });
}
