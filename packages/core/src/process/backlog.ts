/** One look of a process at the due work of one kind. */
export type BacklogLook = {
  /** How much due work no process is doing. */
  count: number;
  /** Seconds since the oldest of it became due; 0 if there is none. */
  oldestSeconds: number;
  /** Whether the process has free places, and nothing holds the work back: no pause, budget or rate. */
  isIdle: boolean;
};

/** What a process knows about a backlog from its looks. */
export type Backlog = {
  /** Looks in a row at which the process was idle and the oldest work had become later still. */
  looks: number;
  /** The due work at the first of them. */
  firstCount: number;
  count: number;
  oldestSeconds: number;
};

/** Sweeps find due work within seconds. */
const LATE_SECONDS = 60;
const LOOKS_UNTIL_ALARM = 4;

export const NO_BACKLOG: Backlog = { looks: 0, firstCount: 0, count: 0, oldestSeconds: 0 };

/** Adds a look. Looks are counted, not seconds: a suspended process does not look. */
export function addLook(backlog: Backlog, { count, oldestSeconds, isIdle }: BacklogLook): Backlog {
  const now = { count, oldestSeconds };
  if (!isIdle || count === 0 || oldestSeconds < LATE_SECONDS) return { looks: 0, firstCount: count, ...now };
  // Work that is later than at the last look has not been done, or not fast enough.
  if (backlog.looks === 0 || oldestSeconds <= backlog.oldestSeconds) return { looks: 1, firstCount: count, ...now };
  return { looks: backlog.looks + 1, firstCount: backlog.firstCount, ...now };
}

/** Whether due work piles up while the process could do it. */
export function isGrowing({ looks, count, firstCount }: Backlog): boolean {
  return looks >= LOOKS_UNTIL_ALARM && count >= firstCount;
}
