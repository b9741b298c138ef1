import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/** A profile ends by itself after this. */
const PROFILE_MS = 60_000;

/** Without a listener, Node would open its inspector at SIGUSR1, for everybody who can connect to the machine. */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => {});
}

/**
 * Diagnosis of a running process, for whoever may send it signals. SIGUSR2 sets the log level to debug, and back.
 * SIGUSR1 begins a profile of CPU and heap, and ends it, which writes it to `directory`.
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
      logger.info({ seconds: PROFILE_MS / 1000 }, 'profile started; the next SIGUSR1 ends it');
      await delay(PROFILE_MS, undefined, { signal: own.signal, ref: false }).catch(() => {});
      logger.info({ files: await end(directory, app) }, 'profile written');
    } finally {
      running = null;
    }
  };
}

/** Microseconds between two looks at the stack: a minute of a busy process makes a file of two megabytes. */
const SAMPLING_US = 5000;

/** Writes what was seen. @returns the files. */
type EndProfile = (directory: string, name: string) => Promise<string[]>;

/**
 * Watches where this process spends its time and what it allocates, from within: no port is opened. The files, which
 * Chrome's developer tools read, have the same names each time, because what a pod may write is limited.
 */
async function startProfile(): Promise<EndProfile> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  await session.post('Profiler.start');
  await session.post('HeapProfiler.startSampling');
  return async (directory, name) => {
    const { profile: cpu } = await session.post('Profiler.stop');
    const { profile: heap } = await session.post('HeapProfiler.stopSampling');
    session.disconnect();
    const files = { [join(directory, `${name}.cpuprofile`)]: cpu, [join(directory, `${name}.heapprofile`)]: heap };
    for (const [file, profile] of Object.entries(files))
      await writeFile(file, JSON.stringify(profile), { mode: 0o600 });
    return Object.keys(files);
  };
}
