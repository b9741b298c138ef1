import { createHmac } from 'node:crypto';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { parseCallback, parseRegistered, verifyCallback } from './index.ts';

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

test('a callback has the whole history, as a query answers it', () => {
  const [callback] = parseCallback(BODY) ?? [];
  expect(callback).toMatchObject({ number: '9400136208275019384616', carriers: ['usps'], watch: 'going_on' });
  expect(summary(callback?.answer)).toEqual(JSON.parse(fixture(import.meta.url, 'expected.json'))['callback.json']);
});

test('other events have no news, and anything else is not a callback', () => {
  expect(parseCallback('{"object":"Event","description":"batch.created","result":{}}')).toEqual([]);
  for (const body of ['', '[]', '{}', '{"object":"Tracker"}']) expect(parseCallback(body)).toBeNull();
});

describe('a tracker', () => {
  test('is kept with its id', () => {
    const made = { id: 'trk_1', object: 'Tracker', tracking_code: 'A12345', status: 'unknown' };
    expect(parseRegistered(response(made, 201))).toEqual({ kind: 'subscribed', remoteId: 'trk_1' });
  });

  test('that EasyPost cannot make is refused', () => {
    const error = { error: { code: 'TRACKER.CREATE.ERROR', message: 'because' } };
    expect(parseRegistered(response(error, 422))).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/because/),
    });
  });

  test.each([
    [401, 'auth'],
    [429, 'rate_limited'],
    [503, 'transient'],
  ])('cannot be made now: HTTP %i', (status, failure) => {
    expect(parseRegistered(response('', status))).toMatchObject({ kind: 'failed', failure });
  });
});
