import { failureOfCall, meaningOfEvent, meaningOfState, outcomeOfArticle } from './codes.ts';

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
  ['Possible delay', 'exception'],
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
