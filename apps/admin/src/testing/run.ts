import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from '../cli.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../../..');
/** A STANDALONE_DIR in which no service runs. */
const NO_STANDALONE = join(tmpdir(), 'no-standalone-service-here');

export type Ran = { code: number; stdout: string; stderr: string };

/** Runs one command line like main.ts, but captures its output. */
export async function admin(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  now: () => Date = () => new Date(),
  interrupted: () => AbortSignal = () => new AbortController().signal,
  wrote: (text: string) => void = () => {},
  stdin = '',
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
      wrote(text);
    },
  });
  const code = await runCli(argv, {
    env: { STANDALONE_DIR: NO_STANDALONE, ...env },
    root: ROOT,
    now,
    interrupted,
    askSecret: async () => stdin,
    input: async () => stdin,
    stdout: into('stdout'),
    stderr: into('stderr'),
  });
  return { code, ...written };
}
