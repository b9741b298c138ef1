import type { DeliveryEstimate } from '@pts/core/estimates';
import type { Scan } from '@pts/core/tracking/scan';
import { trackingBody } from '@pts/core/webhook/push';
import { transitOf } from './stats.ts';

const NOW = new Date('2031-04-05T12:00:00Z');

function bodyOf(carrier: string, scans: [time: string, location: string, status: Scan['status']][]): string {
  return trackingBody('tracking_delivered', NOW, {
    id: 'a',
    trackingNumber: 'N',
    carrier,
    status: '已签收',
    subStatus: 'delivered',
    seq: 1,
    scans: scans.map(([time, location, status]) => ({
      time,
      timeRaw: time,
      zoneSource: 'carrier',
      location,
      description: status,
      status,
    })),
  });
}

/** Delivered in Beijing at five to midnight, local time. */
const DOMESTIC = bodyOf('yto', [
  ['2031-04-01T00:00:00Z', '广东省深圳市', 'info_received'],
  ['2031-04-01T04:00:00Z', '广东省深圳市', 'in_transit'],
  ['2031-04-03T15:55:00Z', '北京市', 'delivered'],
]);
const estimate = (to: string, source: DeliveryEstimate['source'] = 'carrier') => ({ from: to, to, source });

test('a delivered parcel counts with its lane and the hours since its first movement, rounded up to a bucket', () => {
  expect(transitOf(DOMESTIC, null)).toEqual({
    carrier: 'yto',
    origin: 'CN-GD',
    destination: 'CN-BJ',
    hours: 60,
    promise: null,
  });
});

test('between countries, only these count; a place that is not known leaves the lane open', () => {
  const abroad = bodyOf('dhl', [
    ['2031-04-01T00:00:00Z', 'LEIPZIG, GERMANY', 'in_transit'],
    ['2031-04-05T00:00:00Z', 'ATLANTA, GA US', 'delivered'],
  ]);
  expect(transitOf(abroad, null)).toMatchObject({ origin: 'DE', destination: 'US', hours: 96 });
  const unknown = bodyOf('dhl', [
    ['2031-04-01T00:00:00Z', '', 'in_transit'],
    ['2031-04-05T00:00:00Z', 'ATLANTA, GA US', 'delivered'],
  ]);
  expect(transitOf(unknown, null)).toMatchObject({ origin: 'US-GA', destination: 'US-GA' });
  const nowhere = bodyOf('dhl', [
    ['2031-04-01T00:00:00Z', '', 'in_transit'],
    ['2031-04-05T00:00:00Z', '', 'delivered'],
  ]);
  expect(transitOf(nowhere, null)).toMatchObject({ origin: '*', destination: '*' });
});

test.each<[string, DeliveryEstimate, boolean]>([
  ['on the expected day at the place of delivery, the next one in UTC or not', estimate('2031-04-03'), true],
  ['a day late', estimate('2031-04-02'), false],
  ['early', estimate('2031-04-09', 'history'), true],
  ['at the end of a window of hours', estimate('2031-04-03T15:55:00Z', 'history'), true],
  ['a second after it', estimate('2031-04-03T15:54:59Z'), false],
])('a parcel that arrives %s is in time: %j is %s', (_, expected, isKept) => {
  expect(transitOf(DOMESTIC, expected)?.promise).toEqual({ source: expected.source, isKept });
});

test('a day ends with the clocks of the place', () => {
  const west = bodyOf('dhl', [
    ['2031-04-01T00:00:00Z', 'LEIPZIG, GERMANY', 'in_transit'],
    ['2031-04-05T06:59:00Z', 'LOS ANGELES, CA US', 'delivered'],
  ]);
  expect(transitOf(west, estimate('2031-04-04'))?.promise?.isKept).toBe(true);
  const later = west.replace('06:59:00', '07:00:00');
  expect(transitOf(later, estimate('2031-04-04'))?.promise?.isKept).toBe(false);
});

test('a shipment of several pieces counts until its last one was delivered', () => {
  const push = JSON.parse(
    bodyOf('yto', [
      ['2031-04-01T04:00:00Z', '广东省深圳市', 'in_transit'],
      ['2031-04-02T04:00:00Z', '北京市', 'delivered'],
      ['2031-04-03T15:55:00Z', '北京市', 'delivered'],
    ]),
  );
  push.data.pieces = { total: 2, delivered: 2 };
  const transit = transitOf(JSON.stringify(push), estimate('2031-04-02'));
  expect(transit).toMatchObject({ hours: 60, promise: { isKept: false } });
});

test('a parcel without a movement before its delivery does not count', () => {
  expect(transitOf(bodyOf('yto', [['2031-04-03T15:55:00Z', '北京市', 'delivered']]), null)).toBeNull();
});
