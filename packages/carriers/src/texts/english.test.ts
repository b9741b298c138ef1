import { meaningOfEnglish } from './english.ts';

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Shipping label created, waiting for the parcel', 'info_received'],
  ['Electronic information submitted by shipper', 'info_received'],
  ['The parcel data was entered into the system.', 'info_received'],
  ['Sender despatching item', 'info_received'],
  ['Ready for pick-up by the courier', 'info_received'],
  ['Item processed at facility', undefined],
  ['Already picked up, on the road', undefined],
  ['On its way to the recipient country', undefined],
  ['Arrived at Post Office', undefined],
  ['The parcel has left the post office', undefined],
  ['Arrived in delivery depot', undefined],
  ['Item will be delivered tomorrow', undefined],
  ['Scheduled to be delivered by 12:00', undefined],
  ['Onboard for delivery', 'out_for_delivery'],
  ['Item out for delivery', 'out_for_delivery'],
  ['The parcel is on its way to the consignee.', 'out_for_delivery'],
  ['With Australia Post for delivery today', 'out_for_delivery'],
  ['Awaiting collection', 'available_for_pickup'],
  ['Not yet collected by the recipient', 'available_for_pickup'],
  ['Item available for pickup at Post Office', 'available_for_pickup'],
  ['Delivered to the parcel shop', 'available_for_pickup'],
  ['Held at Post Office for collection', 'available_for_pickup'],
  ['Your item can now be collected', 'available_for_pickup'],
  ['Delivered - Left in a safe place', 'delivered'],
  ['Delivered', 'delivered'],
  ['Item successfully delivered', 'delivered'],
  ['Collected by the recipient', 'delivered'],
  ['The recipient has picked up the shipment from the retail outlet', 'delivered'],
  ['Delivered, electronic signature', 'delivered'],
  ['Signed for by the neighbour', 'delivered'],
  ['Delivery attempted, card left', 'exception'],
  ['The parcel could not be delivered.', 'exception'],
  ['Not delivered, nobody home', 'exception'],
  ['Customer addressing error found; possible delay', 'exception'],
  ['Held by customs', 'exception'],
  ['Article damaged', 'exception'],
  ['Final notice; the item will be returned to the sender if not collected in ten days', 'available_for_pickup'],
  ['Reminder to pick up the item', 'available_for_pickup'],
  ['Item cannot be delivered', 'undeliverable'],
  ['Delivered to sender', 'returned'],
  ['Returned to the sender', 'returned'],
])('%s is %s', (text, status) => {
  expect(meaningOfEnglish(text)?.status).toBe(status);
});

test.each([
  ['The recipient refused the parcel', 'refused'],
  ['Returning to sender', 'going_back'],
  ['Item is being returned', 'going_back'],
  ['Item will be returned to sender', 'going_back'],
  ['Sent back from the depot', 'going_back'],
])('%s has the course %s', (text, course) => {
  expect(meaningOfEnglish(text)).toEqual({ status: 'exception', course });
});
