import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';

/** Where a release notes the days, for builds without the history: that of an image has no .git. */
export const CHANGE_DAYS = 'docs/changed.json';
/** The files that the pages of the portal are made of. */
const SOURCES = [
  'docs/*.md',
  'CHANGELOG.md',
  'packages/*/README.md',
  'packages/contract/src/*.ts',
  'apps/portal/src/errors/en.ts',
  'apps/portal/src/errors/zh.ts',
];
const NOT_SHOWN = /^docs\/(decisions|benchmarks)\//;

/**
 * The day on which a file was last changed, from the history or, without one, from the last release; null if neither
 * knows it.
 */
export function changeDays() {
  const file = join(ROOT, CHANGE_DAYS);
  const days = fromHistory(ROOT) ?? (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  return (path) => days[path] ?? null;
}

/** Notes the days of the history, if there is one. */
export function noteChangeDays(root) {
  const days = fromHistory(root);
  if (days === null) return;
  const shown = Object.entries(days).filter(([path]) => !NOT_SHOWN.test(path) && existsSync(join(root, path)));
  writeFileSync(join(root, CHANGE_DAYS), `${JSON.stringify(Object.fromEntries(shown.sort()), null, 2)}\n`);
}

/** The days of the last commits by path; null without a history, or with a part of it. */
function fromHistory(root) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const days = {};
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() !== 'false') return null;
    let day = null;
    for (const line of git('log', '--format=day %cs', '--name-only', '--', ...SOURCES).split('\n')) {
      if (line.startsWith('day ')) day = line.slice(4);
      else if (line !== '') days[line] ??= day;
    }
  } catch {
    return null;
  }
  return days;
}
