import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { createOutput, type Program, type Supervisor, supervise } from './supervisor.ts';

let dir: string;
let lines: string[];
let supervisor: Supervisor | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pts-supervisor-'));
  lines = [];
});
afterEach(() => {
  supervisor?.kill();
  rmSync(dir, { recursive: true });
});

/** A program that prints its pid, says that it is ready, and then does what `code` says. */
function program(name: string, code: string): Program {
  const file = join(dir, `${name}.mjs`);
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(pidFile(name))}, String(process.pid));
     ${code}; console.log('ready'); setInterval(() => {}, 1000);`,
  );
  return { name, args: [file], env: process.env, ready: { says: /^ready$/ } };
}

const pidFile = (name: string) => join(dir, `${name}.pid`);
const pidOf = (name: string) => Number(readFileSync(pidFile(name), 'utf8'));
const isGone = (pid: number) => expect(() => process.kill(pid, 0)).toThrow('ESRCH');

/** Unless a test says otherwise, a process has all the time that it needs to stop. */
function start(programs: Program[], { firstPauseMs = 10, stopMs = 60_000 } = {}): Supervisor {
  const output = createOutput({ write: (text: string) => lines.push(text) }, false);
  supervisor = supervise(programs, {
    cwd: dir,
    output,
    firstPauseMs,
    maxPauseMs: 60_000,
    stopMs,
    heartbeat: HEARTBEAT,
  });
  return supervisor;
}

/** Long enough for a process that is slow on a busy machine. */
const HEARTBEAT = { everyMs: 500, maxMisses: 6 };
const onDisconnect = `process.on('disconnect', () => process.exit(0))`;

test('all start, their lines follow their names, and stopping ends them with SIGTERM', async () => {
  const running = start([
    program('one', `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); })`),
    program('two', onDisconnect),
  ]);
  await running.ready();
  const pids = [pidOf('one'), pidOf('two')];
  await running.stop();
  pids.forEach(isGone);
  expect(lines).toEqual(expect.arrayContaining(['one        | ready\n', 'two        | ready\n', 'one        | bye\n']));
});

test('a process that dies is restarted, and a line says so', async () => {
  const running = start([program('one', onDisconnect)]);
  await running.ready();
  const first = pidOf('one');
  process.kill(first, 'SIGKILL');
  await eventually(() => expect(pidOf('one')).not.toBe(first));
  expect(lines.join('')).toContain('standalone | one ended (SIGKILL), restarting it in 0.01 s');
  await running.stop();
});

test('a process that cannot even be started at the moment is started later', async () => {
  const running = start([program('one', onDisconnect)]);
  await running.ready();
  const first = pidOf('one');
  renameSync(dir, `${dir}-away`);
  try {
    process.kill(first, 'SIGKILL');
    await eventually(() => expect(lines.join('')).toMatch(/standalone \| one ended \(spawn .*\), restarting it/));
  } finally {
    renameSync(`${dir}-away`, dir);
  }
  await eventually(() => expect(pidOf('one')).not.toBe(first));
  await running.stop();
});

test('a hanging process is killed and restarted, and a line says so', async () => {
  const running = start([program('one', `process.on('SIGUSR2', () => { for (;;); }); ${onDisconnect}`)]);
  await running.ready();
  const first = pidOf('one');
  process.kill(first, 'SIGUSR2');
  await eventually(() => expect(pidOf('one')).not.toBe(first));
  isGone(first);
  expect(lines.join('')).toMatch(/standalone \| one ended \(hung: no response for [\d.]+ s, killed\), restarting it/);
  await running.stop();
});

test('a process that answers is not restarted, however little it does', async () => {
  const hangs = `process.on('SIGUSR2', () => { for (;;); })`;
  const running = start([program('one', onDisconnect), program('two', `${hangs}; ${onDisconnect}`)]);
  await running.ready();
  const [idle, hung] = [pidOf('one'), pidOf('two')];
  process.kill(hung, 'SIGUSR2');
  await eventually(() => expect(pidOf('two')).not.toBe(hung));
  expect(pidOf('one')).toBe(idle);
  await running.stop();
});

test('a process that never becomes ready fails the start', async () => {
  const running = start([program('one', `console.error('no such setting'); process.exit(3)`)]);
  await expect(running.ready()).rejects.toThrow('one does not start. See its output above.');
  expect(lines.join('')).toContain('one        | no such setting');
  expect(lines.join('')).toContain('one ended (exit code 3)');
});

test('a process that the system refuses to start fails the start, and the lines say why', async () => {
  const running = start([{ ...program('one', onDisconnect), env: { TOO_LONG: 'x'.repeat(2 ** 22) } }]);
  await expect(running.ready()).rejects.toThrow('one does not start. See its output above.');
  expect(lines.join('')).toContain('standalone | one ended (spawn E2BIG), restarting it');
});

test('a process that ignores SIGTERM is killed after a while, with its children', async () => {
  const helper = join(dir, 'helper.pid');
  const one = program(
    'one',
    `process.on('SIGTERM', () => {});
     const { spawn } = await import('node:child_process');
     const helper = spawn('sleep', ['600']); writeFileSync(${JSON.stringify(helper)}, String(helper.pid))`,
  );
  const running = start([one], { stopMs: 500 });
  await running.ready();
  const pids = [pidOf('one'), Number(readFileSync(helper, 'utf8'))];
  await running.stop();
  for (const pid of pids) await eventually(() => isGone(pid));
  expect(lines.join('')).toContain('one did not stop within 0.5 s, killing it');
});

test('a process that waits for its restart stays stopped after a stop', async () => {
  const running = start([program('one', onDisconnect)], { firstPauseMs: 60_000 });
  await running.ready();
  process.kill(pidOf('one'), 'SIGKILL');
  await eventually(() => expect(lines.join('')).toContain('restarting it in 60 s'));
  await running.stop(); // and nothing keeps this test from ending
});
