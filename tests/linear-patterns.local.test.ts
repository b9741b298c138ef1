import { CHINESE } from '@pts/carriers/detection/chinese';
import { POSTS, S10_ITEMS } from '@pts/carriers/detection/posts';
import { WESTERN } from '@pts/carriers/detection/western';
import { WORLD } from '@pts/carriers/detection/world';
import { judge, makesPatterns, notLinear, patternsIn, type Verdicts } from './architecture/patterns.ts';
import { isForTests, readRepository, type Source } from './architecture/sources.ts';

/** Tables of patterns that are built from parts; the results are checked. */
const TABLES = {
  chinese: CHINESE,
  posts: [...POSTS, ...[...S10_ITEMS.values()].flat()],
  western: WESTERN,
  world: WORLD,
};
const TABLE_PATHS = Object.keys(TABLES).map((name) => `packages/carriers/src/detection/${name}.ts`);

const sources = readRepository().sources.filter(({ path }) => /^(packages|apps)\//.test(path) && !isForTests(path));

const source = (text: string): Source => ({ path: 'packages/carriers/src/a.ts', text });

const FAULTY: [string, string][] = [
  ['a quadratic literal', 'export const a = [/(?:柜|站).*代签收/, 1];'],
  ['an exponential one', 'if (/^(a+)+$/i.test(x)) f();'],
  ['spaces at the end', String.raw`x.replace(/\s+$/g, '')`],
  ['an alternative that is read in vain at each match', String.raw`x.replaceAll(/\([^)]*\)|[\s\p{P}\p{S}]/gu, '')`],
  ['a pattern of a schema', `const s = { type: 'string', pattern: '^(a|a)*$' } as const;`],
  ['one in backticks', 'const s = { pattern: String.raw`^(\\d+)*$` };'],
  ['what cannot be proven', String.raw`const a = /(a*)\1b/;`],
];
const FINE = ['const a = /^[A-Z0-9]{5,50}$/;', 'const a = "(a+)+$";', `const a = { pattern: '^[0-9]{1,18}$' };`];

const own = sources.flatMap(patternsIn);
const tables = Object.entries(TABLES).flatMap(([path, formats]) =>
  formats.map(([, { source, flags }]) => ({ path, source, flags })),
);
const examples = [...FAULTY.map(([, text]) => text), ...FINE].flatMap((text) => patternsIn(source(text)));
let verdicts: Verdicts;
beforeAll(() => {
  verdicts = judge([...own, ...tables, ...examples]);
}, 300_000);

test('every pattern of a package or an app takes linear time, for any text', () => {
  expect(own.length).toBeGreaterThan(150);
  expect(notLinear(own, verdicts)).toEqual([]);
});

test('so does every built pattern, and only tables that are checked here build patterns', () => {
  expect(notLinear(tables, verdicts)).toEqual([]);
  expect(sources.filter(makesPatterns).map(({ path }) => path)).toEqual(
    TABLE_PATHS.filter((path) => sources.some((each) => each.path === path && makesPatterns(each))),
  );
});

describe('the check', () => {
  test.each(FAULTY)('finds %s', (_what, text) => {
    const faults = notLinear(patternsIn(source(text)), verdicts);
    expect(faults).toEqual([expect.stringContaining('packages/carriers/src/a.ts: /')]);
  });

  test.each(FINE)('lets %s pass', (text) => {
    expect(notLinear(patternsIn(source(text)), verdicts)).toEqual([]);
  });

  test('finds patterns that were not checked', () => {
    expect(notLinear(patternsIn(source('const a = /a/;')), new Map())).toEqual([
      expect.stringContaining('not checked'),
    ]);
  });

  test.each(['new RegExp(`^a`)', "RegExp('a')"])('detects that %s makes a pattern', (text) => {
    expect([makesPatterns(source(text)), makesPatterns(source('x instanceof RegExp'))]).toEqual([true, false]);
  });
});

test('provider answers are parsed in one place, where every text is sanitized', () => {
  const parsing = sources.filter(
    ({ path, text }) => path.startsWith('packages/carriers/') && /JSON\.parse|\.json\(\)/.test(text),
  );
  expect(parsing.map(({ path }) => path)).toEqual(['packages/carriers/src/http/json.ts']);
});
