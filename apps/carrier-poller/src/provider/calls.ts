/** Counts the calls to a provider, with their waits for a permit: how many there are at once, on average. */
export type Calls = {
  /** Makes a call, and counts it while it runs. */
  count<T>(call: () => Promise<T>): Promise<T>;
  /** The average since the last look. */
  look(): number;
};

/** @param now a monotonic clock in milliseconds. */
export function createCalls(now = () => performance.now()): Calls {
  let running = 0;
  let callMs = 0;
  let lookedAt = now();
  let countedAt = lookedAt;
  const addUp = () => {
    const at = now();
    callMs += running * (at - countedAt);
    countedAt = at;
  };
  const change = (by: number) => {
    addUp();
    running += by;
  };
  return {
    async count(call) {
      change(1);
      try {
        return await call();
      } finally {
        change(-1);
      }
    },
    look() {
      addUp();
      const average = countedAt > lookedAt ? callMs / (countedAt - lookedAt) : running;
      callMs = 0;
      lookedAt = countedAt;
      return average;
    },
  };
}
