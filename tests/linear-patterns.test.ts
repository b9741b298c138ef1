import { CHINESE } from '@pts/carriers/detection/chinese';
import { POSTS } from '@pts/carriers/detection/posts';
import { WESTERN } from '@pts/carriers/detection/western';
import { makesPatterns, notLinear, patternsIn } from './architecture/patterns.ts';
import { isForTests, readRepository, type Source } from './architecture/sources.ts';

/** Tables of patterns that are put together from parts; they are checked as they come out. */
const TABLES = { chinese: CHINESE, posts: POSTS, western: WESTERN };
const TABLE_PATHS = Object.keys(TABLES).map((name) => `packages/carriers/src/detection/${name}.ts`);

const sources = readRepository().sources.filter(({ path }) => /^(packages|apps)\//.test(path) && !isForTests(path));

const source = (text: string): Source => ({ path: 'packages/carriers/src/a.ts', text });

test('no pattern of a package or an app takes more than linear time, whatever text it is given', () => {
  const patterns = sources.flatMap(patternsIn);
  expect(patterns.length).toBeGreaterThan(150);
  expect(notLinear(patterns)).toEqual([]);
});

test('nor does one that is put together, and only tables that are checked here put any together', () => {
  const tables = Object.entries(TABLES).flatMap(([path, formats]) =>
    formats.map(([, { source, flags }]) => ({ path, source, flags })),
  );
  expect(notLinear(tables)).toEqual([]);
  expect(sources.filter(makesPatterns).map(({ path }) => path)).toEqual(
    TABLE_PATHS.filter((path) => sources.some((each) => each.path === path && makesPatterns(each))),
  );
});

describe('the check', () => {
  test.each([
    ['a quadratic literal', 'export const a = [/(?:柜|站).*代签收/, 1];'],
    ['an exponential one', 'if (/^(a+)+$/i.test(x)) f();'],
    ['spaces at the end', String.raw`x.replace(/\s+$/g, '')`],
    ['a pattern of a schema', `const s = { type: 'string', pattern: '^(a|a)*$' } as const;`],
    ['one in backticks', 'const s = { pattern: String.raw`^(\\d+)*$` };'],
    ['what cannot be proven', String.raw`const a = /(a*)\1b/;`],
  ])('finds %s', (_what, text) => {
    expect(notLinear(patternsIn(source(text)))).toEqual([expect.stringContaining('packages/carriers/src/a.ts: /')]);
  });

  test.each(['const a = /^[A-Z0-9]{5,50}$/;', 'const a = "(a+)+$";', `const a = { pattern: '^[0-9]{1,18}$' };`])(
    'lets %s pass',
    (text) => {
      expect(notLinear(patternsIn(source(text)))).toEqual([]);
    },
  );

  test.each(['new RegExp(`^a`)', "RegExp('a')"])('sees that %s makes a pattern', (text) => {
    expect([makesPatterns(source(text)), makesPatterns(source('x instanceof RegExp'))]).toEqual([true, false]);
  });
});

test('what a provider says is parsed in one place, where every text of it is cleaned', () => {
  const parsing = sources.filter(
    ({ path, text }) => path.startsWith('packages/carriers/') && /JSON\.parse|\.json\(\)/.test(text),
  );
  expect(parsing.map(({ path }) => path)).toEqual(['packages/carriers/src/json.ts']);
});
