import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { outputOf } from '@pts/testing/app-process';

/** A value of a test, as `pts --json` prints it. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever its command prints
type Printed = any;

type Running = {
  exit: Promise<number | null>;
  out(): string;
  /** The lines of JSON so far. */
  lines(): Printed[];
  interrupt(): void;
};

/** The `pts` that is installed in a project, for a user whose home it is. */
export function ptsOf(project: string) {
  const start = (args: readonly string[], input = ''): Running => {
    const child = spawn(join(project, 'node_modules/.bin/pts'), args, {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: project },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out = outputOf(child);
    child.stdin.end(input);
    return {
      exit: new Promise((done) => child.once('close', done)),
      out,
      lines: () =>
        out()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      interrupt: () => void child.kill('SIGINT'),
    };
  };
  return {
    start,
    /** Runs a command to its end. */
    run: async (args: readonly string[], input?: string) => {
      const running = start(args, input);
      return { code: await running.exit, out: running.out() };
    },
    /** What a command that succeeds prints with --json. */
    json: async (...args: string[]): Promise<Printed[]> => {
      const running = start([...args, '--json']);
      expect([args, await running.exit, running.out()]).toEqual([args, 0, expect.anything()]);
      return running.lines();
    },
  };
}
