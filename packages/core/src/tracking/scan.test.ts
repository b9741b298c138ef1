import { toTrackingEvent } from './scan.ts';

test('a tracking event shows only the four fields of spec section 2.4, without internal data', () => {
  const shown = { time: '2026-03-08T01:00:00Z', location: '深圳', description: '已签收', status: 'delivered' } as const;
  expect(toTrackingEvent({ ...shown, timeRaw: '2026-03-08 09:00', zoneSource: 'default' })).toEqual(shown);
});
