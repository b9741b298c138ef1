import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import type { Browser } from 'playwright-core';
import { launchBrowser, openPage } from '../browser/support/browser.ts';
import { rowsOf } from '../browser/support/console.ts';
import { startCollector } from '../support/collector.ts';
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
import { MAIN_JOB_ENV, type MainJob, mainJobStories } from './stories/main-job.ts';

// What `npm start` starts, without Redis, from nothing to the end of its folder: each test goes on where the one before
// has stopped.
const ROOT = resolve(import.meta.dirname, '../..');
const dir = newDirectory();
let collector: MainJob['collector'];
let browser: Browser;
let running: Service | undefined;
let firstKey = '';

beforeAll(async () => {
  [collector, browser] = await Promise.all([startCollector(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await running?.stop();
  await collector.close();
  removeDirectory(dir);
});

test('a port in use is reported in one line, and nothing is left behind', async () => {
  const blocker = createServer();
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done));
  const { port } = blocker.address() as { port: number };
  await expect(startService({ PORT: String(port) }, dir)).rejects.toThrow(new RegExp(`${port}.*in use`));
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  await new Promise((done) => blocker.close(done));
});

test('if it is killed while it creates its database, the next start works: a newcomer pastes what it prints into a browser, presses one button, and sees a parcel arrive; no warning is logged, and Ctrl-C ends all', async () => {
  const child = spawnService({}, dir);
  const postgres = join(dir, 'postgres');
  await eventually(() => {
    const clusters = readdirSync(postgres).filter((name) => name.startsWith('data'));
    expect(clusters.some((name) => existsSync(join(postgres, name, 'PG_VERSION')))).toBe(true);
  });
  const ended = once(child, 'close');
  killProcessesOf(dir);
  await ended;

  const service = await startService({ LOG_FORMAT: 'json' }, dir);
  running = service;
  firstKey = service.ready.api_key;
  const banner = /Console +(\S+).*\n +API key +(tk_\w+)/;
  await eventually(() => expect(service.output()).toMatch(banner));
  const [, address = '', key = ''] = banner.exec(service.output()) ?? [];
  const { page, faults } = await openPage(browser, service.ready.base_url);
  await page.goto(address);
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Shipments' }).click();
  await page.getByRole('button', { name: 'Add 10 sample parcels' }).click();
  await rowsOf(page).filter({ hasText: 'SBXEXPRESS' }).getByText('Delivered', { exact: true }).waitFor();
  expect(await faults()).toEqual([]);
  await page.close();
  expect(await service.stop('SIGINT')).toBe(0);
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  expect(faultsIn(service.output(), ['warn', 'error', 'fatal'])).toEqual([]);
});

test('it starts again with its key and its data', async () => {
  running = await startService({ ...collector.env, ...MAIN_JOB_ENV }, dir);
  expect(running.ready.api_key).toBe(firstKey);
  expect((await merchantOf(running).client.shipments.list()).shipments).toHaveLength(10);
});

test('its output can be pasted into a shell, line by line: a parcel, its state, its signed pushes', async () => {
  const service = running as Service;
  const commands = service
    .output()
    .slice(service.output().indexOf('The Parcel Tracking Service is running'))
    .split('\n')
    .filter((line) => /^(curl|npm|STANDALONE_DIR)/.test(line));
  expect(commands).toHaveLength(3);
  const [receiver = '', ...lines] = commands;
  const startShell = () =>
    spawn('bash', ['-c', receiver], { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const shell = startShell();
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
  expect(shown).toContain('Deleted the webhook');

  const closed = startShell();
  await once(closed.stdout, 'data');
  const webhooks = async () => (await merchantOf(service).call<{ count: number }>('GET', '/webhooks')).data.count;
  await eventually(async () => expect(await webhooks()).toBe(1), { everyMs: 1000 });
  // What a terminal sends when it is closed.
  process.kill(-(closed.pid ?? 0), 'SIGHUP');
  await eventually(async () => expect(await webhooks()).toBe(0), { everyMs: 1000 });
});

describe('the main job without Redis', () => mainJobStories(() => ({ service: running as Service, collector })));

test('if its data is deleted while it runs, it ends with all its processes, one line that says why, and code 1', async () => {
  const service = running as Service;
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*\n');
  const before = service.output().length;
  removeDirectory(dir);
  expect(await service.exited).toBe(1);
  await eventually(() => expect(processesOf(dir)).toEqual([]));
  const said = service.output().slice(before);
  expect(said).toMatch(new RegExp(`(^|\\n)${dir} was deleted or moved while the service was running.*\\n$`));
  expect(said).not.toContain('restarting it');
  expect(existsSync(dir)).toBe(false);
});
