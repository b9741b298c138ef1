/** The calls to a provider, with their waits for a permit: how many there are at once, on average. */
export type Calls = {
  run<T>(call: () => Promise<T>): Promise<T>;
  /** The average since the last look. */
  look(): number;
};

/** @param now a monotonic clock in milliseconds. */
export function createCalls(now = () => performance.now()): Calls {
  let running = 0;
  let callMs = 0;
  let lookedAt = now();
  let countedAt = lookedAt;
  const count = () => {
    const at = now();
    callMs += running * (at - countedAt);
    countedAt = at;
  };
  const change = (by: number) => {
    count();
    running += by;
  };
  return {
    async run(call) {
      change(1);
      try {
        return await call();
      } finally {
        change(-1);
      }
    },
    look() {
      count();
      const average = countedAt > lookedAt ? callMs / (countedAt - lookedAt) : running;
      callMs = 0;
      lookedAt = countedAt;
      return average;
    },
  };
}
