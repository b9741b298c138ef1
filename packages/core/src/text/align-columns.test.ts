import { columns } from './align-columns.ts';

test('cells are aligned, also after Chinese and Thai names', () => {
  expect(
    columns([
      ['ID', 'NAME', 'PLAN'],
      ['1', '深圳店', 'pro'],
      ['23', 'ที่', 'free'],
    ]),
  ).toEqual(['ID  NAME    PLAN', '1   深圳店  pro', '23  ที่       free']);
});

test('rows may be of different lengths, and there may be none', () => {
  expect(columns([['a'], ['b', 'c']])).toEqual(['a', 'b  c']);
  expect(columns([])).toEqual([]);
});
