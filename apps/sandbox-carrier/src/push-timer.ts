import type { Kuaidi100Subscriptions } from './kuaidi100-subscriptions.ts';
import type { Log } from './log.ts';

const EVERY_MS = 100;

/** Pushes what has become visible, several times a second. @returns what ends it. */
export function startPushing(subscriptions: Kuaidi100Subscriptions, log: Log): () => void {
  const timer = setInterval(() => {
    subscriptions.tick().catch((error) => log('error', 'pushing failed', { error: String(error?.stack ?? error) }));
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    subscriptions.close();
  };
}
