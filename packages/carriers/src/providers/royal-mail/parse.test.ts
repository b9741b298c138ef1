import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfCategory, meaningOfEvent, outcomeOf, parseEvents } from './parse.ts';

testFixtures(import.meta.url, parseEvents, 'royal-mail');

const delivered = readFixture(import.meta.url, 'delivered.json');
const ask = (text: string, number: string) => parseEvents(response(text), [{ number, carrier: 'royal-mail' }])[0];

test('a piece is identified by its barcode and by its internal id', () => {
  for (const number of ['TV618204735GB', '0900000000000000A1B2C']) expect(ask(delivered, number)?.kind).toBe('found');
  expect(ask(delivered, 'TV618204735GB')).not.toHaveProperty('otherNumber');
  expect(ask(delivered, 'XX1')).toMatchObject({ otherNumber: 'TV618204735GB' });
});

test('the estimate is the window of the round, or the whole day', () => {
  expect(ask(delivered, 'TV618204735GB')).toMatchObject({
    estimatedDelivery: { from: '2031-05-14T07:00:00Z', to: '2031-05-14T10:00:00Z' },
  });
  const day = JSON.stringify({ ...JSON.parse(delivered).mailPieces, estimatedDelivery: { date: '2031-01-14' } });
  expect(ask(`{"mailPieces":${day}}`, 'TV618204735GB')).toMatchObject({
    estimatedDelivery: { from: '2031-01-14', to: '2031-01-14' },
  });
});

test('an answer without a piece and without an error is unreadable', () => {
  expect(ask('{}', 'A1')).toMatchObject({ failure: 'unreadable' });
});

const SUMMARY = {
  oneDBarcode: 'TV1',
  lastEventCode: 'EVKSP',
  lastEventName: 'Delivered',
  lastEventDateTime: '2031-03-30T16:15:00+0000',
  lastEventLocationName: 'Thornwick DO',
  statusCategory: 'DELIVERED',
};

test('the newest event of a summary is a scan', () => {
  expect(ask(JSON.stringify({ mailPieces: [{ status: '200', summary: SUMMARY }] }), 'TV1')).toMatchObject({
    scans: [{ time: '2031-03-30T16:15:00Z', status: 'delivered', location: 'Thornwick DO' }],
  });
});

test('an unknown error of one piece means what its status says', () => {
  const error = { errorCode: 'E9999', errorDescription: '?' };
  const mailPieces = [
    { mailPieceId: 'ZZ1', status: '404', error },
    { mailPieceId: 'TV1', summary: SUMMARY },
  ];
  expect(ask(JSON.stringify({ mailPieces }), 'ZZ1')).toEqual({ kind: 'not_found' });
});

test.each([
  [{ httpCode: '401', httpMessage: 'Unauthorized', moreInformation: 'Unknown client' }, 'auth'],
  [{ httpCode: '429', httpMessage: 'Too Many Requests' }, 'rate_limited'],
  [{ httpCode: '500', httpMessage: 'Trouble' }, 'temporary'],
  [{ httpCode: '400', httpMessage: 'Bad Request' }, 'temporary'],
  [{ httpCode: '400', errors: [{ errorCode: 'E0004', errorDescription: 'Headers' }] }, 'auth'],
  [{ errors: [{ errorCode: 'E0016', errorDescription: 'Denied' }] }, 'auth'],
])('the refusal %j is %s', (body, failure) => {
  expect(ask(JSON.stringify(body), 'A1')).toMatchObject({ failure });
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['EVOCO', '', 'in_transit'],
  ['EVPPA', 'Accepted at Post Office.', 'in_transit'],
  ['EVDAC', 'In Transit', 'in_transit'],
  ['EVDAV', 'In Transit', 'in_transit'],
  ['EVGMI', '', 'in_transit'],
  ['EVGPD', '', 'out_for_delivery'],
  ['EVGPD', 'In Transit', 'in_transit'],
  ['EVNMI', 'Forwarded - Mis-sort', 'in_transit'],
  ['EVNRT', 'Item Retention', 'exception'],
  ['EVNRT', 'Ready for collection', 'available_for_pickup'],
  ['EVKSP', 'Delivered and Signed', 'delivered'],
  ['EVKOP', 'Delivered', 'delivered'],
  ['EVKSF', 'Delivered to your safeplace', 'delivered'],
  ['EVNEW', 'Delivered to your neighbour', 'delivered'],
  ['EVNEW', 'Item details received', 'info_received'],
  ['EVNEW', 'Sender despatching item', 'info_received'],
  ['EVNEW', 'No answer', 'exception'],
  ['EVNEW', 'Something new', undefined],
])('%s "%s" is %s', (code, name, status) => {
  expect(meaningOfEvent(code, name)?.status).toBe(status);
});

test('a refusal and a return have a course', () => {
  expect(meaningOfEvent('EVNEW', 'Item refused')?.course).toBe('refused');
  expect(meaningOfEvent('EVNEW', 'Returning to sender')?.course).toBe('going_back');
});

// biome-ignore format: one category per line is readable as a table
test.each([
  ['IN TRANSIT', undefined],
  ['SENDER PREPARING ITEM', 'info_received'],
  ['SENDER DESPATCHING ITEM', 'info_received'],
  ['DUE TODAY', 'out_for_delivery'],
  ['OUT FOR DELIVERY', 'out_for_delivery'],
  ['READY FOR DELIVERY', 'out_for_delivery'],
  ['READY FOR COLLECTION', 'available_for_pickup'],
  ['AVAILABLE FOR COLLECTION', 'available_for_pickup'],
  ['Delivered', 'delivered'],
  ['DELIVERED TO NEIGHBOUR', 'delivered'],
  ['DELIVERED TO YOUR NEIGHBOUR', 'delivered'],
  ['DELIVERED TO YOUR SAFEPLACE', 'delivered'],
  ['COLLECTED', 'delivered'],
  ['DELIVERY ATTEMPTED', 'exception'],
  ['ATTEMPTED DELIVERY', 'exception'],
  ['ACTION REQUIRED', 'exception'],
  ['ITEM RETAINED', 'exception'],
  ['CANCELLED', 'exception'],
  ['UNABLE TO DELIVER', 'undeliverable'],
  ['REFUSED', 'exception'],
  ['ITEM REFUSED', 'exception'],
  ['RETURN TO SENDER', 'exception'],
  ['RETURNING TO SENDER', 'exception'],
  ['RETURNED TO SENDER', 'returned'],
])('the category %s is %s', (category, status) => {
  expect(meaningOfCategory(category)?.status).toBe(status);
});

test.each([
  ['E1142', 404, 'not_found'],
  ['E1143', 400, 'invalid_number'],
  ['E1144', 400, 'invalid_number'],
  ['E0010', 200, 'rate_limited'],
  ['E9999', 404, 'not_found'],
  ['E9999', 400, 'temporary'],
  ['E9999', 200, 'temporary'],
])('the error %s with HTTP %i is %s', (code, status, outcome) => {
  expect(outcomeOf(code, status)).toBe(outcome);
});
