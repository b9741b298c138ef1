import { createHmac } from 'node:crypto';
import { fixture } from '../../testing/parsed.ts';
import { verifyCallback } from './callback.ts';

const BODY = fixture(import.meta.url, 'callback_v4.json');
const SECRET = 'w-secret';
const KEYS = { salt: '', settings: { webhookSecret: SECRET } };
const signOf = (body: string, secret = SECRET) => createHmac('sha256', secret).update(body).digest('base64');

test('a callback is signed in a header, with the webhook secret, over exactly the body that came', () => {
  const isSigned = (headers: Record<string, string>, rawBody = BODY) => verifyCallback({ headers, rawBody }, KEYS);
  expect(isSigned({ signature: signOf(BODY) })).toBe(true);
  expect(isSigned({ signature: Buffer.from(signOf(BODY), 'base64').toString('hex') })).toBe(true);
  expect(isSigned({})).toBe(false);
  expect(isSigned({ signature: signOf(BODY, 'other') })).toBe(false);
  expect(isSigned({ signature: signOf(BODY) }, `${BODY} `)).toBe(false);
  expect(verifyCallback({ headers: { signature: signOf(BODY) }, rawBody: BODY }, { salt: '', settings: {} })).toBe(
    false,
  );
});
