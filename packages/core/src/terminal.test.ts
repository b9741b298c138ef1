import { columns, forTerminal, jsonForTerminal } from './terminal.ts';

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

const HOSTILE = '\u001b[2J\u009b0m\u202eabc\u2066\u200f\u061c\r\b\u007f';

test('a text does not clear, colour or turn what a terminal shows', () => {
  expect(forTerminal(HOSTILE)).toMatch(/^[\x20-\x7e\ufffd]*$/);
  expect(forTerminal('a\tb\n运单号 עברית 👨\u200d👩')).toBe('a\tb\n运单号 עברית 👨\u200d👩');
});

test('JSON keeps its value', () => {
  const json = jsonForTerminal(JSON.stringify({ location: HOSTILE }, null, 2));
  expect(json).toMatch(/^[\x20-\x7e\n]*$/);
  expect(JSON.parse(json)).toEqual({ location: HOSTILE });
});
