import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8').split('\n');

/** The cells of the table row about a story. */
export function rowOf(story: string): string[] {
  return cellsOf(PAGE.find((line) => line.startsWith(`| \`${story}\` |`)) ?? '');
}

/** The cells of the row that says what else is seen of a story if this provider tells it; undefined if nothing. */
export function deviationOf(story: string, provider: string): string[] | undefined {
  return PAGE.filter((line) => line.startsWith(`| \`${story}\`, `))
    .map(cellsOf)
    .find(([, told = '']) => told.includes('every format') || told.includes(`\`${provider}\``));
}

function cellsOf(line: string): string[] {
  return line.split('|').map((cell) => cell.trim());
}
