import { fixture, response } from '../../testing/parsed.ts';
import { verifyCallback } from './callback.ts';
import { parseRegistered } from './register.ts';

const BODY = fixture(import.meta.url, 'callback_two_events.json');

test('a callback has the webhook secret in a header', () => {
  const isSigned = (authorization?: string, settings: Record<string, string> = { webhookSecret: 'w-secret' }) =>
    verifyCallback({ headers: { authorization }, rawBody: BODY }, { salt: '', settings });
  expect(isSigned('Bearer w-secret')).toBe(true);
  for (const wrong of [undefined, '', 'w-secret', 'Bearer', 'Bearer other', 'bearer w-secret'])
    expect(isSigned(wrong)).toBe(false);
  expect(isSigned('Bearer ', { webhookSecret: '' })).toBe(false);
  expect(isSigned('Bearer undefined', {})).toBe(false);
});

describe('a tracker', () => {
  const error = (code: string) => ({ errors: [{ code, message: 'because' }], data: null });

  test.each(['validation_error', 'shipping_date_outdated'])('is never made: %s', (code) => {
    expect(parseRegistered(response(error(code), 400))).toMatchObject({ kind: 'refused' });
  });
});
