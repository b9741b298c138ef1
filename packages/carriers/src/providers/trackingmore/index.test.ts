import { createHmac } from 'node:crypto';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { parseCallback, parseRegistered, verifyCallback } from './index.ts';

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

test('the signature inside the body, of an older version, proves nothing', () => {
  const body = JSON.stringify({ ...JSON.parse(BODY), verifyInfo: { timeStr: 1, signature: signOf('1') } });
  expect(verifyCallback({ headers: {}, rawBody: body }, KEYS)).toBe(false);
});

test('a callback has the whole history, as a query answers it', () => {
  const [callback] = parseCallback(BODY) ?? [];
  expect(callback).toMatchObject({ number: 'RR419753207NO', carriers: ['posten-norge'], watch: 'going_on' });
  expect(summary(callback?.answer)).toEqual(JSON.parse(fixture(import.meta.url, 'expected.json'))['callback_v4.json']);
});

test.each(['', '[]', '{}', '{"data":{}}', '{"data":[]}'])('%j is not a callback', (body) => {
  expect(parseCallback(body)).toBeNull();
});

describe('a registration', () => {
  const ASKED = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
  const parse = (data: object) => parseRegistered(response({ meta: { code: 200 }, data }), ASKED);
  const refused = (errorCode: number) =>
    parse({ success: [{ tracking_number: 'A12345', id: 'r1' }], error: [{ tracking_number: 'B12345', errorCode }] });

  test('is kept with its id, and no failure if there was one before', () => {
    expect(refused(4101)).toEqual([{ kind: 'subscribed', remoteId: 'r1' }, { kind: 'already' }]);
  });

  test.each([4110, 4120, 4121, 4122, 4130])('is never accepted: %i', (code) => {
    expect(refused(code)[1]).toMatchObject({ kind: 'refused' });
  });

  test.each([
    [4190, 'quota'],
    [401, 'auth'],
    [511, 'transient'],
  ])('fails for now: %i', (code, failure) => {
    expect(refused(code)[1]).toMatchObject({ kind: 'failed', failure });
  });

  test('that the call does not mention is unreadable', () => {
    expect(parse({ success: [], error: [] })).toMatchObject([{ failure: 'unreadable' }, { failure: 'unreadable' }]);
  });

  test('fails with its call', () => {
    const body = { meta: { code: 4190, message: 'over' }, data: [] };
    expect(parseRegistered(response(body, 400), ASKED)).toMatchObject([{ failure: 'quota' }, { failure: 'quota' }]);
  });
});
