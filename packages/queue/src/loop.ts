/** `prompt` work goes first. `late` work may wait, and may be limited to a part of the places. */
export type Kind = 'prompt' | 'late';

/**
 * The work of a process, by key: wake-ups, sweeps and timers start it, it runs in a bounded number of places. What it
 * does is claimed in PostgreSQL, so starting it too often is harmless, and what finds no place is found again by a
 * sweep.
 */
export type WorkLoop<T> = {
  /**
   * Starts the work for an item as soon as a place is free. Work of one key never runs twice at the same time: while it
   * waits, further starts are a part of it; while it runs, they make it run once more afterwards.
   * @returns false if too much waits, or the loop closes.
   */
  start(item: T, kind?: Kind): boolean;
  /** How many places are in use. */
  busy(): number;
  /** How many items more would be accepted without waiting behind more of them than there are places. */
  room(): number;
  /** Whether an item of this kind would begin at once. */
  hasFree(kind: Kind): boolean;
  /** How many items of this kind wait. */
  waiting(kind: Kind): number;
  /**
   * Waits for room for half as many items as there are places: fetched whenever one place becomes free, each item would
   * cost a fetch of its own. Until then other items wait for the places, so none is idle.
   * @returns whether there is room: not after `maxMs`, or when the loop closes.
   */
  whenRoom(maxMs: number): Promise<boolean>;
  isClosed(): boolean;
  /** Accepts no more work, drops what waits, and resolves when running work has ended. */
  close(): Promise<void>;
};

type Options<T> = {
  places: number;
  /** How many of them `late` work may use. Default: all. */
  latePlaces?: number;
  /** How many items of each kind may wait. */
  maxWaiting: number;
  run(item: T): Promise<void>;
  /** Null: it shares its work with no other. */
  keyOf?(item: T): string | null;
  /** Gets the error of work that failed: it is still due. */
  onError(error: Error, item: T): void;
  /** Gets what still waits when the loop closes. */
  onDropped?(item: T): Promise<void>;
};

/** While both kinds wait, one of this many places that become free is for late work. */
const LATE_SHARE = 3;

/** A waiting item with its key, and whether it was started again while it ran. */
type Entry<T> = { item: T; kind: Kind; isRunning: boolean; again: { item: T; kind: Kind } | null };

export function createWorkLoop<T>(options: Options<T>): WorkLoop<T> {
  const { places, latePlaces = places, maxWaiting, run, keyOf = () => null, onError, onDropped } = options;
  const waiting: Record<Kind, Entry<T>[]> = { prompt: [], late: [] };
  const running: Record<Kind, number> = { prompt: 0, late: 0 };
  const byKey = new Map<string, Entry<T>>();
  let promptInARow = 0;
  let isClosed = false;
  let watchers: { isMet(): boolean; resolve(): void }[] = [];

  const busy = () => running.prompt + running.late;
  const room = () => Math.max(0, 2 * places - busy() - waiting.prompt.length - waiting.late.length);
  const mayRun = (kind: Kind) => busy() < places && (kind === 'prompt' || running.late < latePlaces);

  function next(): Entry<T> | undefined {
    const order: Kind[] = promptInARow >= LATE_SHARE - 1 ? ['late', 'prompt'] : ['prompt', 'late'];
    const kind = order.find((each) => waiting[each].length > 0 && mayRun(each));
    if (kind === undefined) return undefined;
    promptInARow = kind === 'prompt' ? promptInARow + 1 : 0;
    return waiting[kind].shift();
  }

  async function work(entry: Entry<T>): Promise<void> {
    const { kind } = entry;
    entry.isRunning = true;
    running[kind] += 1;
    try {
      await run(entry.item);
    } catch (error) {
      onError(error as Error, entry.item);
    }
    running[kind] -= 1;
    const key = keyOf(entry.item);
    if (key !== null) byKey.delete(key);
    if (entry.again) start(entry.again.item, entry.again.kind);
    settle();
  }

  function settle(): void {
    while (!isClosed) {
      const entry = next();
      if (entry === undefined) break;
      void work(entry);
    }
    const met = watchers.filter(({ isMet }) => isMet());
    watchers = watchers.filter((watcher) => !met.includes(watcher));
    for (const { resolve } of met) resolve();
  }

  const when = (isMet: () => boolean) =>
    isMet() ? Promise.resolve() : new Promise<void>((resolve) => watchers.push({ isMet, resolve }));

  function start(item: T, kind: Kind = 'prompt'): boolean {
    if (isClosed) return false;
    const key = keyOf(item);
    const known = key === null ? undefined : byKey.get(key);
    if (known?.isRunning) known.again = { item, kind };
    if (known) return true;
    if (waiting[kind].length >= maxWaiting) return false;
    const entry: Entry<T> = { item, kind, isRunning: false, again: null };
    if (key !== null) byKey.set(key, entry);
    waiting[kind].push(entry);
    settle();
    return true;
  }

  return {
    start,
    busy,
    room,
    hasFree: (kind) => waiting[kind].length === 0 && mayRun(kind),
    waiting: (kind) => waiting[kind].length,
    async whenRoom(maxMs) {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        settle();
      }, maxMs);
      const hasRoom = () => room() >= places / 2;
      await when(() => isClosed || isLate || hasRoom());
      clearTimeout(timer);
      return !isClosed && hasRoom();
    },
    isClosed: () => isClosed,
    async close() {
      isClosed = true;
      const dropped = [...waiting.prompt.splice(0), ...waiting.late.splice(0)];
      settle();
      await Promise.all(dropped.map(({ item }) => onDropped?.(item).catch((error: Error) => onError(error, item))));
      await when(() => busy() === 0);
    },
  };
}
