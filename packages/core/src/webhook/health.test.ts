import { giveUpReason } from './health.ts';

const SINCE = new Date('2031-04-05T06:00:00Z');
const daysLater = (days: number) => new Date(SINCE.getTime() + days * 86_400_000);

test('an endpoint is disabled after five days of failures, with the date of the first', () => {
  expect(giveUpReason(SINCE, daysLater(4.99))).toBeNull();
  expect(giveUpReason(SINCE, daysLater(5))).toMatch(/5 days, since 2031-04-05/);
});
