import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { digestOf, jtExpress, parseCallback, verifyCallback } from './index.ts';
import { meaningOf, outcomeOf, parseTrace } from './parse.ts';

testFixtures(import.meta.url, jtExpress.parse, 'jtexpress-my');

const ask = (body: unknown, status = 200) =>
  parseTrace(response(body, status), { number: 'A1', carrier: 'jtexpress-my' });
const traced = (detail: object) => ({ code: '1', msg: 'success', data: [{ billCode: 'A1', details: [detail] }] });

// biome-ignore format: one code per line is readable as a table
test.each([
  ['10', 'in_transit'], ['94', 'out_for_delivery'], ['100', 'delivered'], ['110', 'exception'], ['172', 'exception'],
  ['173', 'returned'], ['301', 'exception'], ['402', 'in_transit'], ['700', 'available_for_pickup'],
  ['702', 'delivered'], ['703', 'exception'], ['999', undefined],
])('the scan %s is %s', (code, status) => {
  expect(meaningOf(code)?.status).toBe(status);
});

test.each([
  ['110', 'Recipient refused to accept the parcel', { status: 'exception', course: 'refused' }],
  ['110', 'Something unheard of', { status: 'exception' }],
  ['999', 'Parcel has been delivered', { status: 'delivered' }],
  ['999', 'Parcel arrived at the hub', { status: 'in_transit' }],
])('%s with "%s" is %j', (scanTypeCode, desc, expected) => {
  expect(ask(traced({ scanTypeCode, desc, scanTime: '2031-03-11 14:00:45' }))).toMatchObject({ scans: [expected] });
});

test.each([
  ['GMT+08:00', '2031-03-11T06:00:45Z', 'carrier'],
  ['GMT+07:00', '2031-03-11T07:00:45Z', 'carrier'],
  ['', '2031-03-11T06:00:45Z', 'default'],
])('a scan in the zone "%s" is at %s', (timeZone, time, zoneSource) => {
  expect(ask(traced({ scanTime: '2031-03-11 14:00:45', timeZone }))).toMatchObject({ scans: [{ time, zoneSource }] });
});

test.each([
  ['999001030', '数据未找到', 'not_found'],
  ['145003100', '运单号非法', 'invalid_number'],
  ['145003010', 'API account does not exist', 'auth'],
  ['145003030', 'headers signature verification failed', 'auth'],
  ['999001010', 'password is required', 'auth'],
  ['0', 'requests are too frequent', 'rate_limited'],
  ['0', 'fail', 'temporary'],
  ['', '', 'unreadable'],
])('the error %s "%s" is %s', (code, message, outcome) => {
  expect(outcomeOf(code, message)).toBe(outcome);
});

test.each([
  [200, { code: '1', data: [] }, { kind: 'not_found' }],
  [401, {}, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [502, '<html>', { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});

describe('a callback', () => {
  const details = [{ scanTypeCode: '100', desc: 'Delivered', scanTime: '2031-03-11 14:00:45', timeZone: 'GMT+08:00' }];
  const parcel = { billCode: '630002864903', txlogisticId: 'A-1', details };
  const sent = (content: unknown) => new URLSearchParams({ bizContent: JSON.stringify(content) }).toString();
  const keys = { salt: '', settings: { privateKey: 'secret' } };

  test('is verified by its digest, of the content as it was sent', () => {
    const digest = digestOf(JSON.stringify(parcel), 'secret');
    expect(verifyCallback({ headers: { digest }, rawBody: sent(parcel) }, keys)).toBe(true);
    expect(verifyCallback({ headers: { digest }, rawBody: sent({ ...parcel, billCode: 'X' }) }, keys)).toBe(false);
    expect(verifyCallback({ headers: {}, rawBody: sent(parcel) }, keys)).toBe(false);
    expect(verifyCallback({ headers: { digest }, rawBody: sent(parcel) }, { salt: '', settings: {} })).toBe(false);
  });

  test('the digest is that of the documentation: base64 of the MD5', () => {
    expect(digestOf('{"a":1}', 'key')).toBe(Buffer.from('86bb27e1faa1b7aa1c1c340901efb2ab', 'hex').toString('base64'));
  });

  test.each([[parcel], [[parcel]]])('has the new scans of a parcel, alone or in a list', (content) => {
    expect(parseCallback(sent(content))).toMatchObject([
      {
        number: '630002864903',
        carriers: ['jtexpress-my'],
        watch: 'going_on',
        answer: { kind: 'found', scans: [{ status: 'delivered', time: '2031-03-11T06:00:45Z' }] },
      },
    ]);
  });

  test.each(['', 'bizContent=', 'bizContent=%5B%5D', 'bizContent=x'])('%j is unreadable', (rawBody) => {
    expect(parseCallback(rawBody)).toBeNull();
  });
});
