import fc from 'fast-check';
import { API_KEY_PATTERN, hashApiKey, keyHint, newApiKey } from './api-key.ts';

const KEY = 'tk_000102030405060708090a0b0c0d0e0f1011121314151617';

test('a key is tk_ and 24 random bytes in lowercase hex', () => {
  expect(newApiKey(Uint8Array.from({ length: 24 }, (_, i) => i))).toBe(KEY);
  expect(newApiKey(new Uint8Array(24).fill(0xff))).toBe(`tk_${'f'.repeat(48)}`);
});

test('every new key fits the pattern', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 40 }), (random) => API_KEY_PATTERN.test(newApiKey(random))),
  );
});

test.each([
  ['empty', ''],
  ['without its prefix', KEY.slice(3)],
  ['with another prefix', KEY.replace('tk_', 'sk_')],
  ['with a prefix in upper case', KEY.replace('tk_', 'TK_')],
  ['in upper case', `tk_${'A'.repeat(48)}`],
  ['one character short', KEY.slice(0, -1)],
  ['one character long', `${KEY}0`],
  ['with a letter that is not hex', `${KEY.slice(0, -1)}g`],
  ['with a space before', ` ${KEY}`],
  ['with a space after', `${KEY} `],
  ['with a space within', `${KEY.slice(0, 20)} ${KEY.slice(21)}`],
  ['with a line end after', `${KEY}\n`],
  ['with full-width digits', KEY.replaceAll('0', '０')],
  ['twice', `${KEY}, ${KEY}`],
])('a key %s is malformed', (_fault, key) => {
  expect(API_KEY_PATTERN.test(key)).toBe(false);
});

test('a key is stored as its SHA-256', () => {
  // printf 'tk_0001…1617' | openssl dgst -sha256
  const digest = '6df442ec6f1b383b3a479ba4f868dd74f1b8e27aa3f96a59dfc29d7fb7b8dcc5';
  expect(Buffer.from(hashApiKey(KEY)).toString('hex')).toBe(digest);
});

test('the hint shows the ends of a key and hides the rest', () => {
  expect(keyHint(KEY)).toBe('tk_0001…1617');
});
