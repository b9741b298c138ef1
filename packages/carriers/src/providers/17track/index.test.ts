import { createHash } from 'node:crypto';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { parseCallback, parseRegistered, verifyCallback } from './index.ts';

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

test('without a key, every callback is forged', () => {
  expect(verifyCallback({ headers: { sign: signOf(BODY, '') }, rawBody: BODY }, { salt: '', settings: {} })).toBe(
    false,
  );
  expect(isSigned(signOf(BODY, 'undefined'), { salt: '', settings: { key: '' } })).toBe(false);
});

test('a callback has the whole history, as a query answers it', () => {
  const [callback] = parseCallback(BODY) ?? [];
  expect(callback).toMatchObject({ number: 'RC518203648CN', carriers: ['china-post'], watch: 'going_on' });
  expect(summary(callback?.answer)).toEqual(
    JSON.parse(fixture(import.meta.url, 'expected.json'))['callback_updated.json'],
  );
});

test('a callback that tracking has stopped ends the watch and says nothing about the parcel', () => {
  expect(parseCallback(fixture(import.meta.url, 'callback_stopped.json'))).toMatchObject([
    { number: 'RC518203648CN', answer: { kind: 'not_found' }, watch: 'ended', reason: expect.any(String) },
  ]);
});

test('for a carrier that is not ours, the number decides', () => {
  const body = JSON.stringify({ ...JSON.parse(BODY), data: { ...JSON.parse(BODY).data, carrier: 999_999 } });
  expect(parseCallback(body)).toMatchObject([{ carriers: [] }]);
});

test.each(['', '[]', '{}', '{"event":"TRACKING_UPDATED","data":{}}'])('%j is not a callback', (body) => {
  expect(parseCallback(body)).toBeNull();
});

const ASKED = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
const [A, B] = ['A12345', 'B12345'];
const parse = (accepted: object[], rejected: object[]) =>
  parseRegistered(response({ code: 0, data: { accepted, rejected } }), ASKED);
const refused = (code: number) => parse([{ number: A }], [{ number: B, error: { code, message: 'because' } }])[1];

test('a registered number is subscribed to, regardless of the others', () => {
  expect(parse([{ number: A, carrier: 21051, origin: 2 }], [])).toMatchObject([
    { kind: 'subscribed' },
    { kind: 'failed', failure: 'unreadable' },
  ]);
});

test('a number that is registered already is not a failure', () => {
  expect(refused(-18019901)).toEqual({ kind: 'already' });
});

test.each([-18019903, -18019910, -18010012, -18010020])('%i: the number is never accepted', (code) => {
  expect(refused(code)).toMatchObject({ kind: 'refused', message: expect.stringContaining('because') });
});

test.each([
  [-18019907, 'quota'],
  [-18019908, 'quota'],
  [-18010002, 'auth'],
  [-18010003, 'transient'],
])('%i is trouble of the account or of 17TRACK: %s', (code, failure) => {
  expect(refused(code)).toMatchObject({ kind: 'failed', failure });
});

test('a refused call fails every number', () => {
  const body = { code: -18010002, data: { errors: [{ code: -18010002, message: 'wrong' }] } };
  const auth = { kind: 'failed', failure: 'auth' };
  expect(parseRegistered(response(body), ASKED)).toMatchObject([auth, auth]);
  expect(parseRegistered(response('', 429), ASKED)).toMatchObject([{ failure: 'rate_limited' }, {}]);
});
