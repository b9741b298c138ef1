import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSecretCipher } from './keyring.ts';

const KEY = randomBytes(32).toString('base64');
const { encrypt, decrypt } = createSecretCipher(KEY);
const bytesOf = (encrypted: string) => Buffer.from(encrypted.split('.')[1] ?? '', 'base64url');
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

test('an encrypted secret can be decrypted', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (secret) => decrypt(encrypt(secret)) === secret));
});

test('the encrypted form does not reveal its content, and differs every time', () => {
  const encrypted = [encrypt(SECRET), encrypt(SECRET)];
  expect(encrypted[0]).toMatch(/^v1\.[A-Za-z0-9_-]+\.[0-9a-f]{8}$/);
  expect(encrypted[0]).not.toBe(encrypted[1]);
  expect(bytesOf(encrypted[0] ?? '').toString('latin1')).not.toContain('whsec');
});

test('another key does not decrypt it', () => {
  const other = createSecretCipher(randomBytes(32).toString('base64'));
  expect(() => other.decrypt(encrypt(SECRET))).toThrow();
});

test('an encrypted secret with any bit changed is refused', () => {
  const bytes = bytesOf(encrypt(SECRET));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      expect(() => decrypt(`v1.${changed.toString('base64url')}`)).toThrow();
    }),
  );
});

test('an encrypted secret cut short anywhere is refused', () => {
  for (const secret of ['', SECRET]) {
    const bytes = bytesOf(encrypt(secret));
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => decrypt(`v1.${bytes.subarray(0, length).toString('base64url')}`)).toThrow();
  }
});

test.each(['', 'v1', 'v1.', SECRET, 'v2.AAAA'])('%j is not an encrypted secret', (text) => {
  expect(() => decrypt(text)).toThrow('The stored secret has an unknown format.');
});
