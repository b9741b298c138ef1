import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { newDirectory, processesOf, removeDirectory } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');

// npm runs a script in a shell, and not every shell passes a signal on.
test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'what npm start runs ends when npm gets %s',
  async (signal) => {
    const dir = newDirectory();
    const { PATH, HOME, LANG, TMPDIR } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { PATH, HOME, LANG, TMPDIR, PORT: '0', STANDALONE_DIR: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const isReady = () => {
      if (!existsSync(join(dir, 'ready.json'))) throw new Error(`the service is not ready:\n${output}`);
    };
    try {
      await eventually(isReady, { deadlineMs: 90_000 });
      expect(processesOf(dir).length).toBeGreaterThan(3);
      npm.kill(signal);
      await eventually(() => expect(processesOf(dir)).toEqual([]), { deadlineMs: 40_000 });
    } finally {
      npm.kill('SIGKILL');
      removeDirectory(dir);
    }
  },
  180_000,
);
