import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@pts/testing/eventually';
import { Tether } from './machine.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pts-tether-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function tether(script: string): Tether {
  const output = openSync(join(dir, 'log'), 'w');
  const started = new Tether('/bin/sh', ['-c', script], { stopSignal: 'TERM', output, remove: dir });
  closeSync(output);
  return started;
}

const logged = (text: string) => eventually(() => expect(readFileSync(join(dir, 'log'), 'utf8')).toContain(text));

test('stopping sends the signal, waits for the end, and removes the folder', async () => {
  const server = tether(`trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done`);
  await logged('up');
  expect(await server.stop(60_000)).toBe(true);
  expect(await server.exited).toBe(7);
  expect(existsSync(dir)).toBe(false);
});

test('a server that ends on its own is noticed, with its exit code', async () => {
  expect(await tether('exit 3').exited).toBe(3);
});

test('a server that ignores the signal is reported, and can be killed', async () => {
  const server = tether(`trap '' TERM; echo up; while :; do sleep 0.05; done`);
  await logged('up');
  expect(await server.stop(100)).toBe(false);
  server.kill();
  await server.exited;
});

test('a suspended server ends, too', async () => {
  const server = tether(`trap 'exit 7' TERM; echo "$$ up"; while :; do sleep 0.05; done`);
  await logged('up');
  process.kill(Number.parseInt(readFileSync(join(dir, 'log'), 'utf8'), 10), 'SIGSTOP');
  expect(await server.stop(60_000)).toBe(true);
});

test('a server ends when the process that started it is killed', async () => {
  const starter = await startedElsewhere(`new Tether('/bin/sh', ['-c', 'echo $$; exec sleep 600'], {
    stopSignal: 'TERM', output: openSync(process.argv[2], 'w'),
  })`);
  await logged('\n');
  const pid = Number(readFileSync(join(dir, 'log'), 'utf8'));
  process.kill(pid, 0);
  starter.kill('SIGKILL');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
});

/** Runs code that uses Tether in a process of its own, for which it must be JavaScript. */
async function startedElsewhere(code: string) {
  const source = fileURLToPath(new URL('machine.ts', import.meta.url));
  const bundle = join(dir, 'tether.mjs');
  execFileSync('node_modules/.bin/esbuild', [
    source,
    '--bundle',
    '--platform=node',
    '--format=esm',
    `--outfile=${bundle}`,
    '--log-level=error',
  ]);
  writeFileSync(
    join(dir, 'start.mjs'),
    `import { openSync } from 'node:fs'; import { Tether } from './tether.mjs'; ${code}; setInterval(() => {}, 1000);`,
  );
  return spawn(process.execPath, [join(dir, 'start.mjs'), join(dir, 'log')], { stdio: 'inherit' });
}
