import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { posteItaliane } from './index.ts';
import { outcomeOf, parseTracking } from './parse.ts';

testFixtures(import.meta.url, posteItaliane.parse, 'poste-italiane');

const ask = (body: unknown, status = 200) =>
  parseTracking(response(body, status), { number: 'A1', carrier: 'poste-italiane' });
const tracked = (event: object) => ({
  return: { outcome: 'OK', code: 0, shipment: [{ waybillNumber: 'A1', tracking: [event] }] },
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['In transit at Poste operational centre', 'in_transit'],
  ['Out for delivery', 'out_for_delivery'],
  ['Delivered', 'delivered'],
  ['In consegna', 'out_for_delivery'],
  ['Consegna non riuscita', 'exception'],
  ['Something new', 'in_transit'],
])('"%s" is %s', (StatusDescription, status) => {
  expect(ask(tracked({ data: '2031-06-27 18:51:00', StatusDescription, status: 'PCP' }))).toMatchObject({
    scans: [{ status, time: '2031-06-27T16:51:00Z', zoneSource: 'location' }],
  });
});

test('the summary of a state decides if its text says nothing', () => {
  const event = { data: '27/06/2031 18:51:00', StatusDescription: 'PCP', synthesisStatusDescription: 'Delivered' };
  expect(ask(tracked(event))).toMatchObject({
    scans: [{ status: 'delivered', description: 'PCP', time: '2031-06-27T16:51:00Z' }],
  });
});

test.each([
  ['Waybill not found', 'not_found'],
  ['Nessun dato presente', 'not_found'],
  ['Token expired', 'auth'],
  ['Invalid waybill number', 'invalid_number'],
  ['Tracking unavailable', 'temporary'],
  ['', 'unreadable'],
])('the message "%s" is %s', (message, outcome) => {
  expect(outcomeOf(message)).toBe(outcome);
});

test.each([
  [200, { return: { outcome: 'KO', code: 99, messages: [{ messages: ['Tracking down'] }] } }, { failure: 'temporary' }],
  [
    200,
    { return: { outcome: 'KO', messages: [{ messages: [{ code: 'E1', message: 'Waybill not found' }] }] } },
    { kind: 'not_found' },
  ],
  [200, { return: { outcome: 'OK', code: 0 } }, { failure: 'unreadable' }],
  [200, {}, { failure: 'unreadable' }],
  [401, {}, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [500, {}, { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});
