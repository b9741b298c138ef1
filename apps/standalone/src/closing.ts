export type Closing = {
  /** A cleanup to run at the end, last added first; `force` is its immediate variant. */
  add(step: () => unknown, force?: () => void): void;
  /** Runs all cleanups once; a failing one does not stop the others. */
  run(): Promise<void>;
  force(): void;
  hasBegun(): boolean;
};

export function createClosing(onFailure: (error: unknown) => void): Closing {
  const steps: (() => unknown)[] = [];
  const forces: (() => void)[] = [];
  let running: Promise<void> | undefined;

  async function undo(): Promise<void> {
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        onFailure(error);
      }
    }
  }

  return {
    add(step, force = () => {}) {
      steps.push(step);
      forces.push(force);
    },
    run() {
      running ??= undo();
      return running;
    },
    force: () => forces.forEach((force) => void force()),
    hasBegun: () => running !== undefined,
  };
}
