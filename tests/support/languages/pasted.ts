import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

/** The blocks of a language in a page of the repository, in their order. */
export function blocksOf(page: string, language = 'sh'): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}(?: .*)?\\n([\\s\\S]*?)^\`\`\`$`, 'gm')),
    ([, block = '']) => block,
  );
}

/** A shell that a reader pastes commands into. */
export function startShell(cwd: string, env: Readonly<Record<string, string | undefined>>) {
  const shell = spawn('bash', [], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const output = outputOf(shell);
  const ended = new Promise((done) => shell.once('close', done));
  let pasted = 0;
  return {
    /** Runs commands, and waits for their end; programs in the background go on. @returns what was printed meanwhile */
    async paste(commands: string): Promise<{ code: number; output: string }> {
      const mark = `@@${++pasted}`;
      const from = output().length;
      // On a line of its own, also if a program in the background has just begun one.
      shell.stdin.write(`${commands}\nprintf '\\n%s=%s\\n' '${mark}' "$?"\n`);
      const code = await eventually(() => {
        const [, found] = new RegExp(`^${mark}=(\\d+)$`, 'm').exec(output().slice(from)) ?? [];
        if (found === undefined) throw new Error(`still running:\n${output().slice(from)}`);
        return Number(found);
      });
      return { code, output: output().slice(from) };
    },
    output,
    /** Ends it with everything that it started. */
    async close(): Promise<void> {
      if (shell.pid !== undefined && existsSync(`/proc/${shell.pid}`)) process.kill(-shell.pid, 'SIGKILL');
      await ended;
    },
  };
}
