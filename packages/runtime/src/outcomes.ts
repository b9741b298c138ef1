/** Whether work of one kind succeeds, from one look to the next. */
export type Outcomes = {
  succeeded(): void;
  failed(): void;
  /** Runs such work, and notes its outcome. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether everything that ended since the last look failed; if nothing ended, as at that look. */
  isFailing(): boolean;
};

export function createOutcomes(): Outcomes {
  let [successes, failures] = [0, 0];
  let wasFailing = false;
  const outcomes: Outcomes = {
    succeeded: () => void successes++,
    failed: () => void failures++,
    async run(work) {
      try {
        const result = await work();
        outcomes.succeeded();
        return result;
      } catch (error) {
        outcomes.failed();
        throw error;
      }
    },
    isFailing() {
      if (successes + failures > 0) wasFailing = successes === 0;
      [successes, failures] = [0, 0];
      return wasFailing;
    },
  };
  return outcomes;
}
