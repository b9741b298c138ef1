import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATIONS } from '../apps/portal/src/reference/operations.ts';
import { GUIDES } from '../apps/portal/src/site/guides.ts';
import { exists } from './deployment/repository.ts';

/** The build scripts are JavaScript. */
const { changeDays, noteChangeDays } = (await import(
  join(import.meta.dirname, '../scripts/parts/change-days.mjs')
)) as {
  changeDays(root?: string): (path: string) => string | null;
  noteChangeDays(root: string): void;
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pts-days-'));
  mkdirSync(join(root, 'docs/decisions'), { recursive: true });
  for (const name of ['start', 'decisions/0001']) writeFileSync(join(root, `docs/${name}.md`), '# Page\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function commit(day: string): void {
  const env = { ...process.env, GIT_AUTHOR_DATE: `${day}T12:00:00Z`, GIT_COMMITTER_DATE: `${day}T12:00:00Z` };
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...who, 'commit', '-q', '-m', 'x'],
  ])
    execFileSync('git', args, { cwd: root, env });
}

test('a release notes the days of its pages, and a build without the history has them', () => {
  commit('2026-03-01');
  writeFileSync(join(root, 'docs/start.md'), '# Changed\n');
  commit('2026-03-05');
  expect(changeDays(root)('docs/start.md')).toBe('2026-03-05');
  noteChangeDays(root);
  rmSync(join(root, '.git'), { recursive: true });
  expect(changeDays(root)('docs/start.md')).toBe('2026-03-05');
  expect(readFileSync(join(root, 'docs/changed.json'), 'utf8')).not.toContain('decisions');
  // Without a history, what is noted stays.
  noteChangeDays(root);
  expect(changeDays(root)('docs/start.md')).toBe('2026-03-05');
});

test('where neither the history nor a release knows the day, there is none', () => {
  expect(changeDays(root)('docs/start.md')).toBeNull();
});

test('the files that pages state as theirs exist', () => {
  const files = [
    ...GUIDES.flatMap(({ guides }) => guides.map(({ file }) => file)),
    ...OPERATIONS.map(({ file }) => file),
    ...['apps/portal/src/errors/en.ts', 'apps/portal/src/errors/zh.ts'],
  ];
  expect(files.filter((file) => !exists(file))).toEqual([]);
});
