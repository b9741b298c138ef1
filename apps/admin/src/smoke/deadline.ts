import { setTimeout as delay } from 'node:timers/promises';

/** How much time the story has, in all. */
export type Deadline = {
  leftMs(): number;
  /** A later one, where less than `ms` is left: what has been waited for is given time to be written down. */
  atLeast(ms: number): Deadline;
};

export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const leftMs = () => Math.max(0, end - performance.now());
  return { leftMs, atLeast: (least) => deadlineIn(Math.max(least, leftMs())) };
}

/** Looks every `everyMs` until `look` finds something. @returns null when the deadline came first */
export async function poll<T>(look: () => Promise<T | null>, everyMs: number, deadline: Deadline): Promise<T | null> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (deadline.leftMs() === 0) return null;
    await delay(Math.min(everyMs, deadline.leftMs()));
  }
}
