export type Closing = {
  /** Something to undo at the end, the last added first; `force` is its quick and rough way. */
  add(step: () => unknown, force?: () => void): void;
  /** Undoes all, once; a step that fails does not keep the others from theirs. */
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
