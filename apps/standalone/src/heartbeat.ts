import type { ChildProcess } from 'node:child_process';

const PING = 'are you there';

/** Runs in the process, before its program: answers over the IPC channel, without keeping the process alive. */
const ANSWER = `process.on('message', (m) => { if (m === '${PING}') process.send?.(m, () => {}); }); process.channel?.unref();`;
/** The Node arguments that make a process answer. */
export const ANSWERING = ['--import', `data:text/javascript,${encodeURIComponent(ANSWER)}`];

export type Heartbeat = {
  everyMs: number;
  /** Unanswered pings in a row after which the process counts as hung. */
  maxMisses: number;
};

/**
 * Pings a process to check that its event loop runs, and reports if it stops answering. A period in
 * which this process itself did not run, on a suspended or overloaded machine, does not count.
 * @returns a function that stops it.
 */
export function watch(child: ChildProcess, { everyMs, maxMisses }: Heartbeat, onHung: () => void): () => void {
  let misses = 0;
  let hasAnswered = true;
  let lastAt = performance.now();
  child.on('message', (message) => {
    if (message === PING) hasAnswered = true;
  });
  const timer = setInterval(() => {
    const sinceMs = performance.now() - lastAt;
    lastAt += sinceMs;
    if (hasAnswered || sinceMs > 2 * everyMs) misses = 0;
    else misses += 1;
    if (misses >= maxMisses) {
      clearInterval(timer);
      return onHung();
    }
    hasAnswered = false;
    if (child.connected) child.send(PING, () => {});
  }, everyMs);
  return () => clearInterval(timer);
}
