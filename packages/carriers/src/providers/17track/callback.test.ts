import { createHash } from 'node:crypto';
import { fixture, summary } from '../../testing/parsed.ts';
import { parseCallback, verifyCallback } from './callback.ts';

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
