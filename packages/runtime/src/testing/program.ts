import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';

export type Ended = { code: number | null; stdout: string; stderr: string };

type Child = ChildProcess & { stdout: Readable; stderr: Readable };

export type Program = {
  child: ChildProcess;
  /** Resolves once standard output holds the text. @throws when the program ends before. */
  says(text: string): Promise<void>;
  ended: Promise<Ended>;
};

/**
 * A separate program, for what a test cannot do to its own process. `remove` ends and removes everything that was
 * started.
 */
export type Programs = { start(env?: Record<string, string>): Program; remove(): Promise<void> };

/** @param source TypeScript that imports relative to `packages/runtime/src`. */
export async function prepareProgram(source: string): Promise<Programs> {
  const folder = await mkdtemp(join(tmpdir(), 'pts-program-'));
  const file = join(folder, 'program.cjs');
  await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '..'), loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const started: Program[] = [];
  return {
    start(env = {}) {
      const program = start(file, env);
      started.push(program);
      return program;
    },
    async remove() {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      await rm(folder, { recursive: true });
    },
  };
}

function start(file: string, env: Record<string, string>): Program {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env }) as Child;
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // `close` is not emitted after we disconnect.
  const ended = Promise.all([once(child, 'exit'), once(child.stdout, 'close'), once(child.stderr, 'close')]).then(
    ([[code]]) => ({ code: code as number | null, stdout, stderr }),
  );
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stdout.includes(text) && resolve();
      child.stdout.on('data', look);
      void ended.then(() => reject(new Error(`it ended without saying "${text}": ${stdout}${stderr}`)));
      look();
    });
  return { child, says, ended };
}
