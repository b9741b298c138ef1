import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createOpaqueTokens, createPageTokens, tokenKeysFrom } from './tokens.ts';

const KEY = Buffer.alloc(32, 'a key for a test').toString('base64');
const tokens = createPageTokens(tokenKeysFrom(KEY));
const PAGE = { trackingId: '691f0a3c5d2b4e6f8a9c0d1e', generation: 3 };

const id = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const page = fc.record({ trackingId: id, generation: fc.nat(2 ** 31 - 1) });

test('a token is of exactly one page, and of the same one for ever', () => {
  expect(tokens.seal(PAGE)).toBe(createPageTokens(tokenKeysFrom(KEY)).seal(PAGE));
  fc.assert(
    fc.property(page, (each) => {
      const token = tokens.seal(each);
      expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(tokens.open(token)).toEqual(each);
    }),
  );
});

test('nothing of the id or the generation is visible, and neighbours have nothing in common', () => {
  const [one, other] = [tokens.seal(PAGE), tokens.seal({ ...PAGE, generation: 4 })].map((token) =>
    Buffer.from(token, 'base64url'),
  );
  expect(one?.toString('hex')).not.toContain(PAGE.trackingId.slice(0, 8));
  const equal = [...(one ?? [])].filter((byte, at) => byte === other?.[at]);
  expect(equal.length).toBeLessThan(4);
});

test('under another key, a token is of another page', () => {
  const other = createPageTokens(tokenKeysFrom(randomBytes(32).toString('base64')));
  expect(other.open(tokens.seal(PAGE))).not.toEqual(PAGE);
});

test.each(['', 'short', `${'A'.repeat(23)}`, `${'A'.repeat(21)}=`, `${'A'.repeat(21)}/`, '691f0a3c5d2b4e6f8a9c0d1e'])(
  '%j is no token',
  (text) => {
    expect(tokens.open(text)).toBeNull();
  },
);

test('a token has one spelling: the bits beyond its 128 are zero', () => {
  const token = tokens.seal(PAGE);
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => token.slice(0, -1) + last)
    .filter((text) => text !== token && JSON.stringify(tokens.open(text)) === JSON.stringify(PAGE));
  expect(others).toEqual([]);
});

const OPERATORS_KEY = randomBytes(32).toString('base64');
const { seal: sealOpaque, open: openOpaque } = createOpaqueTokens(tokenKeysFrom(OPERATORS_KEY));
const CURSOR = { kind: 'cursor', accountId: 'a'.repeat(24) };

test.each([[[0n]], [[1n, -1n]], [[7n, 2n ** 63n - 1n, -(2n ** 63n)]]])('%p is sealed and opened again', (numbers) => {
  const token = sealOpaque(CURSOR, numbers);
  expect(openOpaque(CURSOR, token)).toEqual(numbers);
  expect(sealOpaque(CURSOR, numbers)).toBe(token);
  expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
});

test('tokens of neighbouring numbers have nothing in common, also across accounts', () => {
  const tokens = [
    ...Array.from({ length: 200 }, (_, n) => sealOpaque(CURSOR, [BigInt(n)])),
    ...Array.from({ length: 200 }, (_, n) => sealOpaque({ ...CURSOR, accountId: 'b'.repeat(24) }, [BigInt(n)])),
  ].map((token) => Buffer.from(token, 'base64url'));
  expect(new Set(tokens.map((bytes) => bytes.subarray(0, 6).toString('hex'))).size).toBe(400);
  expect(new Set(tokens.map((bytes) => bytes.subarray(-6).toString('hex'))).size).toBe(400);
});

test.each([
  ['another kind', () => openOpaque({ ...CURSOR, kind: 'delivery' }, sealOpaque(CURSOR, [5n]))],
  ['another account', () => openOpaque({ ...CURSOR, accountId: 'b'.repeat(24) }, sealOpaque(CURSOR, [5n]))],
  [
    'another key',
    () =>
      createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64'))).open(
        CURSOR,
        sealOpaque(CURSOR, [5n]),
      ),
  ],
  ['another form of the same bytes', () => openOpaque(CURSOR, `${sealOpaque(CURSOR, [5n])}=`)],
  ['a part', () => openOpaque(CURSOR, sealOpaque(CURSOR, [5n, 6n]).slice(0, -11))],
  ['nothing', () => openOpaque(CURSOR, '')],
  ['a number', () => openOpaque(CURSOR, '48210')],
])('%s is not opened', (_what, opened) => {
  expect(opened()).toBeNull();
});

test('a token in which any bit is changed is not opened', () => {
  const token = Buffer.from(sealOpaque(CURSOR, [1n, 2n, 3n]), 'base64url');
  for (let bit = 0; bit < token.length * 8; bit++) {
    const changed = Buffer.from(token);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(openOpaque(CURSOR, changed.toString('base64url'))).toBeNull();
  }
});
