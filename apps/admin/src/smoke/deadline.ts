import { setTimeout as delay } from 'node:timers/promises';

/** The time limit of the whole run. */
export type Deadline = {
  leftMs(): number;
  /** Extends the deadline if less than `ms` is left, so that the last step can finish. */
  atLeast(ms: number): Deadline;
};

export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const leftMs = () => Math.max(0, end - performance.now());
  return { leftMs, atLeast: (min) => deadlineIn(Math.max(min, leftMs())) };
}

/** Polls every `everyMs` until `look` finds something. @returns null if the deadline passes first */
export async function poll<T>(look: () => Promise<T | null>, everyMs: number, deadline: Deadline): Promise<T | null> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (deadline.leftMs() === 0) return null;
    await delay(Math.min(everyMs, deadline.leftMs()));
  }
}
