import { fixture, response, summary } from '../../testing/parsed.ts';
import { alpha3Of, meaningOfCheckpoint, meaningOfTag, parseTrackings } from './parse.ts';

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

test('the code of a country is not read as that of a state of the carrier’s country', () => {
  const place = { city: 'Berlin', country_region: 'DEU', location: null, checkpoint_time: '2031-01-02T08:00:00' };
  expect(parseOne(list(item({ checkpoints: [{ ...checkpoint, ...place }] })))).toMatchObject({
    scans: [{ time: '2031-01-02T07:00:00Z', zoneSource: 'location', location: 'Berlin, DE' }],
  });
});

test('the estimate is kept, in UTC', () => {
  expect(parseOne(fixture(import.meta.url, 'list_attempt_failed.json'))).toMatchObject({
    estimatedDelivery: { from: '2031-07-05T13:00:00Z', to: '2031-07-05T23:00:00Z' },
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
  expect(meaningOfTag('', tag, '')).toMatchObject({ status });
  expect(meaningOfTag(`${tag}_001`, '', '')).toMatchObject({ status });
});

test.each(['Pending', 'Expired', ''])('the tag %j says nothing about the parcel', (tag) => {
  expect(meaningOfTag(`${tag}_001`, tag, '')).toBeUndefined();
  expect(parseOne(list(item({ tag, checkpoints: [] })))).toMatchObject({ kind: 'not_found' });
});

test('refused, returning and returned are different statuses, read from the text if the number has changed', () => {
  expect(meaningOfTag('Exception_003', 'Exception', '')).toMatchObject({ course: 'refused' });
  expect(meaningOfTag('Exception_010', 'Exception', '')).toMatchObject({ course: 'going_back' });
  expect(meaningOfTag('Exception_011', 'Exception', '')).toEqual({ status: 'returned' });
  expect(meaningOfTag('Exception_007', 'Exception', 'Returned to sender')).toEqual({ status: 'returned' });
  expect(meaningOfTag('Exception_007', 'Exception', 'Incorrect address')).toEqual({
    status: 'exception',
    problem: 'address',
  });
});

test('a single tracking without a tag is one without news', () => {
  const tracking = item({ tag: null, checkpoints: [] });
  expect(parseOne({ meta: { code: 200 }, data: { tracking } })).toEqual({ kind: 'not_found' });
});

test('for an unknown tag, the text decides', () => {
  expect(meaningOfCheckpoint('', 'Sunrise', '', 'Out for delivery')).toEqual({ status: 'out_for_delivery' });
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

test.each([
  [4004, 404, 'not_found'],
  [4012, 400, 'not_found'],
  [4005, 400, 'invalid_number'],
  [4007, 400, 'invalid_number'],
  [4017, 400, 'invalid_number'],
  [4011, 400, 'needs_input'],
  [401, 200, 'auth'],
  [429, 200, 'rate_limited'],
  [500, 200, 'transient'],
  [4010, 400, 'unreadable'],
])('the code %i is %s', (code, status, outcome) => {
  const body = { meta: { code, type: 'BadRequest', message: 'because' }, data: {} };
  expect(summary(parseOne(body, status as number))).toBe(outcome);
});

test.each([
  [401, 'auth'],
  [403, 'auth'],
  [429, 'rate_limited'],
  [502, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(parseOne('', status)).toMatchObject({ failure });
});

test('a call that is refused because of one of several numbers says nothing about the others', () => {
  const all = [ASKED, { number: 'B12345', carrier: 'usps' }];
  const refused = { meta: { code: 4005, message: 'because' }, data: {} };
  expect(parseTrackings(response(refused, 400), all)).toMatchObject(
    all.map(() => ({ failure: 'temporary', isOfOne: true })),
  );
});

test('a number that is not registered is distinguished from one without news', () => {
  expect(parseOne(fixture(import.meta.url, 'none.json'))).toEqual({ kind: 'not_found', isUnregistered: true });
  expect(parseOne(fixture(import.meta.url, 'pending.json'))).toEqual({ kind: 'not_found' });
});

test('each number has its own answer; an answer about another number fails the one without', () => {
  const all = [ASKED, { number: 'B12345', carrier: 'ups' }];
  expect(parseTrackings(response(list(item())), all).map(summary)).toEqual([expect.any(Array), 'not_found']);
  const mixedUp = list(item(), item({ tracking_number: 'Z99999' }));
  expect(parseTrackings(response(mixedUp), all).map(summary)).toEqual([expect.any(Array), 'unreadable']);
});

test.each(['<html>', '[]', '{}', '{"data":[]}', '{"data":{}}'])('%j is unreadable', (text) => {
  expect(parseOne(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});

test.each([
  ['US', 'USA'],
  ['cn', 'CHN'],
  ['DE', 'DEU'],
  ['CH', 'CHE'],
  ['ZZ', undefined],
])('the code of %s is %s', (alpha2, alpha3) => {
  expect(alpha3Of(alpha2)).toBe(alpha3);
});

test('every country has a code of its own', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.flatMap((code) => alpha3Of(code) ?? []);
  expect(known).toHaveLength(249);
  expect(new Set(known).size).toBe(249);
  expect(codes.filter((code) => alpha3Of(code) && names.of(code) === undefined)).toEqual([]);
});
