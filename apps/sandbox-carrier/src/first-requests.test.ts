import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberInFile, rememberInMemory } from './first-requests.ts';

const FIRST = new Date('2026-03-01T08:00:00.123Z');
const LATER = new Date('2026-03-01T09:00:00.000Z');
const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newFile = () => join(folder, 'made-when-needed', `${files++}.jsonl`);

test('a number keeps the time of its first query', () => {
  const state = rememberInMemory();
  expect(state.startsOf(['A', 'B'], FIRST)).toEqual([FIRST, FIRST]);
  expect(state.startsOf(['B', 'C', 'C'], LATER)).toEqual([FIRST, LATER, LATER]);
});

test('the time survives a process that was not closed', () => {
  const path = newFile();
  rememberInFile(path).startsOf(['A', 'B'], FIRST);
  expect(rememberInFile(path).startsOf(['B', 'C'], LATER)).toEqual([FIRST, LATER]);
  expect(rememberInFile(path).startsOf(['C'], new Date())).toEqual([LATER]);
});

test('a truncated last line affects only its own number, and the next one is kept', () => {
  const path = newFile();
  rememberInFile(path).startsOf(['A', 'TORN'], FIRST);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  expect(rememberInFile(path).startsOf(['A', 'TORN', 'B'], LATER)).toEqual([FIRST, LATER, LATER]);
  expect(rememberInFile(path).startsOf(['A', 'TORN', 'B'], new Date())).toEqual([FIRST, LATER, LATER]);
});

test('foreign lines are ignored', () => {
  const path = newFile();
  rememberInFile(path).startsOf(['A'], FIRST);
  appendFileSync(path, '\nnull\n[]\n{"number":1}\n{"number":"X","first_asked":"never"}\n\u0000\u0000');
  expect(rememberInFile(path).startsOf(['A', 'X'], LATER)).toEqual([FIRST, LATER]);
});

test('memory and file stay bounded, and the newest numbers are the ones kept', () => {
  const path = newFile();
  const state = rememberInFile(path, 10);
  for (let i = 0; i < 100; i++) state.startsOf([`N${i}`], FIRST);
  expect(readFileSync(path, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(22);
  expect(state.startsOf(['N99', 'N90', 'N0'], LATER)).toEqual([FIRST, FIRST, LATER]);
  expect(rememberInFile(path, 10).startsOf(['N99', 'N0'], new Date())).toEqual([FIRST, LATER]);
});

test('an unusable file is an error at once', () => {
  expect(() => rememberInFile(folder)).toThrow(/EISDIR/);
});
