import { randomBytes } from 'node:crypto';
import { keyWeakness } from './encryption-key.ts';

const encoded = (bytes: ArrayLike<number> | string) =>
  (typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(Array.from(bytes))).toString('base64');
const bytes = (at: (index: number) => number) => encoded(Array.from({ length: 32 }, (_, index) => at(index) & 255));
const HALF = [0x9e, 0x11, 0xf0, 0x42, 0x8b, 0xcd, 0x07, 0x6a, 0xd3, 0x55, 0xbe, 0x20, 0xe9, 0x7c, 0x38, 0xa4];

test.each([
  ['all zero', bytes(() => 0), 'its bytes repeat'],
  ['one byte', bytes(() => 7), 'its bytes repeat'],
  ['a word, repeated', bytes((i) => 0xde ^ (i % 4)), 'its bytes repeat'],
  ['half a key, twice', encoded([...HALF, ...HALF]), 'its bytes repeat'],
  ['a few bytes in disorder', bytes((i) => (i * 7 + (i >> 2) * 5) % 13), 'it has very few distinct bytes'],
  ['mostly zero', bytes((i) => (i < 10 ? (HALF[i] ?? 0) : 0)), 'it has very few distinct bytes'],
  ['counted up', bytes((i) => i), 'its bytes count up or down'],
  ['counted up from 0xf0', bytes((i) => 0xf0 + i), 'its bytes count up or down'],
  ['counted down by three', bytes((i) => 255 - 3 * i), 'its bytes count up or down'],
  ['counted with a slip', bytes((i) => (i === 9 ? 200 : i + 100)), 'its bytes count up or down'],
  ['the alphabet', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ=', 'its bytes count up or down'],
  ['a sentence', encoded('correct horse battery staple 1!!'), 'it is text'],
  ['hexadecimal digits', encoded('9e11f0428bcd076ad355be20e97c38a4'), 'it is text'],
  ['a sentence in Chinese', encoded('快递查询服务的密钥匙ab'), 'it is text'],
  ['a sentence with line breaks', encoded('the first line\r\nand the second\r\n'), 'it is text'],
  [
    'a lower-case phrase as base64',
    'correcthorsebatterystapleparceltrackingkey0=',
    'all its letters have the same case',
  ],
  [
    'an upper-case phrase as base64',
    'CORRECTHORSEBATTERYSTAPLEPARCELTRACKINGKEY0=',
    'all its letters have the same case',
  ],
  ['digits as base64', '3141592653589793238462643383279502884197160=', 'all its letters have the same case'],
])('%s is not a random key', (_what, key, weakness) => {
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(keyWeakness(key)).toBe(weakness);
});

test('random keys pass', () => {
  const keys = Array.from({ length: 5000 }, () => randomBytes(32).toString('base64'));
  expect(keys.filter((key) => keyWeakness(key) !== null)).toEqual([]);
});
