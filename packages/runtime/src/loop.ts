import type { Logger } from './logger.ts';

export type Loop = {
  /** Whether the last round ended within the last `staleMs`. */
  isAlive(staleMs: number): boolean;
  stop(): Promise<void>;
};

/**
 * Runs `round` again and again, `intervalMs` apart; at once when a round says that there is more to do. A round that
 * throws is logged and followed by the next: what it left undone is still due.
 */
export function startLoop(
  name: string,
  intervalMs: number,
  logger: Logger,
  round: () => Promise<{ more: boolean }>,
): Loop {
  let stopped = false;
  let lastRoundAt = Date.now();
  let wake = () => {};
  const run = async () => {
    while (!stopped) {
      let more = false;
      try {
        ({ more } = await round());
      } catch (err) {
        logger.error({ err, loop: name }, 'round failed');
      }
      lastRoundAt = Date.now();
      if (!more && !stopped) await pause();
    }
  };
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, intervalMs * (0.9 + 0.2 * Math.random()));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const running = run();
  return {
    isAlive: (staleMs) => Date.now() - lastRoundAt < staleMs,
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}
