import { within } from '@pts/db/pool';
import type { OutageLog } from './outage-log.ts';

/** Guards the calls to a store: a call that fails or is late opens it, and from then on calls fail at once. */
export type Breaker = {
  /**
   * Runs a call within its deadline.
   * @param withinMs a deadline that replaces the process's own.
   * @throws StoreUnreachableError at once while open; otherwise the error of the call.
   */
  run<T>(call: () => Promise<T>, withinMs?: number): Promise<T>;
  isOpen(): boolean;
  /** Adds a probe of another connection to the same server: it closes only when all of them answer. */
  alsoProbe(probe: () => Promise<unknown>): void;
  /** Where connections to the same server report their errors, so that an outage is logged once. */
  outages: OutageLog;
  close(): void;
};

type Options = {
  /** Milliseconds within which a call must be answered. */
  patienceMs: number;
  /**
   * Milliseconds that apply instead until a call was answered, if more: the first calls open connections while the
   * process still starts.
   */
  firstPatienceMs?: number;
  /** A cheap write: a read-only store cannot accept work. Called repeatedly while open, until it succeeds. */
  probe(): Promise<unknown>;
  outages: OutageLog;
};

const PROBE = { everyMs: 250, patienceMs: 1000 };

/** The store was not called, because it is known to be unavailable. */
export class StoreUnreachableError extends Error {
  override readonly name = 'StoreUnreachableError';

  constructor() {
    super('the store is unavailable; it is not called until it answers again');
  }
}

/** Callers wait for the first call that a store does not answer, not for later ones: probes detect when it is back. */
export function createBreaker({ patienceMs, firstPatienceMs = patienceMs, probe, outages }: Options): Breaker {
  let isOpen = false;
  let isClosed = false;
  let hasAnswered = false;
  let timer: NodeJS.Timeout | undefined;
  const probes = [probe];

  const probeSoon = () => {
    if (!isClosed) timer = setTimeout(() => void tryAgain(), PROBE.everyMs);
  };
  const tryAgain = async () => {
    try {
      await answerWithin(PROBE.patienceMs, Promise.all(probes.map((each) => each())));
      isOpen = false;
      outages.worked();
    } catch (error) {
      if (!isClosed) outages.error(error as Error);
      probeSoon();
    }
  };
  const open = (error: unknown) => {
    outages.error(error as Error);
    if (isOpen) return;
    isOpen = true;
    probeSoon();
  };
  return {
    async run(call, withinMs = hasAnswered ? patienceMs : firstPatienceMs) {
      if (isOpen) throw new StoreUnreachableError();
      try {
        const result = await answerWithin(withinMs, call());
        hasAnswered = true;
        outages.worked();
        return result;
      } catch (error) {
        open(error);
        throw error;
      }
    },
    isOpen: () => isOpen,
    alsoProbe: (another) => void probes.push(another),
    outages,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  return within(ms, answer, () => {
    throw new Error(`the store did not answer within ${ms} ms`);
  });
}
