import type { Log } from '../log.ts';

const EVERY_MS = 100;

type Pushing = { tick(): Promise<void>; close(): void };

/** Pushes what has become visible, several times a second. @returns a function that ends it. */
export function startPushing(pushing: readonly Pushing[], log: Log): () => void {
  const timer = setInterval(() => {
    Promise.all(pushing.map((each) => each.tick())).catch((error) =>
      log('error', 'pushing failed', { error: String(error?.stack ?? error) }),
    );
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    for (const each of pushing) each.close();
  };
}
