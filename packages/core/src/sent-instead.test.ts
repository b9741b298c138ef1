import { sentInstead } from './sent-instead.ts';

test.each([
  ['tracking_number', 'trackingNumber'],
  ['tracking_number', 'TrackingNumber'],
  ['tracking_number', 'tracking-number'],
  ['tracking_number', 'tracking_numbers'],
  ['tracking_number', 'number'],
  ['tracking_numbers', 'tracking_number'],
  ['tracking_numbers', 'trackingNumbers'],
  ['tracking_numbers', 'numbers'],
  ['tracking_numbers', 'tracking_numbers[]'],
  ['url', 'URL'],
  ['url', 'webhook_url'],
  ['events', 'event'],
])('in place of %s, %s was sent', (missing, sent) => {
  expect(sentInstead(missing, { title: 'x', [sent]: 'y' })).toBe(sent);
});

test.each([
  ['tracking_number', 'title'],
  ['tracking_number', 'n'],
  ['url', 'events'],
  ['id', 'order_id'],
  ['tracking_number', 'tracking_number\u0000'],
  ['tracking_number', `tracking_number${'s'.repeat(60)}`],
])('in place of %s, %s was not meant', (missing, sent) => {
  expect(sentInstead(missing, { [sent]: 'y' })).toBeUndefined();
});

test('a known field means itself', () => {
  expect(sentInstead('tracking_number', { number: 7 }, ['number'])).toBeUndefined();
});
