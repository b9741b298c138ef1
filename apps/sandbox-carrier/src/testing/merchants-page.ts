import { readFileSync } from 'node:fs';

const linesOf = (page: string) =>
  readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8').split('\n');
const PAGE = linesOf('sandbox.md');
const CHINESE_PAGE = linesOf('zh/sandbox.md');
const OPERATORS_PAGE = linesOf('sandbox-carrier.md');

/** The row of the table about a story. */
export function rowOf(story: string): string {
  return PAGE.find((line) => line.startsWith(`| \`${story}\` |`)) ?? '';
}

/** The row of the Chinese page about a story, perhaps with others. */
export function chineseRowOf(story: string): string {
  return CHINESE_PAGE.find((line) => cellsOf(line)[1]?.split('、').includes(`\`${story}\``)) ?? '';
}

/** The cells of the row that says what else is seen of a story if this provider tells it; undefined if nothing. */
export function deviationOf(story: string, provider: string): string[] | undefined {
  return OPERATORS_PAGE.filter((line) => line.startsWith(`| \`${story}\`, `))
    .map(cellsOf)
    .find(([, told = '']) => told.includes(`\`${provider}\``));
}

function cellsOf(line: string): string[] {
  return line.split('|').map((cell) => cell.trim());
}
