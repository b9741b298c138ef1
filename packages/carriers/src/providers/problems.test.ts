import { readdirSync, readFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const PROVIDERS = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'sandbox')
  .map(({ name }) => name);

/** A meaning of trouble that names no problem and no course, which are problems of their own; comparisons have none. */
const UNNAMED = /^(?!.*\b(?:problem|course):).*(?<![!=]== )'(?:exception|undeliverable)'/;
const REASON = /\/\/ \S/;

/** The lines of a source that give trouble no name, and say nothing about why: there, or in the line above. */
function unexplained(source: string): string[] {
  const lines = source.split('\n');
  return lines.filter((line, n) => UNNAMED.test(line) && !REASON.test(line) && !/^\s*\/\/ \S/.test(lines[n - 1] ?? ''));
}

test.each(PROVIDERS)('%s: every code of trouble names its problem, or says why it has none', (name) => {
  expect(unexplained(readFileSync(new URL(`${name}/parse.ts`, here), 'utf8'))).toEqual([]);
});

test.each([
  [`  X: 'exception',`, 1],
  [`  ['failure', 'undeliverable'],`, 1],
  [`    ...codes('exception', [`, 1],
  [`  X: 'exception', // any kind`, 0],
  [`  // Any kind.\n    ...codes('exception', [`, 0],
  [`const FAILED: Meaning = { status: 'exception', problem: 'failed_attempt' };`, 0],
  [`  return known.status === 'exception' && known.course !== undefined;`, 0],
])('the line %j has %i codes without either', (source, count) => {
  expect(unexplained(source)).toHaveLength(count);
});
