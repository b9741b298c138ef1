import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { ignoreInGit } from './files.ts';
import { type Folder, watchFolder } from './folder.ts';

let dir: string;
let calls: number;
let folder: Folder;
const lock = () => join(dir, 'lock');
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'pts-folder-')), 'standalone');
  mkdirSync(dir);
  writeFileSync(lock(), '');
  calls = 0;
  folder = watchFolder([dir, lock()], () => (calls += 1), 5);
});
afterEach(() => {
  folder.stop();
  rmSync(join(dir, '..'), { recursive: true });
});

test('an unchanged folder is not reported', () => {
  writeFileSync(join(dir, 'other'), '');
  expect(folder.isGone()).toBe(false);
  expect(calls).toBe(0);
});

test('a deleted folder is reported once', async () => {
  rmSync(dir, { recursive: true });
  await eventually(() => expect(calls).toBe(1));
  expect(folder.isGone()).toBe(true);
  expect(calls).toBe(1);
});

test('a folder that was replaced by another one counts as deleted', () => {
  const kept = watchFolder([dir], () => {}, 60_000);
  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  expect(kept.isGone()).toBe(true);
  kept.stop();
});

test('a lock that was replaced by another one counts as deleted', () => {
  rmSync(lock());
  writeFileSync(lock(), '');
  expect(folder.isGone()).toBe(true);
});

test('git ignores a folder of ours', () => {
  for (const name of ['demo-key', 'ready.json.partial', 'lock.123']) writeFileSync(join(dir, name), '');
  ignoreInGit(dir);
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*\n');
  rmSync(join(dir, '.gitignore'));
  writeFileSync(join(dir, 'letter.txt'), '');
  ignoreInGit(dir);
  expect(existsSync(join(dir, '.gitignore'))).toBe(false);
});
