import { createHmac } from 'node:crypto';
import { familyBody } from './family.ts';
import { pingBody, pushHeaders, trackingBody } from './push.ts';

const AT = new Date('2031-04-05T06:00:00Z');
const TRACKING = {
  id: '73394d60727f2e63d3714795',
  trackingNumber: 'RR123456785CN',
  carrier: 'china-post',
  status: '派送中',
  subStatus: 'available_for_pickup',
  seq: 3,
  scans: [
    ['2031-04-03T08:00:00Z', '杭州市', '已收寄', 'in_transit'],
    ['2031-04-05T05:00:00Z', 'Kiel', 'Ready to collect', 'available_for_pickup'],
  ].map(([time = '', location = '', description = '', status]) => ({
    ...{ time, timeRaw: time, location, description, status: status as 'in_transit', zoneSource: 'carrier' as const },
  })),
  annotations: { estimate: { from: '2031-04-06', to: '2031-04-07', source: 'carrier' } },
  orderId: 'A-1001',
  title: 'Blue jacket',
  metadata: { customer_name: 'Li Lei', shop: 'hangzhou' },
} as const;
const FACTS = { courierOf: () => ({ phone: '11183', url: 'https://www.ems.com.cn' }), zoneOf: () => 'Europe/Berlin' };

test('the body is the record of the family, in its envelope', () => {
  expect(JSON.parse(familyBody(trackingBody('tracking_update', AT, TRACKING), FACTS))).toEqual({
    meta: { code: 200, type: 'Success', message: 'Success' },
    data: {
      id: TRACKING.id,
      tracking_number: 'RR123456785CN',
      courier_code: 'china-post',
      order_number: 'A-1001',
      title: 'Blue jacket',
      customer_name: 'Li Lei',
      customer_email: null,
      customer_sms: null,
      note: null,
      language: null,
      created_at: '2031-04-05T06:00:00Z',
      update_at: '2031-04-05T06:00:00Z',
      delivery_status: 'pickup',
      substatus: 'available_for_pickup',
      archived: false,
      updating: true,
      source: 'API',
      destination_country: null,
      tracking_postal_code: null,
      latest_event: 'Ready to collect,Kiel,2031-04-05T05:00:00Z',
      latest_checkpoint_time: '2031-04-05T05:00:00Z',
      scheduled_delivery_date: '2031-04-07',
      status_info: null,
      origin_info: {
        courier_code: 'china-post',
        courier_phone: '11183',
        weblink: 'https://www.ems.com.cn',
        trackinfo: [
          {
            checkpoint_date: '2031-04-05T05:00:00Z',
            checkpoint_delivery_status: 'pickup',
            checkpoint_delivery_substatus: 'available_for_pickup',
            tracking_detail: 'Ready to collect',
            location: 'Kiel',
          },
          {
            checkpoint_date: '2031-04-03T08:00:00Z',
            checkpoint_delivery_status: 'transit',
            checkpoint_delivery_substatus: 'in_transit',
            tracking_detail: '已收寄',
            location: '杭州市',
          },
        ],
      },
      destination_info: null,
    },
  });
});

test('an event without a parcel has no such form', () => {
  const ping = pingBody(AT, 'w1');
  expect(familyBody(ping, FACTS)).toBe(ping);
});

/** The secret, timestamp and signature that the documentation of TrackingMore's webhooks publishes. */
const PUBLISHED = {
  secret: '2e55b9a3-4dd1-4416-9897-c4bd1e3d738f',
  timestamp: '1662371528',
  signature: 'a37084ab68ae16b77db1f8463f31be9fcc965e2515e03efecf8139bb1e511b06',
};
const push = { messageId: 'm1', event: 'tracking_update', attempt: 1, body: '{}', format: 'v4' } as const;

test('the signature is that of the published sample', () => {
  const sentAt = new Date(Number(PUBLISHED.timestamp) * 1000);
  const { timestamp, signature } = pushHeaders({ ...push, secrets: [PUBLISHED.secret], sentAt });
  expect({ timestamp, signature }).toEqual({ timestamp: PUBLISHED.timestamp, signature: PUBLISHED.signature });
});

test("this service's own signatures are sent as well, over the body that is sent; of two secrets the family has the newest", () => {
  const headers = pushHeaders({ ...push, secrets: ['whsec_new', 'whsec_old'], sentAt: AT });
  const t = String(AT.getTime() / 1000);
  const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
  expect(headers['X-Webhook-Signature']).toBe(
    `t=${t},v1=${hmac('whsec_new', `${t}.{}`)},v1=${hmac('whsec_old', `${t}.{}`)}`,
  );
  expect(headers.signature).toBe(hmac('whsec_new', t));
});
