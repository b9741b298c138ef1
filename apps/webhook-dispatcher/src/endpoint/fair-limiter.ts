/** `prompt`: first attempts to healthy endpoints. `late`: all others. */
export type Lane = 'prompt' | 'late';

/** Releases the place. */
export type Release = () => void;

export type FairLimiter = { take(accountId: string, lane: Lane): Promise<Release> };

/**
 * The places for pushes in flight in this process. Late ones get at most half of them, so that retries and failing
 * endpoints never take the place of first attempts; waiting accounts take turns, so that a busy one does not delay the others.
 */
export function createFairLimiter(total: number): FairLimiter {
  const free = { all: total, late: Math.max(1, Math.floor(total / 2)) };
  const waiting: Record<Lane, Map<string, (() => void)[]>> = { prompt: new Map(), late: new Map() };

  const occupy = (lane: Lane) => {
    free.all -= 1;
    if (lane === 'late') free.late -= 1;
  };
  const admit = () => {
    for (const lane of ['prompt', 'late'] as const) {
      while (free.all > 0 && (lane === 'prompt' || free.late > 0)) {
        const next = takeTurn(waiting[lane]);
        if (!next) break;
        occupy(lane);
        next();
      }
    }
  };
  const release = (lane: Lane) => () => {
    free.all += 1;
    if (lane === 'late') free.late += 1;
    admit();
  };
  return {
    take: async (accountId, lane) => {
      const isFree = free.all > 0 && (lane === 'prompt' || free.late > 0);
      if (isFree) occupy(lane);
      else {
        await new Promise<void>((resolve) => {
          const queue = waiting[lane].get(accountId);
          if (queue) queue.push(resolve);
          else waiting[lane].set(accountId, [resolve]);
        });
      }
      return release(lane);
    },
  };
}

/** The first of the account whose turn it is; that account then queues up behind the others. */
function takeTurn(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [entry] = waiting;
  if (!entry) return undefined;
  const [accountId, queue] = entry;
  const next = queue.shift();
  waiting.delete(accountId);
  if (queue.length > 0) waiting.set(accountId, queue);
  return next;
}
