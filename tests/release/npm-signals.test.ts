import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { newDirectory, processesOf, removeDirectory } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');

// npm runs a script in a shell, and not every shell passes a signal on; a terminal sends Ctrl-C to all that runs in it.
test.each([
  ['npm gets SIGTERM', 'SIGTERM', 'npm'],
  ['npm is killed', 'SIGKILL', 'npm'],
  ['the user presses Ctrl-C', 'SIGINT', 'everything'],
] as const)(
  'the processes of npm start end when %s',
  async (_, signal, target) => {
    const dir = newDirectory();
    const { PATH, HOME, LANG, TMPDIR } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { PATH, HOME, LANG, TMPDIR, PORT: '0', STANDALONE_DIR: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = outputOf(npm);
    const group = -(npm.pid ?? Number.NaN);
    try {
      await eventually(() => {
        if (!existsSync(join(dir, 'ready.json'))) throw new Error(`the service is not ready:\n${output()}`);
      });
      expect(processesOf(dir).length).toBeGreaterThan(3);
      process.kill(target === 'npm' ? -group : group, signal);
      await eventually(() => expect(processesOf(dir)).toEqual([]));
    } finally {
      if (processesOf(dir).length > 0) process.kill(group, 'SIGKILL');
      removeDirectory(dir);
    }
  },
  180_000,
);
