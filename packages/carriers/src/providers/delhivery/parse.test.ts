import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseCallback, verifyCallback } from './index.ts';
import { meaningOf, parsePackages } from './parse.ts';

testFixtures(import.meta.url, parsePackages, 'delhivery');

const ask = (body: unknown, status: number, ...numbers: string[]) =>
  parsePackages(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'delhivery' })),
  );

// biome-ignore format: one status per line is readable as a table
test.each([
  ['UD', 'Manifested', 'info_received'],
  ['UD', 'Not Picked', 'info_received'],
  ['UD', 'In Transit', 'in_transit'],
  ['UD', 'Pending', 'in_transit'],
  ['UD', 'Dispatched', 'out_for_delivery'],
  ['DL', 'Delivered', 'delivered'],
  ['DL', 'RTO', 'returned'],
  ['DL', 'DTO', 'delivered'],
  ['RT', 'In Transit', 'exception'],
  ['RT', 'Dispatched', 'exception'],
  ['PP', 'Scheduled', 'info_received'],
  ['PU', 'In Transit', 'in_transit'],
  ['CN', 'Canceled', 'exception'],
  ['ZZ', 'New', undefined],
])('%s %s is %s', (type, status, expected) => {
  expect(meaningOf(type, status)?.status).toBe(expected);
});

test.each([
  ['Consignee refused to accept the shipment', { status: 'exception', course: 'refused' }],
  ['Consignee unavailable', { status: 'exception' }],
  ['Shipment received at facility', { status: 'in_transit' }],
])('a pending parcel with "%s" is what the text says', (Instructions, expected) => {
  const ScanDetail = { ScanType: 'UD', Scan: 'Pending', ScanDateTime: '2031-05-02T10:00:00', Instructions };
  const body = { ShipmentData: [{ Shipment: { AWB: 'A1', Scans: [{ ScanDetail }] } }] };
  expect(ask(body, 200, 'A1')).toMatchObject([{ scans: [{ ...expected, time: '2031-05-02T04:30:00Z' }] }]);
});

test('the expected delivery is a day', () => {
  const [answer] = ask(readFixture(import.meta.url, 'batch.json'), 200, '26805710004104');
  expect(answer).toMatchObject({
    estimatedDelivery: { from: '2031-09-24', to: '2031-09-24' },
    destination: 'Nakodar, Punjab, IN',
  });
});

test('an unknown number among several is found by dividing the call', () => {
  const body = { Success: false, Error: 'No such waybill or Order Id found' };
  expect(ask(body, 200, 'A1', 'B2')).toMatchObject([
    { failure: 'temporary', isOfOne: true },
    { failure: 'temporary', isOfOne: true },
  ]);
});

test.each([
  [401, {}, 'auth'],
  [200, { detail: 'Invalid token.' }, 'auth'],
  [403, '<html></html>', 'rate_limited'],
  [403, { message: 'Forbidden' }, 'rate_limited'],
  [429, {}, 'rate_limited'],
  [200, {}, 'unreadable'],
  [503, {}, 'transient'],
])('HTTP %i %j is %s', (status, body, failure) => {
  expect(ask(body, status, 'A1')).toMatchObject([{ failure }]);
});

describe('a callback', () => {
  const pushed = (more: object = {}) => {
    const Status = {
      Status: 'Manifested',
      StatusDateTime: '2031-01-10T13:00:15.5',
      StatusType: 'UD',
      StatusLocation: 'Chandigarh_Fennway_C (Chandigarh)',
      Instructions: 'Manifest uploaded',
    };
    const Shipment = { Status, PickUpDate: '2031-01-10T13:00:15.5', NSLCode: 'X-UCI', AWB: '14900000000001', ...more };
    return JSON.stringify({ Shipment });
  };
  const keys = { salt: '', settings: { webhookSecret: 'secret' } };

  test('has the secret that Delhivery was given', () => {
    const verify = (headers: Record<string, string>, to = keys) => verifyCallback({ headers, rawBody: pushed() }, to);
    expect(verify({ authorization: 'Bearer secret' })).toBe(true);
    expect(verify({ authorization: 'Bearer another' })).toBe(false);
    expect(verify({})).toBe(false);
    expect(verify({ authorization: 'Bearer ' }, { salt: '', settings: { webhookSecret: '' } })).toBe(false);
  });

  test('has one scan', () => {
    const scan = {
      time: '2031-01-10T07:30:15Z',
      status: 'info_received',
      location: 'Chandigarh_Fennway_C (Chandigarh)',
      description: 'Manifest uploaded',
    };
    expect(parseCallback(pushed())).toMatchObject([
      {
        number: '14900000000001',
        carriers: ['delhivery'],
        watch: 'going_on',
        answer: { kind: 'found', scans: [scan] },
      },
    ]);
  });

  test.each([
    '',
    '[]',
    '{}',
    '{"Shipment":{}}',
    '{"Shipment":{"AWB":"A1"}}',
    pushed({ AWB: '' }),
    pushed({ Status: {} }),
  ])('%j is unreadable', (rawBody) => {
    expect(parseCallback(rawBody)).toBeNull();
  });
});
