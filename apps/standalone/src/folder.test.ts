import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { type Folder, ignoreInGit, keepEncryptionKey, keepPrivate, watchFolder } from './folder.ts';

describe('the folder of an installation', () => {
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
});

describe('the modes of its files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'private-'));
  const mask = process.umask(0o022);
  afterAll(() => {
    process.umask(mask);
    rmSync(dir, { recursive: true });
  });

  test('only the owner can list an installation, and read its files: those that are there, and those to come', () => {
    const modeOf = (name: string) => statSync(join(dir, name)).mode & 0o777;
    writeFileSync(join(dir, 'sandbox-state.json'), '');
    chmodSync(dir, 0o755);
    keepPrivate(dir);
    writeFileSync(join(dir, 'ready.json'), '');
    expect([modeOf('sandbox-state.json'), modeOf('ready.json')]).toEqual([0o600, 0o600]);
    expect(modeOf('.') & 0o066).toBe(0);
  });

  test('a folder with the files of others keeps its mode', () => {
    writeFileSync(join(dir, 'notes.txt'), '');
    chmodSync(dir, 0o755);
    keepPrivate(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o755);
  });
});

describe('its encryption key', () => {
  const [FIRST, SECOND] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

  let dir: string;
  let lines: string[];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'pts-secret-'));
    lines = [];
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const file = () => join(dir, 'encryption-key');
  const keep = (given?: string) => keepEncryptionKey(file(), given, (line) => lines.push(line));

  test('the first key is kept for the next starts, a given one as well as a new one', () => {
    expect([keep(FIRST), keep()]).toEqual([FIRST, FIRST]);
    rmSync(file());
    const made = keep();
    expect([keep(), lines]).toEqual([made, []]);
  });

  test('another key that is given is used, with a line that says so, and replaces none', () => {
    keep(FIRST);
    expect([keep(SECOND), keep()]).toEqual([SECOND, FIRST]);
    expect(lines).toEqual([`using ENCRYPTION_KEY instead of the key in ${file()}`]);
  });
});
