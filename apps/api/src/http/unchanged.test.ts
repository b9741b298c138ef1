import { isUnchanged } from './answers.ts';

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a" ,"c"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match: %s', (known, isKnown) => {
  for (const tag of ['"a"', 'W/"a"'])
    expect(isUnchanged({ headers: { 'if-none-match': known, 'cache-control': 'no-cache' } }, tag)).toBe(isKnown);
});
