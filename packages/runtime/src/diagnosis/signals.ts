import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { startProfile } from './profile.ts';

/** A profile ends by itself after this. */
const PROFILE_MS = 60_000;

/** Without a listener, Node would open its inspector at SIGUSR1, for everybody who can connect to the machine. */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => {});
}

/**
 * Diagnosis of a running process, for whoever may send it signals. SIGUSR2 sets the log level to debug, and back. SIGUSR1 begins
 * a profile of CPU and heap, and ends it, which writes it to `directory`.
 */
export function onDiagnosis(logger: Logger, { app, directory }: { app: string; directory: string }): void {
  const configured = logger.level;
  process.on('SIGUSR2', () => {
    logger.level = logger.level === configured ? 'debug' : configured;
    logger.info({ level: logger.level }, 'log level changed');
  });
  const profile = createProfiling(logger, directory, app);
  process.on('SIGUSR1', () => void profile().catch((err: unknown) => logger.error({ err }, 'profile failed')));
}

/** @returns what begins a profile, or ends the one that runs. */
function createProfiling(logger: Logger, directory: string, app: string): () => Promise<void> {
  let running: AbortController | null = null;
  return async () => {
    if (running) return running.abort();
    const own = new AbortController();
    running = own;
    try {
      const end = await startProfile();
      logger.info({ seconds: PROFILE_MS / 1000 }, 'profile begun: the next SIGUSR1 ends it');
      await delay(PROFILE_MS, undefined, { signal: own.signal, ref: false }).catch(() => {});
      logger.info({ files: await end(directory, app) }, 'profile written');
    } finally {
      running = null;
    }
  };
}
