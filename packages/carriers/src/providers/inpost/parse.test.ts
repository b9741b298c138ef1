import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { inpost } from './index.ts';
import { meaningOf, parseTracking } from './parse.ts';

testFixtures(import.meta.url, inpost.parse, 'inpost');

const ask = (body: unknown, status = 200) => parseTracking(response(body, status), { number: 'A1', carrier: 'inpost' });
const parcel = (status: string, ...details: [status: string, datetime: string][]) => ({
  tracking_number: 'A1',
  status,
  tracking_details: details.map(([status, datetime]) => ({ status, datetime })),
});

// biome-ignore format: one status per line is readable as a table
test.each([
  ['confirmed', 'info_received'],
  ['taken_by_courier', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['ready_to_pickup', 'available_for_pickup'],
  ['stack_in_box_machine', 'available_for_pickup'],
  ['unstack_from_box_machine', 'in_transit'],
  ['pickup_time_expired', 'undeliverable'],
  ['avizo', 'exception'],
  ['rejected_by_receiver', 'exception'],
  ['returned_to_sender', 'returned'],
  ['delivered', 'delivered'],
  ['other', undefined],
])('%s is %s, also after its words are read', (code, status) => {
  expect(meaningOf(code)?.status).toBe(status);
  expect(ask(parcel('', [code, '2031-05-02T10:00:00.000+02:00']))).toMatchObject({
    scans: [{ status: status ?? 'in_transit', time: '2031-05-02T08:00:00Z', zoneSource: 'carrier' }],
  });
});

test('a change of the address changes no status', () => {
  const details = parcel(
    'readdressed',
    ['readdressed', '2031-05-03T10:00:00+02:00'],
    ['ready_to_pickup', '2031-05-02T10:00:00+02:00'],
  );
  expect(ask(details)).toMatchObject({
    scans: [{ status: 'available_for_pickup', description: 'Readdressed' }, { status: 'available_for_pickup' }],
  });
});

test('a parcel without scans has its status', () => {
  expect(ask(parcel('confirmed'))).toMatchObject({ scans: [], parcelStatus: 'info_received' });
});

test('a time without an offset is that of Poland', () => {
  expect(ask(parcel('', ['delivered', '2031-01-02T10:00:00']))).toMatchObject({
    scans: [{ time: '2031-01-02T09:00:00Z' }],
  });
});

test.each([
  [404, { status: 404, error: 'resource_not_found', message: 'Not found' }, { kind: 'not_found' }],
  [400, { status: 400, error: 'validation_failed', message: '' }, { failure: 'invalid_number' }],
  [404, {}, { failure: 'transient' }],
  [200, {}, { failure: 'unreadable' }],
  [200, { status: 401, error: 'unauthorized' }, { failure: 'auth' }],
  [401, {}, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [502, '<html>', { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});

test('the locker is the pick-up point', () => {
  const answer = parseTracking(response(readFixture(import.meta.url, 'collected.json')), {
    number: '602677439331630337653846',
    carrier: 'inpost',
  });
  expect(answer).toMatchObject({
    pickupPoint: {
      name: 'FEN01A, Przy sklepie',
      address: 'Lipowa 1, 00-001 Lipowo',
      openingHours: '24/7',
      latitude: 52.1,
      longitude: 20.9,
    },
  });
  expect(ask(parcel('confirmed'))).not.toHaveProperty('pickupPoint');
});
