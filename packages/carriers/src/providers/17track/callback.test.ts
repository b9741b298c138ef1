import { createHash } from 'node:crypto';
import { fixture } from '../../testing/parsed.ts';
import { verifyCallback } from './callback.ts';

const BODY = fixture(import.meta.url, 'callback_updated.json');
const KEYS = { salt: '', settings: { key: 'k-secret' } };
const signOf = (body: string, key = 'k-secret') => createHash('sha256').update(`${body}/${key}`).digest('hex');
const isSigned = (sign: string | undefined, keys = KEYS, rawBody = BODY) =>
  verifyCallback({ headers: { sign }, rawBody }, keys);

test('a callback is signed with the key, over exactly the received body', () => {
  expect(isSigned(signOf(BODY))).toBe(true);
  expect(isSigned(signOf(BODY).toUpperCase())).toBe(true);
  expect(isSigned('')).toBe(false);
  expect(isSigned(undefined)).toBe(false);
  expect(isSigned(signOf(BODY, 'other'))).toBe(false);
  expect(isSigned(signOf(BODY), KEYS, `${BODY} `)).toBe(false);
});
