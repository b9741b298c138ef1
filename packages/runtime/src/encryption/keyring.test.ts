import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createKeyring, createSecretCipher } from './keyring.ts';
import { createOpaqueTokens, createPageTokens, installationTokenKeys, packTokenKeys, tokenKeysFrom } from './tokens.ts';

const newKey = () => randomBytes(32).toString('base64');
const [NEW, OLD] = [newKey(), newKey()];
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

test('the first key encrypts, and every key decrypts', () => {
  const [older, both] = [createKeyring([OLD]), createKeyring([NEW, OLD])];
  const encrypted = older.encrypt(SECRET);
  expect([both.decrypt(encrypted), both.idOf(encrypted)]).toEqual([SECRET, both.ids[1]]);
  expect(createSecretCipher(NEW).decrypt(both.encrypt(SECRET))).toBe(SECRET);
  expect(both.idOf(both.encrypt(SECRET))).toBe(both.ids[0]);
});

test('a secret of a key that is not in the list is refused with the name of the setting and the id of the key', () => {
  const strange = createKeyring([newKey()]);
  const encrypted = strange.encrypt(SECRET);
  const both = createKeyring([NEW, OLD]);
  expect(both.idOf(encrypted)).toBeNull();
  expect(() => both.decrypt(encrypted)).toThrow(
    `No key in ENCRYPTION_KEY decrypts a stored secret, which was encrypted with the key ${strange.ids[0]}.`,
  );
});

test('an id has eight digits, is the same for ever, and is no part of its key', () => {
  expect(createKeyring([NEW]).ids).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
  expect(createKeyring([OLD, NEW]).ids[1]).toBe(createKeyring([NEW]).ids[0]);
  expect(Buffer.from(NEW, 'base64').toString('hex')).not.toContain(createKeyring([NEW]).ids[0]);
});

describe('the keys of tokens', () => {
  const page = { trackingId: '691f0a3c5d2b4e6f8a9c0d1e', generation: 3 };
  const of = { kind: 'cursor', accountId: 'a'.repeat(24) };

  function tokensOf(keys: readonly string[], stored: { keyCheck: string; tokenKeys: string | null }) {
    const tokenKeys = installationTokenKeys(createKeyring(keys));
    tokenKeys.learn(stored);
    return [createPageTokens(tokenKeys).seal(page), createOpaqueTokens(tokenKeys).seal(of, [7n])];
  }

  test('derive from the key of the check value, and are as stored once they are: a rotation changes no link', () => {
    const before = { keyCheck: createKeyring([OLD]).encrypt('check'), tokenKeys: null };
    const tokens = tokensOf([OLD], before);
    expect(tokensOf([NEW, OLD], before)).toEqual(tokens);
    const { encrypt } = createKeyring([NEW]);
    const after = { keyCheck: encrypt('check'), tokenKeys: encrypt(packTokenKeys(tokenKeysFrom(OLD))) };
    expect(tokensOf([NEW], after)).toEqual(tokens);
    expect(tokensOf([NEW], { ...after, tokenKeys: null })).not.toEqual(tokens);
  });

  test('cannot be used before the installation is known', () => {
    const tokens = createPageTokens(installationTokenKeys(createKeyring([NEW])));
    expect(() => tokens.seal(page)).toThrow('read from the database');
  });
});

const KEY = randomBytes(32).toString('base64');
const { encrypt, decrypt } = createSecretCipher(KEY);
const bytesOf = (encrypted: string) => Buffer.from(encrypted.split('.')[1] ?? '', 'base64url');

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
