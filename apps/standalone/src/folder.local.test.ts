import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from './folder.ts';

let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'pts-lock-')), 'standalone');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

test('no other process gets the lock while it is held', () => {
  const release = takeLock(dir);
  expect(() => takeLock(dir)).toThrow(`Already running in ${dir} (pid ${process.pid})`);
  release();
  takeLock(dir)();
  expect(readdirSync(dir)).toEqual([]);
});

test('a lock whose process has ended is ignored', () => {
  mkdirSync(dir);
  writeFileSync(join(dir, 'lock'), '999999999 12345');
  takeLock(dir)();
});

test('a lock whose pid now belongs to another process is ignored', () => {
  const release = takeLock(dir);
  const [pid] = readFileSync(join(dir, 'lock'), 'utf8').split(' ');
  release();
  writeFileSync(join(dir, 'lock'), `${pid} started at another time`);
  takeLock(dir)();
});

test('only a folder without other contents becomes accessible to other users', () => {
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(join(dir, 'something'), '');
  takeLock(dir)();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  rmSync(join(dir, 'something'));
  takeLock(dir)();
  expect(statSync(dir).mode & 0o777).toBe(0o711);
});

test('a folder that cannot be created causes a clear message', () => {
  writeFileSync(dir, 'a file');
  for (const impossible of [dir, join(dir, 'below'), '/dev/null/below', '/proc/no/such/folder'])
    expect(() => takeLock(impossible)).toThrow(`${impossible} cannot be written`);
});
