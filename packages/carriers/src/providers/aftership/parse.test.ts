import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfTag } from './codes.ts';
import { parseTrackings } from './parse.ts';

const ASKED = { number: '9434917204856391027415', carrier: 'usps' };
const parseOne = (body: unknown, status?: number) => parseTrackings(response(body, status), [ASKED])[0];
const checkpoint = { checkpoint_time: '2031-01-02T08:00:00+00:00', message: 'Moved', location: 'X', tag: 'InTransit' };
const item = (more: object = {}) => ({
  ...{ id: '1', tracking_number: ASKED.number, slug: 'usps', tag: 'InTransit', checkpoints: [checkpoint] },
  ...more,
});
const list = (...trackings: unknown[]) => ({ meta: { code: 200 }, data: { trackings } });

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    expect(summary(parseOne(fixture(import.meta.url, file)))).toEqual(expected);
  },
);

test.each([
  [{ country_region: 'KAZ', country_region_name: null }, 'KZ'],
  [{ country_iso3: 'KAZ', country_name: 'Qazaqstan' }, 'Qazaqstan'],
])('a local time in a country that is named by its code (%j) has the zone of that country', (country, location) => {
  const place = { ...checkpoint, ...country, location: null, checkpoint_time: '2031-01-02T08:00:00' };
  expect(parseOne(list(item({ checkpoints: [place] })))).toMatchObject({
    scans: [{ time: '2031-01-02T03:00:00Z', zoneSource: 'location', location }],
  });
});

test.each([
  ['InfoReceived', 'info_received'],
  ['InTransit', 'in_transit'],
  ['OutForDelivery', 'out_for_delivery'],
  ['AttemptFail', 'undeliverable'],
  ['AvailableForPickup', 'available_for_pickup'],
  ['Delivered', 'delivered'],
  ['Exception', 'exception'],
])('the tag %s is %s', (tag, status) => {
  expect(meaningOfTag('', tag, '')).toEqual({ status });
  expect(meaningOfTag(`${tag}_001`, '', '')).toEqual({ status });
});

test('the tag of the parcel counts beside its newest checkpoint if it says more', () => {
  const delivered = parseOne(list(item({ tag: 'Delivered', subtag: 'Delivered_001' })));
  expect(delivered).toMatchObject({ scans: [{ status: 'delivered', ownStatus: 'in_transit' }] });
  const announced = { ...checkpoint, tag: 'InfoReceived', message: 'Shipment information sent to FedEx' };
  const dated = { shipment_delivery_date: '2039-08-01T17:19:47', checkpoints: [announced] };
  expect(parseOne(list(item({ tag: 'Delivered', subtag: 'Delivered_001', ...dated })))).toMatchObject({
    scans: [{ status: 'info_received', parcel: { status: 'delivered', isLater: true } }],
  });
  const lagging = item({ tag: 'InTransit', checkpoints: [{ ...checkpoint, tag: 'Delivered' }] });
  expect(parseOne(list(lagging))).toMatchObject({ scans: [{ status: 'delivered' }] });
  const back = item({ tag: 'Exception', subtag: 'Exception_011', checkpoints: [{ ...checkpoint, tag: 'Delivered' }] });
  expect(parseOne(list(back))).toMatchObject({ scans: [{ status: 'delivered', parcel: { status: 'returned' } }] });
});
