import type { Closing } from './closing.ts';

/** npm forwards the Ctrl-C that the terminal also sent: a second signal this soon is the same one. */
const SAME_KEYPRESS_MS = 1000;

/** The first signal closes everything and exits with 0; a second one forces the exit. */
export function stopOnSignals(closing: Closing, say: (line: string) => void): void {
  let firstAt: number | undefined;
  const onSignal = async (signal: string) => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      say(`${signal}: stopping`);
      await closing.run();
      say('stopped');
      process.exit(0);
    }
    if (now - firstAt < SAME_KEYPRESS_MS) return;
    say(`${signal} again: forcing exit`);
    closing.force();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void onSignal(signal));
}
