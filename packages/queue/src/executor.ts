/**
 * The places in which a process works, for the jobs of a queue and for work that a sweep hands over directly while the
 * queue is unavailable. Both together never use more places than there are.
 */
export type Executor = {
  /** Runs the work of a job as soon as a place is free. */
  run<T>(work: () => Promise<T>, key?: string | undefined): Promise<T>;
  /**
   * Starts work without a waiting caller as soon as a place is free. Of work with the same key at most one waits, until
   * the running one has ended.
   * @returns false when too much waits: it is still due, and a later sweep finds it.
   */
  start(work: () => Promise<unknown>, key?: string): boolean;
  /** Resolves when nothing waits for a place and one is free: true; or when the executor closes: false. */
  whenFree(): Promise<boolean>;
  /** Whether nothing waits for a place and one is free, now. */
  hasFree(): boolean;
  isClosed(): boolean;
  /** Accepts no more work, and resolves when all work has ended. */
  close(): Promise<void>;
};

type Options = {
  places: number;
  /** How much work may wait for a place. */
  mostWaiting: number;
  /** Gets the error of work without a waiting caller. */
  onError(error: Error): void;
};

export function createExecutor({ places, mostWaiting, onError }: Options): Executor {
  const waiting: (() => void)[] = [];
  let running = 0;
  let isClosed = false;
  const underWay = new Map<string, number>();
  const next = new Map<string, () => Promise<unknown>>();
  let watchers: { isMet(): boolean; resolve(): void }[] = [];

  const begin = (key: string | undefined) => {
    if (key !== undefined) underWay.set(key, (underWay.get(key) ?? 0) + 1);
  };
  const end = (key: string | undefined) => {
    if (key === undefined) return;
    const left = (underWay.get(key) ?? 0) - 1;
    if (left > 0) return void underWay.set(key, left);
    underWay.delete(key);
    const again = next.get(key);
    next.delete(key);
    if (again) start(again, key);
  };
  const settle = () => {
    while (running < places) {
      const go = waiting.shift();
      if (!go) break;
      running += 1;
      go();
    }
    const met = watchers.filter(({ isMet }) => isMet());
    watchers = watchers.filter((watcher) => !met.includes(watcher));
    for (const { resolve } of met) resolve();
  };
  const when = (isMet: () => boolean) =>
    isMet() ? Promise.resolve() : new Promise<void>((resolve) => watchers.push({ isMet, resolve }));
  const execute = async <T>(work: () => Promise<T>, key: string | undefined): Promise<T> => {
    begin(key);
    try {
      await new Promise<void>((go) => {
        waiting.push(go);
        settle();
      });
      try {
        return await work();
      } finally {
        running -= 1;
      }
    } finally {
      end(key);
      settle();
    }
  };
  const start = (work: () => Promise<unknown>, key?: string): boolean => {
    if (isClosed || waiting.length >= mostWaiting) return false;
    if (key !== undefined && underWay.has(key)) next.set(key, work);
    else execute(work, key).catch(onError);
    return true;
  };
  const hasFree = () => waiting.length === 0 && running < places;
  return {
    run: execute,
    start,
    hasFree,
    async whenFree() {
      await when(() => isClosed || hasFree());
      return !isClosed;
    },
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      settle();
      return when(() => running === 0 && waiting.length === 0);
    },
  };
}
