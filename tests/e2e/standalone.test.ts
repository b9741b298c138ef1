import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { faultsIn } from '../support/log-faults.ts';
import { merchantOf } from '../support/merchant.ts';
import {
  killProcessesOf,
  newDirectory,
  processesOf,
  removeDirectory,
  type Service,
  spawnService,
  startService,
} from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const dir = newDirectory();
let running: Service | undefined;

afterAll(async () => {
  await running?.stop();
  removeDirectory(dir);
}, 30_000);

test('starts from nothing, logs no warning until a parcel is delivered, stops without leaving a process, and starts again with its key and its data', async () => {
  const first = await startService({ LOG_FORMAT: 'json' }, dir);
  running = first;
  const merchant = merchantOf(first);
  await merchant.register('SBXEXPRESS2002');
  const delivered = async () => expect(await merchant.read(['SBXEXPRESS2002'])).toMatchObject([{ status: '已签收' }]);
  await eventually(delivered, { everyMs: 500 });
  expect(await first.stop('SIGINT')).toBe(0);
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  expect(faultsIn(first.output(), ['warn', 'error', 'fatal'])).toEqual([]);

  const second = await startService({}, dir);
  running = second;
  expect(second.ready.api_key).toBe(first.ready.api_key);
  expect(await merchantOf(second).read(['SBXEXPRESS2002'])).toHaveLength(1);
  expect(await second.stop('SIGTERM')).toBe(0);
  await eventually(() => expect(processesOf(dir)).toEqual([]));
}, 300_000);

test('its output can be pasted into a shell, line by line: a parcel, its state, its signed pushes', async () => {
  const service = await startService({}, dir);
  running = service;
  const commands = () =>
    service
      .output()
      .slice(service.output().indexOf('The Parcel Tracking Service is running'))
      .split('\n')
      .filter((line) => /^(curl|npm|STANDALONE_DIR)/.test(line));
  // The banner is printed just after the file that says that everything is running.
  await eventually(() => expect(commands()).toHaveLength(3));
  const [receiver = '', ...lines] = commands();

  const shell = spawn('bash', ['-c', receiver], { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let shown = '';
  shell.stdout.on('data', (chunk) => (shown += String(chunk)));
  const ended = new Promise((done) => shell.once('close', done));
  try {
    // A second terminal comes after the receiver says that it is registered.
    await eventually(() => expect(shown).not.toBe(''));
    for (const line of lines)
      expect(JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' }))).toMatchObject({ code: 200 });
    await eventually(() => expect(shown).toMatch(/tracking_delivered.*\n.*\n.*verified/));
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGINT');
    await ended;
  }
  expect(shown).toMatch(/SBXEXPRESS\d+/);
  expect(shown).toContain('is removed.');

  const closed = spawn('bash', ['-c', receiver], { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(closed.stdout, 'data');
  const webhooks = async () => (await merchantOf(service).call<{ count: number }>('GET', '/webhooks')).data.count;
  await eventually(async () => expect(await webhooks()).toBe(1), { everyMs: 1000 });
  // What a terminal sends when it is closed.
  process.kill(-(closed.pid ?? 0), 'SIGHUP');
  await eventually(async () => expect(await webhooks()).toBe(0), { everyMs: 1000 });
  await service.stop();
}, 180_000);

test('a port in use is reported in one line, and nothing is left behind', async () => {
  const blocker = createServer();
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done));
  const { port } = blocker.address() as { port: number };
  await expect(startService({ PORT: String(port) }, dir)).rejects.toThrow(new RegExp(`${port}.*in use`));
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  await new Promise((done) => blocker.close(done));
}, 60_000);

test('if it is killed while it creates its database, the next start works', async () => {
  const other = newDirectory();
  const child = spawnService({}, other);
  const postgres = join(other, 'postgres');
  await eventually(() => {
    const clusters = readdirSync(postgres).filter((name) => name.startsWith('data'));
    expect(clusters.some((name) => existsSync(join(postgres, name, 'PG_VERSION')))).toBe(true);
  });
  const ended = once(child, 'close');
  killProcessesOf(other);
  await ended;
  const service = await startService({}, other);
  running = service;
  expect(await service.stop()).toBe(0);
  removeDirectory(other);
}, 120_000);

test('if its data is deleted while it runs, it ends with all its processes, one line that says why, and code 1', async () => {
  const service = await startService({}, dir);
  running = service;
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*\n');
  const before = service.output().length;
  removeDirectory(dir);
  expect(await service.exited).toBe(1);
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  const said = service.output().slice(before);
  expect(said).toMatch(new RegExp(`\n${dir} was deleted or moved while the service was running.*\n$`));
  expect(said).not.toContain('restarting it');
  expect(existsSync(dir)).toBe(false);
}, 120_000);
