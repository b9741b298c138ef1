import { createHmac } from 'node:crypto';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { parseCallback, parseRegistered, verifyCallback } from './index.ts';

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

test('a callback has the whole history, as a query answers it', () => {
  const [callback] = parseCallback(BODY) ?? [];
  expect(callback).toMatchObject({ number: '9434917204856391027415', carriers: ['usps'], watch: 'going_on' });
  expect(summary(callback?.answer)).toEqual(JSON.parse(fixture(import.meta.url, 'expected.json'))['callback.json']);
});

test('a callback of an inactive tracking ends the watch', () => {
  const { msg, ...rest } = JSON.parse(BODY);
  const body = JSON.stringify({ ...rest, msg: { ...msg, active: false } });
  expect(parseCallback(body)).toMatchObject([{ watch: 'ended', reason: expect.any(String) }]);
});

test('other events have no news, and anything else is not a callback', () => {
  expect(parseCallback('{"event":"edd_revise","msg":{}}')).toEqual([]);
  for (const body of ['', '[]', '{}']) expect(parseCallback(body)).toBeNull();
});

describe('a registration', () => {
  const error = (code: number) => response({ meta: { code, message: 'because' }, data: {} }, 400);

  test('is kept with its id, and no failure if there was one before', () => {
    const made = { meta: { code: 201 }, data: { id: 'q1', tracking_number: 'A12345' } };
    expect(parseRegistered(response(made, 201))).toEqual({ kind: 'subscribed', remoteId: 'q1' });
    const older = { meta: { code: 201 }, data: { tracking: { id: 'q2' } } };
    expect(parseRegistered(response(older, 201))).toEqual({ kind: 'subscribed', remoteId: 'q2' });
    expect(parseRegistered(error(4003))).toEqual({ kind: 'already' });
    const before = { meta: { code: 4003 }, data: { id: 'q3', tracking_number: 'A12345' } };
    expect(parseRegistered(response(before, 400))).toEqual({ kind: 'already', remoteId: 'q3' });
  });

  test.each([4005, 4008, 4010, 4011, 4012, 4017])('is never accepted: %i', (code) => {
    expect(parseRegistered(error(code))).toMatchObject({ kind: 'refused' });
  });

  test.each([
    [401, 'auth'],
    [429, 'rate_limited'],
    [500, 'transient'],
  ])('fails for now: HTTP %i', (status, failure) => {
    expect(parseRegistered(response('', status))).toMatchObject({ kind: 'failed', failure });
  });
});
