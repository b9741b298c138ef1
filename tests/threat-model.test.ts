import { posix } from 'node:path';
import { exists, read } from './deployment/repository.ts';

const PAGE = 'docs/threat-model.md';
const page = read(PAGE);
/** `["a title"](../path/of.test.ts)` */
const named = Array.from(page.matchAll(/\["([^\]\n]+)"\]\(([^)\s]+)\)/g), ([, title = '', link = '']) => ({
  title,
  path: posix.normalize(posix.join('docs', link)),
}));

test('every threat names a test', () => {
  const threats = page.split('\n').filter((line) => /^\| (?!He may|-)/.test(line) && !line.startsWith('|---'));
  expect(threats.length).toBeGreaterThan(25);
  expect(threats.filter((line) => !/\.test\.ts\) \|$/.test(line))).toEqual([]);
});

test.each(named)('the test "$title" of $path exists', ({ title, path }) => {
  expect(path).toMatch(/\.test\.ts$/);
  expect(exists(path)).toBe(true);
  expect(read(path)).toContain(title);
});
