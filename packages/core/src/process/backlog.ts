/** One look of a process at the due work of one kind. */
export type BacklogLook = {
  /** Seconds since the oldest work that no process does became due: 0 if there is none, null if it could not be read. */
  oldestSeconds: number | null;
  /** Whether every attempt to take such work has failed since the last look. */
  isFailing: boolean;
  /** Whether work that waits is no fault: a rate holds it back, or the calls or pushes in flight do. */
  isHeldBack: boolean;
};

/**
 * What is wrong with due work. `failing`: it cannot be taken. `unknown`: the database does not say what is due. `growing`: it is
 * older at each look, whether nobody takes it or claims that succeed are too slow.
 */
export type BacklogFinding = 'failing' | 'unknown' | 'growing';

/** What a process knows about a backlog from its looks. */
export type Backlog = {
  /** What the last look found; null if nothing. */
  finding: BacklogFinding | null;
  /** Looks in a row that found something. */
  looks: number;
  /** As last read. */
  oldestSeconds: number;
};

/** Sweeps find due work within seconds. */
const LATE_SECONDS = 60;
const LOOKS_UNTIL_ALARM = 4;

export const NO_BACKLOG: Backlog = { finding: null, looks: 0, oldestSeconds: 0 };

/** Adds a look. Looks are counted, not seconds: a suspended process does not look. */
export function addLook(backlog: Backlog, seen: BacklogLook): Backlog {
  const finding = findingOf(seen);
  const oldestSeconds = seen.oldestSeconds ?? backlog.oldestSeconds;
  if (finding === null) return { finding, looks: 0, oldestSeconds };
  // If its oldest work has not aged since the last look, the backlog is shrinking.
  const isBetter = finding === 'growing' && oldestSeconds <= backlog.oldestSeconds;
  return { finding, looks: isBetter ? 1 : backlog.looks + 1, oldestSeconds };
}

function findingOf({ oldestSeconds, isFailing, isHeldBack }: BacklogLook): BacklogFinding | null {
  if (isFailing) return 'failing';
  if (oldestSeconds === null) return 'unknown';
  return isHeldBack || oldestSeconds < LATE_SECONDS ? null : 'growing';
}

/** What has been wrong for so long that operators must know; null if nothing. */
export function alarmOf({ finding, looks }: Backlog): BacklogFinding | null {
  return looks >= LOOKS_UNTIL_ALARM ? finding : null;
}
