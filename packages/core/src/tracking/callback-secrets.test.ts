import { callbackSalt, callbackToken } from './callback-secrets.ts';

const SECRET = 'a secret of the installation, 32+ characters';

test('the token and the salt are derived, and differ by provider and by secret', () => {
  expect(callbackToken(SECRET, 'acme')).toMatch(/^[\w-]{43}$/);
  expect(callbackSalt(SECRET, 'acme')).toMatch(/^[0-9a-f]{32}$/);
  const all = [SECRET, `${SECRET}!`].flatMap((secret) =>
    ['acme', 'other'].flatMap((provider) => [callbackToken(secret, provider), callbackSalt(secret, provider)]),
  );
  expect(new Set(all).size).toBe(all.length);
  expect(callbackToken(SECRET, 'acme')).toBe(callbackToken(SECRET, 'acme'));
});
