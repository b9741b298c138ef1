import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSecretBox } from './secret-cipher.ts';

const KEY = randomBytes(32).toString('base64');
const { seal, open } = createSecretBox(KEY);
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

test('what was sealed is opened again', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (secret) => open(seal(secret)) === secret));
});

test('a box does not show what is in it, and is another one every time', () => {
  const boxes = [seal(SECRET), seal(SECRET)];
  expect(boxes[0]).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(boxes[0]).not.toBe(boxes[1]);
  expect(Buffer.from(boxes[0]?.slice(3) ?? '', 'base64url').toString('latin1')).not.toContain('whsec');
});

test('another key does not open it', () => {
  const other = createSecretBox(randomBytes(32).toString('base64'));
  expect(() => other.open(seal(SECRET))).toThrow();
});

test('a box with any bit changed is refused', () => {
  const bytes = Buffer.from(seal(SECRET).slice(3), 'base64url');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      expect(() => open(`v1.${changed.toString('base64url')}`)).toThrow();
    }),
  );
});

test('a box cut short anywhere is refused', () => {
  for (const secret of ['', SECRET]) {
    const bytes = Buffer.from(seal(secret).slice(3), 'base64url');
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => open(`v1.${bytes.subarray(0, length).toString('base64url')}`)).toThrow();
  }
});

test.each(['', 'v1', 'v1.', SECRET, 'v2.AAAA'])('%j is no box', (text) => {
  expect(() => open(text)).toThrow('The stored secret has an unknown format.');
});
