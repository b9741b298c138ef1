import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { failureOfCall, meaningOfEvent, meaningOfState, outcomeOfArticle, parseTrack } from './parse.ts';

testFixtures(import.meta.url, parseTrack, 'australia-post');

test('the articles of a consignment are its pieces', () => {
  const requested = [{ number: 'CONS4471', carrier: 'australia-post' }];
  const [answer] = parseTrack(response(readFixture(import.meta.url, 'batch.json')), [
    ...requested,
    { number: 'KXB7310482', carrier: 'australia-post' },
  ]);
  expect(answer).toMatchObject({ pieces: { total: 2, delivered: 1 } });
});

test('an answer that names another article is passed on with its number', () => {
  const [answer] = parseTrack(response(readFixture(import.meta.url, 'state_decides.json')), [
    { number: 'KXB7310000', carrier: 'australia-post' },
  ]);
  expect(answer).toMatchObject({ kind: 'found', otherNumber: 'KXB7310999' });
});

test.each([
  ['no results', '{"ok":true}'],
  [
    'an event without a time',
    '{"tracking_results":[{"tracking_id":"A1","trackable_items":[{"events":[{"date":"soon"}]}]}]}',
  ],
])('%s is unreadable', (_, text) => {
  expect(parseTrack(response(text), [{ number: 'A1', carrier: 'australia-post' }])).toMatchObject([
    { failure: 'unreadable' },
  ]);
});

test('events of a StarTrack consignment count if its articles have none', () => {
  const event = (description: string, date: string) => ({ location: 'WATTLE GROVE VIC', description, date });
  const consignment = { events: [event('Awaiting collection', '2031-08-08T12:51:22+10:00')], status: 'In Transit' };
  const results = (events: unknown[]) => ({
    tracking_results: [{ tracking_id: 'A1', consignment, trackable_items: [{ article_id: 'A1X', events }] }],
  });
  const ask = (events: unknown[]) =>
    parseTrack(response(results(events)), [{ number: 'A1', carrier: 'australia-post' }])[0];
  expect(ask([])).toMatchObject({ scans: [{ status: 'available_for_pickup' }] });
  expect(ask([event('Delivered', '2031-08-09T12:51:22+10:00')])).toMatchObject({ scans: [{ status: 'delivered' }] });
});

test('a number that Australia Post does not have yet is not found, alone or among others', () => {
  const numbers = (...list: string[]) => list.map((number) => ({ number, carrier: 'australia-post' }));
  const unknown = { tracking_id: 'A1', errors: [{ code: 'ESB-10001', name: 'Invalid tracking ID' }] };
  const known = { tracking_id: 'A2', trackable_items: [{ events: [] }], status: 'Created' };
  const results = { tracking_results: [unknown, known] };
  expect(parseTrack(response(JSON.stringify(results)), numbers('A1', 'A2'))).toMatchObject([
    { kind: 'not_found' },
    { parcelStatus: 'info_received' },
  ]);
  const refused = response(JSON.stringify({ errors: [{ code: '51104', message: 'Invalid tracking ID' }] }), 400);
  expect(parseTrack(refused, numbers('A1'))).toEqual([{ kind: 'not_found' }]);
  expect(parseTrack(refused, numbers('A1', 'A2'))).toMatchObject([{ isOfOne: true }, { isOfOne: true }]);
});

// biome-ignore format: one state per line is readable as a table
test.each([
  ['Created', 'info_received'],
  ['Initiated', 'info_received'],
  ['Sealed', 'info_received'],
  ['In transit', undefined],
  ['Unknown', undefined],
  ['On Board for Delivery', 'out_for_delivery'],
  ['Awaiting collection', 'available_for_pickup'],
  ['Ready for Pickup', 'info_received'],
  ['Confirmed', 'info_received'],
  ['Unconfirmed', 'info_received'],
  ['Incomplete', 'info_received'],
  ['Booked In', undefined],
  ['At Delivery Depot', undefined],
  ['Partial Delivery', 'out_for_delivery'],
  ['Item Delivered', 'delivered'],
  ['Final Shortage', 'exception'],
  ['Deleted', 'exception'],
  ['delivered', 'delivered'],
  ['Delivered in Full', 'delivered'],
  ['Article damaged', 'exception'],
  ['Cancelled', 'exception'],
  ['Held by courier', 'exception'],
  ['Possible delay', 'in_transit'],
  ['To be Re-Delivered', 'exception'],
  ['Unsuccessful Delivery', 'exception'],
  ['Unsuccessful pickup', 'exception'],
  ['Cannot be delivered', 'undeliverable'],
])('the state %s is %s', (state, status) => {
  expect(meaningOfState(state)?.status).toBe(status);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Shipping information approved by Australia Post', 'info_received'],
  ['Cleared and awaiting international departure', 'in_transit'],
  ['Arrived awaiting clearance (Inbound)', 'in_transit'],
  ['Processed by air carrier', undefined],
  ['Onboard for delivery', 'out_for_delivery'],
  ['Awaiting collection at FERN BAY', 'available_for_pickup'],
  ['Ready for Pickup', 'info_received'],
  ['Delivered - Left in a safe place', 'delivered'],
  ['Unsuccessful delivery', 'exception'],
])('the event %s is %s', (text, status) => {
  expect(meaningOfEvent(text)?.status).toBe(status);
});

test.each([
  ['ESB-10001', 'not_found'],
  ['ESB-10002', 'invalid_number'],
  ['ESB-20010', 'temporary'],
])('the error %s of an article is %s', (code, outcome) => {
  expect(outcomeOfArticle(code)).toBe(outcome);
});

test.each([
  ['51101', 'unreadable'],
  ['API_002', 'auth'],
  ['403', 'auth'],
  ['429', 'rate_limited'],
  ['51104: no such tracking id', 'invalid_number'],
  ['51103: ids of two carriers', 'unreadable'],
  ['API_002: Too many requests', 'rate_limited'],
  ['500', 'transient'],
])('the error %s of a call is %s', (code, failure) => {
  expect(failureOfCall(code)).toBe(failure);
});
