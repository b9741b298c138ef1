/** Limits count requests per second (spec section 8); slightly longer, because requests can bunch up on the way. */
const WINDOW_MS = 1100;

/**
 * Keeps requests below the service's limits, as reported in RateLimit headers: a 429 costs two minutes, a place
 * in the queue one second. Each `take` is followed by one `learn`, whatever the outcome of the request.
 */
export type Pacer = {
  /** Waits for a place. @throws the abort reason of the signal */
  take(limit: string, signal: AbortSignal | undefined): Promise<void>;
  /** @param answer null if there was none */
  learn(limit: string, answer: Response | null): void;
};

type Lane = {
  /** Requests per second; null until the first response, which all others wait for. */
  limit: number | null;
  /** When the latest requests were or will be sent. */
  places: number[];
  /** No request before this time, as the service requested. */
  notBefore: number;
  first: { answered: Promise<void>; settle(): void } | null;
};

export const UNPACED: Pacer = { take: async () => {}, learn: () => {} };

/** Waits. Ends early when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export function createPacer(sleep: Sleep, now: () => number = () => performance.now()): Pacer {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { limit: null, places: [], notBefore: 0, first: null };
    lanes.set(name, lane);
    return lane;
  };
  return {
    async take(name, signal) {
      const lane = laneOf(name);
      while (lane.limit === null && lane.first) await unlessAborted(lane.first.answered, signal);
      if (lane.limit === null) lane.first = deferred();
      const waitMs = takePlace(lane, now()) - now();
      if (waitMs > 0) await sleep(waitMs, signal);
    },
    learn(name, answer) {
      const lane = laneOf(name);
      if (answer) learnFrom(answer, lane, now());
      lane.first?.settle();
      lane.first = null;
    },
  };
}

/** The next moment in which fewer than `limit` requests were sent within the last window. */
function takePlace(lane: Lane, at: number): number {
  const { limit, places, notBefore } = lane;
  const oldest = limit === null ? undefined : places.at(-limit);
  const place = Math.max(at, notBefore, oldest === undefined ? 0 : oldest + WINDOW_MS);
  lane.places = limit === Number.POSITIVE_INFINITY ? [] : [...places, place].slice(-(limit ?? 1));
  return place;
}

function learnFrom({ headers, ok }: Response, lane: Lane, at: number): void {
  const stated = Number(headers.get('ratelimit-limit') ?? Number.NaN);
  if (!(stated > 0)) {
    if (ok) lane.limit = Number.POSITIVE_INFINITY; // this service has none
    return;
  }
  lane.limit = stated;
  // Others may use the same key.
  if (headers.get('ratelimit-remaining') === '0')
    lane.notBefore = at + Number(headers.get('ratelimit-reset') ?? 0) * 1000;
}

function deferred(): NonNullable<Lane['first']> {
  let settle = () => {};
  const answered = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { answered, settle };
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', stop));
}
