/** Running work whose progress can be awaited. */
export type TaskGroup = {
  add(work: Promise<void>): void;
  /** Reports progress although no work has ended. */
  notify(): void;
  /** Resolves at the next progress: false when no work is running. */
  change(): Promise<boolean>;
  running(): number;
  hasFailed(): boolean;
  /** @throws the error of the first failed work. */
  throwIfFailed(): void;
};

export function createTaskGroup(): TaskGroup {
  const faults: unknown[] = [];
  let underWay = 0;
  let hasMoved = false;
  let wake: (() => void) | null = null;
  const notify = () => {
    hasMoved = true;
    wake?.();
  };
  return {
    notify,
    add(work) {
      underWay += 1;
      work
        .catch((fault) => faults.push(fault))
        .finally(() => {
          underWay -= 1;
          notify();
        });
    },
    async change() {
      if (!hasMoved && underWay > 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      wake = null;
      // Progress and done: the caller checks once more for the results of the last work.
      const goesOn = hasMoved || underWay > 0;
      hasMoved = false;
      return goesOn;
    },
    running: () => underWay,
    hasFailed: () => faults.length > 0,
    throwIfFailed() {
      if (faults.length > 0) throw faults[0];
    },
  };
}
