import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepEncryptionKey } from './kept-secret.ts';

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
