import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepPrivate } from './files.ts';

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
