import type { Log } from './log.ts';

const EVERY_MS = 100;

type Sender = { tick(): Promise<void>; close(): void };

/** Sends callbacks about what has become visible, several times a second. @returns a function that ends it. */
export function startCallbacks(senders: readonly Sender[], log: Log): () => void {
  const timer = setInterval(() => {
    Promise.all(senders.map((each) => each.tick())).catch((error) =>
      log('error', 'callbacks failed', { error: String(error?.stack ?? error) }),
    );
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    for (const each of senders) each.close();
  };
}
