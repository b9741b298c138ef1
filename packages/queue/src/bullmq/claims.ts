/** A job that is marked as active under a worker's token. */
export type Claimed = { id: string; token: string };

/** How a store lists and releases claimed jobs. */
export type ClaimStore = {
  /** The active jobs of these tokens. */
  find(tokens: string[]): Promise<Claimed[]>;
  giveBack(claimed: Claimed): Promise<unknown>;
  /** Grows when a connection breaks, after which unanswered requests are sent again. */
  breaks(): number;
};

export type Claims = {
  /** Runs a call that may claim a job by `token`; `claimed` reads its id from the result. */
  run<T>(token: string, operation: () => Promise<T>, claimed: (result: T) => string | undefined): Promise<T>;
  /** Releases the jobs of a claim whose answer was lost. */
  settle(): Promise<void>;
};

/** A server may run a command some time after the connection broke: a token is checked for this long. */
const DOUBT_MS = 5000;

/**
 * A claim whose answer is lost leaves an active job without a worker until its lock ends. Such jobs are
 * found by the worker's own tokens and released.
 */
export function createClaims(store: ClaimStore, now: () => number = () => performance.now()): Claims {
  const held = new Map<string, string>();
  const busy = new Set<string>();
  const doubtful = new Map<string, number>();
  return {
    async run(token, operation, claimed) {
      const breaks = store.breaks();
      busy.add(token);
      try {
        const result = await operation();
        const id = claimed(result);
        if (id === undefined) held.delete(token);
        else held.set(token, id);
        if (store.breaks() !== breaks) doubtful.set(token, now());
        return result;
      } catch (error) {
        held.delete(token);
        doubtful.set(token, now());
        throw error;
      } finally {
        busy.delete(token);
      }
    },
    async settle() {
      const tokens = [...doubtful.keys()].filter((token) => !busy.has(token));
      if (tokens.length === 0) return;
      for (const { id, token } of await store.find(tokens))
        if (held.get(token) !== id && !busy.has(token)) await store.giveBack({ id, token });
      for (const token of tokens) if (now() - (doubtful.get(token) ?? 0) > DOUBT_MS) doubtful.delete(token);
    },
  };
}
