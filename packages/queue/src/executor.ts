/**
 * The places in which a process works, for the jobs of a queue and for work that a sweep hands over directly while the
 * queue is unavailable. Both together never use more places than there are.
 */
export type Executor = {
  /** How many there are: a worker claims no more jobs than these. */
  places: number;
  /** How many are in use. */
  busy(): number;
  /** Runs the work of a job as soon as a place is free. Work with the same key runs one after the other. */
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  /**
   * Starts work without a waiting caller as soon as a place is free. Of work with the same key at most one waits.
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
  maxWaiting: number;
  /** Gets the error of work without a waiting caller. */
  onError(error: Error): void;
};

export function createExecutor({ places, maxWaiting, onError }: Options): Executor {
  const waiting: (() => void)[] = [];
  let running = 0;
  let unfinished = 0;
  let isClosed = false;
  /** By key: resolves when its work has ended. */
  const underWay = new Map<string, Promise<void>>();
  /** Keys of started work that waits. */
  const startedLater = new Set<string>();
  let watchers: { isMet(): boolean; resolve(): void }[] = [];

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
  const inPlace = async <T>(work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((go) => {
      waiting.push(go);
      settle();
    });
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
  const alone = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    for (let other = underWay.get(key); other; other = underWay.get(key)) await other;
    const mine = work();
    underWay.set(
      key,
      mine.then(
        () => {},
        () => {},
      ),
    );
    try {
      return await mine;
    } finally {
      underWay.delete(key);
    }
  };
  const run = async <T>(work: () => Promise<T>, key?: string): Promise<T> => {
    unfinished += 1;
    try {
      return await (key === undefined ? inPlace(work) : alone(key, () => inPlace(work)));
    } finally {
      unfinished -= 1;
      settle();
    }
  };
  const start = (work: () => Promise<unknown>, key?: string): boolean => {
    if (isClosed || waiting.length >= maxWaiting) return false;
    if (key === undefined) run(work).catch(onError);
    else if (!startedLater.has(key)) {
      startedLater.add(key);
      const begin = () => {
        startedLater.delete(key);
        return work();
      };
      run(begin, key).catch(onError);
    }
    return true;
  };
  const hasFree = () => waiting.length === 0 && running < places;
  return {
    places,
    busy: () => running,
    run,
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
      return when(() => unfinished === 0);
    },
  };
}
