import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

const FILES = {
  'connects.test.js': `test('a', () => { try { require('node:net').connect(1, '127.0.0.1'); } catch {} });`,
  'fetches.test.js': `test('a', async () => { await fetch('http://127.0.0.1:40001').catch(() => {}); });`,
  'listens.test.js': `test('a', () => { try { require('node:http').createServer().listen(0); } catch {} });`,
  'starts.test.js': `test('a', () => { try { require('node:child_process').spawn('true'); } catch {} });`,
  'waits.test.js': `test('a', () => { try { require('node:child_process').execFileSync('true'); } catch {} });`,
  'begins.test.js': `try { require('node:net').connect(1, '127.0.0.1'); } catch {} test('a', () => {});`,
  'leaves.test.js': `test('a', () => { setInterval(() => {}, 1000); });`,
  'fails.test.js': `test('a', () => { setInterval(() => {}, 1000); throw new Error('the test itself'); });`,
  'ends.test.js': `test('a', () => {}); afterAll(() => { try { require('node:net').connect(1, '127.0.0.1'); } catch {} });`,
  'hurries.test.js': `const { pbkdf2 } = require('node:crypto');
    const late = () => new Promise((resolve) => pbkdf2('', '', 30000, 64, 'sha512', resolve));
    beforeEach(late, 1); test('a', late, 1);`,
  'closes-late.test.js': `test('a', () => { setTimeout(() => {}, 300); });`,
  'computes.test.js': `test('a', async () => { await new Promise((resolve) => setTimeout(resolve, 1)); });`,
};

/** Two files that run in one process, the longer one first. */
const SHARING = {
  'first.test.js': `const hooks = require('node:async_hooks');
    const { disable } = hooks.AsyncLocalStorage.prototype;
    hooks.AsyncLocalStorage.prototype.disable = function () { hooks.isDisabled = true; return disable.call(this); };
    require('./shared.js').by.push('first');
    process.env.LEFT = 'x'; process.env.PATH = ''; process.exitCode = 3; process.chdir('/');
    test('a', () => {});`,
  'second.test.js': `const { PATH, LEFT } = process.env;
    test('a', () => expect([require('./shared.js').by, require('node:async_hooks').isDisabled]).toEqual([['first'], true]));
    test('b', () => expect([PATH.length > 0, LEFT, process.exitCode, process.cwd() === '/']).toEqual([true, undefined, undefined, false]));`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-environment-'));
  for (const [name, text] of Object.entries({ ...FILES, ...SHARING, 'shared.js': 'exports.by = [];' }))
    writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the files with jest, in the environment that `options` choose. @returns the failure of each; '' for none. */
async function faults(
  options: object,
  names = Object.keys(FILES),
  how = ['--maxWorkers', '2', '--forceExit'],
): Promise<Record<string, string>> {
  const config = {
    rootDir: folder,
    testEnvironment: join(ROOT, 'tests/jest/environment.mjs'),
    runtime: join(ROOT, 'tests/jest/runtime.mjs'),
    testEnvironmentOptions: { maxToCloseMs: 2000, ...options },
    transform: {},
    // The default reporter's timers alone would keep a process alive.
    reporters: [],
    // Has jest use workers, however few the files are.
    workerIdleMemoryLimit: '1GB',
  };
  const output = join(folder, 'results.json');
  rmSync(output, { force: true });
  const args = [...names, '--json', '--outputFile', output, ...how, '--config', JSON.stringify(config)];
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
  await new Promise((done) => child.once('close', done));
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
    testResults: { name: string; message: string }[];
  };
  return Object.fromEntries(testResults.map(({ name, message }) => [name.slice(folder.length + 1), message]));
}

const ALONE = expect.stringContaining('A unit test opens no socket and starts no program');
const LEFT = expect.stringContaining('left open what keeps the process alive: 1 Timeout');
/** The files that stay within the process, and their failures. */
const INSIDE = {
  'leaves.test.js': LEFT,
  'fails.test.js': expect.stringMatching(/the test itself[\s\S]*left open what keeps the process alive: 1 Timeout/),
  'closes-late.test.js': '',
  'hurries.test.js': '',
  'computes.test.js': '',
};

test('a unit test that opens a socket or starts a program fails, although it catches the error', async () => {
  const outside = Object.keys(FILES).filter((name) => !(name in INSIDE));
  const expected = { ...Object.fromEntries(outside.map((name) => [name, ALONE])), ...INSIDE };
  expect(await faults({ alone: true })).toEqual(expected);
}, 300_000);

test('jest waits for a file that it runs in its own process and that takes a moment to close', async () => {
  expect(await faults({}, ['closes-late.test.js'], ['--runInBand'])).toEqual({ 'closes-late.test.js': '' });
}, 300_000);

test('a worker loads a module once for all its files, and restores after each what it has changed in the process', async () => {
  const names = Object.keys(SHARING);
  expect(await faults({}, names, ['--runInBand'])).toEqual(Object.fromEntries(names.map((name) => [name, ''])));
}, 300_000);

test('in other tiers, only a file that leaves something open fails', async () => {
  expect(await faults({}, Object.keys(INSIDE))).toEqual(INSIDE);
}, 300_000);
