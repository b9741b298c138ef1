import { randomBytes } from 'node:crypto';
import { createOpaqueTokens, tokenKeysFrom } from './tokens.ts';

const KEY = randomBytes(32).toString('base64');
const { seal, open } = createOpaqueTokens(tokenKeysFrom(KEY));
const CURSOR = { kind: 'cursor', accountId: 'a'.repeat(24) };

test.each([[[0n]], [[1n, -1n]], [[7n, 2n ** 63n - 1n, -(2n ** 63n)]]])('%p is sealed and opened again', (numbers) => {
  const token = seal(CURSOR, numbers);
  expect(open(CURSOR, token)).toEqual(numbers);
  expect(seal(CURSOR, numbers)).toBe(token);
  expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
});

test('tokens of neighbouring numbers have nothing in common, also across accounts', () => {
  const tokens = [
    ...Array.from({ length: 200 }, (_, n) => seal(CURSOR, [BigInt(n)])),
    ...Array.from({ length: 200 }, (_, n) => seal({ ...CURSOR, accountId: 'b'.repeat(24) }, [BigInt(n)])),
  ].map((token) => Buffer.from(token, 'base64url'));
  expect(new Set(tokens.map((bytes) => bytes.subarray(0, 6).toString('hex'))).size).toBe(400);
  expect(new Set(tokens.map((bytes) => bytes.subarray(-6).toString('hex'))).size).toBe(400);
});

test.each([
  ['another kind', () => open({ ...CURSOR, kind: 'delivery' }, seal(CURSOR, [5n]))],
  ['another account', () => open({ ...CURSOR, accountId: 'b'.repeat(24) }, seal(CURSOR, [5n]))],
  [
    'another key',
    () => createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64'))).open(CURSOR, seal(CURSOR, [5n])),
  ],
  ['another form of the same bytes', () => open(CURSOR, `${seal(CURSOR, [5n])}=`)],
  ['a part', () => open(CURSOR, seal(CURSOR, [5n, 6n]).slice(0, -11))],
  ['nothing', () => open(CURSOR, '')],
  ['a number', () => open(CURSOR, '48210')],
])('%s is not opened', (_what, opened) => {
  expect(opened()).toBeNull();
});

test('a token in which any bit is changed is not opened', () => {
  const token = Buffer.from(seal(CURSOR, [1n, 2n, 3n]), 'base64url');
  for (let bit = 0; bit < token.length * 8; bit++) {
    const changed = Buffer.from(token);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(open(CURSOR, changed.toString('base64url'))).toBeNull();
  }
});
