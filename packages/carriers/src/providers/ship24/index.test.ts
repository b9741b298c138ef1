import { fixture, response, summary } from '../../testing/parsed.ts';
import { parseCallback, parseRegistered, verifyCallback } from './index.ts';

const BODY = fixture(import.meta.url, 'callback_two_events.json');
const NUMBER = '9400136208275019384616';

test('a callback has the webhook secret in a header', () => {
  const isSigned = (authorization?: string, settings: Record<string, string> = { webhookSecret: 'w-secret' }) =>
    verifyCallback({ headers: { authorization }, rawBody: BODY }, { salt: '', settings });
  expect(isSigned('Bearer w-secret')).toBe(true);
  for (const wrong of [undefined, '', 'w-secret', 'Bearer', 'Bearer other', 'bearer w-secret'])
    expect(isSigned(wrong)).toBe(false);
  expect(isSigned('Bearer ', { webhookSecret: '' })).toBe(false);
  expect(isSigned('Bearer undefined', {})).toBe(false);
});

test('the events of a number are one callback, and each has its own status', () => {
  const callbacks = parseCallback(BODY) ?? [];
  expect(callbacks).toMatchObject([{ number: NUMBER, carriers: ['usps'], watch: 'going_on' }]);
  expect(summary(callbacks[0]?.answer)).toEqual([
    ['2031-03-06T17:00:00Z', 'out_for_delivery', 'FENNBROOK, CA 94999'],
    ['2031-03-07T00:20:00Z', 'delivered', 'FENNBROOK, CA 94999'],
  ]);
});

test('a callback about something else has no news', () => {
  expect(parseCallback(fixture(import.meta.url, 'callback_proof.json'))).toEqual([]);
});

test.each(['', '[]', '{}', '{"trackings":{}}'])('%j is not a callback', (body) => {
  expect(parseCallback(body)).toBeNull();
});

describe('a tracker', () => {
  const made = { data: { tracker: { trackerId: 't1', trackingNumber: NUMBER } } };
  const error = (code: string) => ({ errors: [{ code, message: 'because' }], data: null });

  test('that is new or already exists is subscribed to', () => {
    expect(parseRegistered(response(made, 201))).toEqual({ kind: 'subscribed', remoteId: 't1' });
    expect(parseRegistered(response(made, 200))).toEqual({ kind: 'already', remoteId: 't1' });
    expect(parseRegistered(response(error('tracker_conflict'), 409))).toEqual({ kind: 'already' });
  });

  test.each(['validation_error', 'shipping_date_outdated'])('is never made: %s', (code) => {
    expect(parseRegistered(response(error(code), 400))).toMatchObject({ kind: 'refused' });
  });

  test.each([
    ['quota_limit_reached', 402, 'quota'],
    ['no_active_subscription', 422, 'auth'],
    ['request_conflict', 409, 'temporary'],
    ['processing_error', 400, 'temporary'],
  ])('cannot be made now: %s', (code, status, failure) => {
    expect(parseRegistered(response(error(code), status))).toMatchObject({ kind: 'failed', failure });
  });

  test.each([
    [401, 'auth'],
    [429, 'rate_limited'],
    [503, 'transient'],
  ])('cannot be made now: HTTP %i', (status, failure) => {
    expect(parseRegistered(response('', status))).toMatchObject({ kind: 'failed', failure });
  });
});
