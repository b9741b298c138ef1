import type { Scan } from '../tracking/scan.ts';
import { type PushedTracking, pingBody, readTrackingBody, trackingBody } from './payload.ts';

const AT = new Date('2026-03-09T04:05:06.789Z');
const scan = (change: Partial<Scan>): Scan => ({
  time: '2026-03-08T01:00:00Z',
  timeRaw: '2026-03-08 09:00',
  zoneSource: 'default',
  location: '深圳',
  description: '快件正在派送',
  status: 'out_for_delivery',
  ...change,
});
const TRACKING: PushedTracking = {
  id: '65a1b2c3d4e5f60718293a4b',
  trackingNumber: 'SF1234567890',
  carrier: 'sf-express',
  status: '已签收',
  subStatus: 'delivered',
  seq: 4,
  scans: [
    scan({}),
    scan({ time: '2026-03-09T04:00:00Z', location: '', description: 'Signed: "O\'Neil"', status: 'delivered' }),
  ],
};

test('the body of a tracking event, byte for byte: the fields of spec section 6.2, the sub-status and the sequence number', () => {
  expect(trackingBody('tracking_delivered', AT, TRACKING)).toBe(
    '{"event":"tracking_delivered","created_at":"2026-03-09T04:05:06Z","data":{"id":"65a1b2c3d4e5f60718293a4b",' +
      '"tracking_number":"SF1234567890","carrier":"sf-express","status":"已签收","sub_status":"delivered","seq":4,' +
      '"events":[{"time":"2026-03-08T01:00:00Z","location":"深圳","description":"快件正在派送","status":"out_for_delivery"},' +
      '{"time":"2026-03-09T04:00:00Z","location":"","description":"Signed: \\"O\'Neil\\"","status":"delivered"}]}}',
  );
});

test('the history of a parcel without scans is an empty list', () => {
  const body = JSON.parse(trackingBody('tracking_update', AT, { ...TRACKING, scans: [] }));
  expect(body.data.events).toEqual([]);
});

test('every event of the history has the four fields of spec section 2.4, and nothing of our own', () => {
  const body = JSON.parse(trackingBody('tracking_update', AT, TRACKING));
  for (const event of body.data.events)
    expect(Object.keys(event)).toEqual(['time', 'location', 'description', 'status']);
});

test('the body of a ping names the endpoint that is tested', () => {
  expect(pingBody(AT, '65a1b2c3d4e5f60718293a4c')).toBe(
    '{"event":"ping","created_at":"2026-03-09T04:05:06Z","data":{"webhook_id":"65a1b2c3d4e5f60718293a4c"}}',
  );
});

test('the reason of a status and the pieces come before the history; they are omitted if absent', () => {
  const annotations = { reason: 'presumed', pieces: { total: 3, delivered: 1 }, provider: 'yto' } as const;
  expect(trackingBody('tracking_update', AT, { ...TRACKING, scans: [], annotations })).toContain(
    '"seq":4,"reason":"presumed","pieces":{"total":3,"delivered":1},"events":[]}}',
  );
  expect(trackingBody('tracking_update', AT, { ...TRACKING, scans: [], annotations: {} })).toContain(
    '"seq":4,"events":[]}}',
  );
});

test('a written body is read back unchanged', () => {
  const body = trackingBody('tracking_delivered', AT, TRACKING);
  expect(readTrackingBody(body)).toMatchObject({
    event: 'tracking_delivered',
    created_at: '2026-03-09T04:05:06Z',
    data: { id: TRACKING.id, tracking_number: TRACKING.trackingNumber, sub_status: 'delivered', seq: 4 },
  });
  expect(JSON.stringify(readTrackingBody(body))).toBe(body);
});
