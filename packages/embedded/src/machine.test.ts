import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTemporaryFolder } from './machine.ts';

const chosen = mkdtempSync(join(tmpdir(), 'pts-chosen-'));
afterAll(() => rmSync(chosen, { recursive: true }));

test('a folder for temporary files that somebody chose is used', () => {
  process.env.TMPDIR = chosen;
  expect(dirname(createTemporaryFolder('pts-x-'))).toBe(chosen);
});

test('by default, files are in memory only where there is enough of it', () => {
  process.env.TMPDIR = '/tmp';
  const folder = createTemporaryFolder('pts-x-');
  rmSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(dirname(folder));
  expect(dirname(folder) === '/tmp' || bavail * bsize >= 4 * 1024 ** 3).toBe(true);
});
