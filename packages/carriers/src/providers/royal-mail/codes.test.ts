import { meaningOfCategory, meaningOfEvent, outcomeOf } from './codes.ts';

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
