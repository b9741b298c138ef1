import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createPageTokens, tokenKeysFrom } from './tokens.ts';

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
