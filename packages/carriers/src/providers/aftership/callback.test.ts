import { createHmac } from 'node:crypto';
import { fixture, response } from '../../testing/parsed.ts';
import { verifyCallback } from './callback.ts';
import { parseRegistered } from './register.ts';

const BODY = fixture(import.meta.url, 'callback.json');
const signOf = (body: string, secret = 'w-secret') => createHmac('sha256', secret).update(body).digest('base64');
const isSigned = (sign: string | undefined, rawBody = BODY, webhookSecret = 'w-secret') =>
  verifyCallback({ headers: { 'aftership-hmac-sha256': sign }, rawBody }, { salt: '', settings: { webhookSecret } });

test('a callback is signed with the webhook secret, over exactly the body that came', () => {
  expect(isSigned(signOf(BODY))).toBe(true);
  expect(isSigned(undefined)).toBe(false);
  expect(isSigned(signOf(BODY, 'other'))).toBe(false);
  expect(isSigned(signOf(BODY), `${BODY} `)).toBe(false);
  expect(isSigned(signOf(BODY, ''), BODY, '')).toBe(false);
});

describe('a registration', () => {
  const error = (code: number) => response({ meta: { code, message: 'because' }, data: {} }, 400);

  test.each([4005, 4008, 4010, 4011, 4012, 4017])('is never accepted: %i', (code) => {
    expect(parseRegistered(error(code))).toMatchObject({ kind: 'refused' });
  });
});
