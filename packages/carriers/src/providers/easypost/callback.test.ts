import { createHmac } from 'node:crypto';
import { fixture } from '../../testing/parsed.ts';
import { verifyCallback } from './callback.ts';

const BODY = fixture(import.meta.url, 'callback.json');
const signOf = (body: string, secret = 'w-secret') =>
  `hmac-sha256-hex=${createHmac('sha256', secret).update(body).digest('hex')}`;
const isSigned = (sign: string | undefined, webhookSecret = 'w-secret', rawBody = BODY) =>
  verifyCallback({ headers: { 'x-hmac-signature': sign }, rawBody }, { salt: '', settings: { webhookSecret } });

test('a callback is signed with the webhook secret, over exactly the body that came', () => {
  expect(isSigned(signOf(BODY))).toBe(true);
  expect(isSigned(undefined)).toBe(false);
  expect(isSigned(signOf(BODY).replace('hmac-sha256-hex=', ''))).toBe(false);
  expect(isSigned(signOf(BODY, 'other'))).toBe(false);
  expect(isSigned(signOf(BODY), 'w-secret', `${BODY} `)).toBe(false);
  expect(isSigned(signOf(BODY, ''), '')).toBe(false);
});

test('a secret with composed letters is decomposed first', () => {
  expect(isSigned(signOf(BODY, 'gehe\u0069m\u0065\u0301'), 'geheim\u00e9')).toBe(true);
  expect(isSigned(signOf(BODY, 'geheim\u00e9'), 'geheim\u00e9')).toBe(false);
});
