/** `prompt`: first attempts to healthy endpoints. `late`: all others. */
export type Lane = 'prompt' | 'late';

/** A place for one push. Both ends are reported in this order, once each. */
export type Place = {
  /** The receiver has answered, or the push was given up: another may be sent. */
  answered(): void;
  /** The attempt is stored, or nothing will be. */
  recorded(): void;
};

export type FairLimiter = { take(accountId: string, lane: Lane): Promise<Place> };

/**
 * The attempts not yet recorded, as a multiple of the pushes in flight. If the process is killed, receivers get these pushes
 * twice; and a database that stores slowly slows the pushes down.
 */
const UNRECORDED = 2;

/**
 * The places for pushes in flight in this process. Late ones get at most half of them, so that retries and failing
 * endpoints never take the place of first attempts; waiting accounts take turns, so that a busy one does not delay the others.
 */
export function createFairLimiter(total: number): FairLimiter {
  const free = { all: total, late: Math.max(1, Math.floor(total / 2)), unrecorded: UNRECORDED * total };
  const waiting: Record<Lane, Map<string, (() => void)[]>> = { prompt: new Map(), late: new Map() };

  const isFree = (lane: Lane) => free.unrecorded > 0 && free.all > 0 && (lane === 'prompt' || free.late > 0);
  const occupy = (lane: Lane) => {
    free.unrecorded -= 1;
    free.all -= 1;
    if (lane === 'late') free.late -= 1;
  };
  const admit = () => {
    for (const lane of ['prompt', 'late'] as const) {
      while (isFree(lane)) {
        const next = nextOf(waiting[lane]);
        if (!next) break;
        occupy(lane);
        next();
      }
    }
  };
  const placeIn = (lane: Lane): Place => ({
    answered() {
      free.all += 1;
      if (lane === 'late') free.late += 1;
      admit();
    },
    recorded() {
      free.unrecorded += 1;
      admit();
    },
  });
  return {
    take: async (accountId, lane) => {
      if (isFree(lane)) occupy(lane);
      else {
        await new Promise<void>((resolve) => {
          const queue = waiting[lane].get(accountId);
          if (queue) queue.push(resolve);
          else waiting[lane].set(accountId, [resolve]);
        });
      }
      return placeIn(lane);
    },
  };
}

/** The first of the account that is first; that account then queues up behind the others. */
function nextOf(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [entry] = waiting;
  if (!entry) return undefined;
  const [accountId, queue] = entry;
  const next = queue.shift();
  waiting.delete(accountId);
  if (queue.length > 0) waiting.set(accountId, queue);
  return next;
}
