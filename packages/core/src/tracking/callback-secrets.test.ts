import { pushSalt, pushToken } from './callback-secrets.ts';

const SECRET = 'a secret of the installation, 32+ characters';

test('the token and the salt are derived, and differ by provider and by secret', () => {
  expect(pushToken(SECRET, 'acme')).toMatch(/^[\w-]{43}$/);
  expect(pushSalt(SECRET, 'acme')).toMatch(/^[0-9a-f]{32}$/);
  const all = [SECRET, `${SECRET}!`].flatMap((secret) =>
    ['acme', 'other'].flatMap((provider) => [pushToken(secret, provider), pushSalt(secret, provider)]),
  );
  expect(new Set(all).size).toBe(all.length);
  expect(pushToken(SECRET, 'acme')).toBe(pushToken(SECRET, 'acme'));
});
