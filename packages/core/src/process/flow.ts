/** One look of a process at a queue and at its own worker. */
export type FlowReading =
  | { isUnreachable: true }
  | {
      isUnreachable: false;
      /** The id of the canary that waits for a worker, if one does. */
      canary: string | null;
      /** How often the store has answered this process's worker so far. */
      answers: number;
    };

/** What a process knows about a queue from its looks. */
export type Flow = {
  isUnreachable: boolean;
  /** Whether the last look proved that work flows: the canary before it was taken, and the worker was answered. */
  isProof: boolean;
  /** Whether any look did. */
  isProven: boolean;
  /** The last canary that was seen or added. */
  canary: string | null;
  /** Looks in a row at which a known canary still waited. */
  waited: number;
  answers: number | null;
  /** Looks in a row between which the store answered others, but not the worker. */
  silent: number;
};

/**
 * Whether work flows through a queue. `unreachable`: its store does not answer, and the sweeps do the work. `unconsumed`: a job waits
 * and no process takes it. `stuck`: this process's worker takes none.
 */
export type FlowState = 'starting' | 'healthy' | 'unreachable' | 'unconsumed' | 'stuck';

/** A call to a slow carrier may hold a worker's only place for more than half a minute. */
const LOOKS_UNTIL_ALARM = 4;
const LOOKS_UNTIL_RESTART = 8;

export const NO_FLOW: Flow = {
  isUnreachable: false,
  isProof: false,
  isProven: false,
  canary: null,
  waited: 0,
  answers: null,
  silent: 0,
};

/** Adds a look. Looks are counted, not seconds: a suspended process does not look. */
export function look(flow: Flow, seen: FlowReading): Flow {
  if (seen.isUnreachable) return { ...flow, isUnreachable: true, isProof: false, canary: null, waited: 0, silent: 0 };
  const { canary, answers } = seen;
  const isFirst = flow.isUnreachable || flow.answers === null;
  const waited = canary !== null && canary === flow.canary ? flow.waited + 1 : 0;
  const silent = isFirst || answers !== flow.answers ? 0 : flow.silent + 1;
  const isProof = !isFirst && waited === 0 && silent === 0;
  return { isUnreachable: false, isProof, isProven: flow.isProven || isProof, canary, waited, answers, silent };
}

export function flowState({ isUnreachable, isProven, waited, silent }: Flow): FlowState {
  if (isUnreachable) return 'unreachable';
  if (silent >= LOOKS_UNTIL_ALARM) return 'stuck';
  if (waited >= LOOKS_UNTIL_ALARM) return 'unconsumed';
  return isProven ? 'healthy' : 'starting';
}

/** Whether a restart is due: the store answers others, and the worker has had no answer for long. */
export function needsRestart({ silent }: Flow): boolean {
  return silent >= LOOKS_UNTIL_RESTART;
}
