import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Microseconds between two looks at the stack: a minute of a busy process makes a file of two megabytes. */
const SAMPLING_US = 5000;

/** Writes what was seen. @returns the files. */
type EndProfile = (directory: string, name: string) => Promise<string[]>;

/**
 * Watches where this process spends its time and what it allocates, from within: no port is opened. The files, which Chrome's developer
 * tools read, have the same names each time, because what a pod may write is limited.
 */
export async function startProfile(): Promise<EndProfile> {
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
