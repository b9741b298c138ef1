import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { lowestId, newId } from '../id.ts';
import type { Scan } from '../tracking/scan.ts';
import {
  lowestAttemptOf,
  messageId,
  messageIdAfter,
  messageIdAt,
  newSecret,
  type Push,
  type PushedTracking,
  pastPush,
  pingBody,
  pushHeaders,
  readTrackingBody,
  SECRET_PREFIX,
  scanLagSeconds,
  sign,
  signatureHeader,
  standardSignatureHeader,
  trackingBody,
  trackingMessage,
} from './push.ts';

const SECRET = newSecret(new Uint8Array(32).fill(1));
const OLD_SECRET = newSecret(new Uint8Array(32).fill(2));
const PUSH: Push = {
  messageId: '65a1b2c3d4e5f60718293a4b',
  event: 'tracking_delivered',
  attempt: 3,
  body: '{"event":"tracking_delivered","data":{"status":"已签收"}}',
  secrets: [SECRET],
  sentAt: new Date('2026-11-18T12:26:40.999Z'),
};
const T = 1_795_004_800;

test('a push carries the headers of spec section 6.2, then those of Standard Webhooks, and no others', () => {
  expect(Object.entries(pushHeaders(PUSH))).toEqual([
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Service-Webhook/1.0'],
    ['X-Webhook-Signature', `t=${T},v1=${sign(SECRET, T, PUSH.body)}`],
    ['X-Webhook-Timestamp', String(T)],
    ['X-Webhook-Event', 'tracking_delivered'],
    ['X-Webhook-Attempt', '3'],
    ['X-Webhook-Id', PUSH.messageId],
    ['webhook-id', PUSH.messageId],
    ['webhook-timestamp', String(T)],
    ['webhook-signature', standardSignatureHeader([SECRET], PUSH.messageId, T, PUSH.body)],
  ]);
});

test('a later attempt is signed again, and keeps the id', () => {
  const later = pushHeaders({ ...PUSH, attempt: 4, sentAt: new Date(PUSH.sentAt.getTime() + 240_000) });
  expect(later['X-Webhook-Id']).toBe(PUSH.messageId);
  expect(later['X-Webhook-Timestamp']).toBe(String(T + 240));
  expect(later['X-Webhook-Signature']).toBe(`t=${T + 240},v1=${sign(SECRET, T + 240, PUSH.body)}`);
});

// The library accepts only pushes that were signed within five minutes of its own clock.
describe('the standardwebhooks library', () => {
  const headers = (secrets: string[]) => pushHeaders({ ...PUSH, secrets, sentAt: new Date() });

  test('accepts a push', () => {
    expect(new Webhook(SECRET).verify(String(PUSH.body), headers([SECRET]))).toEqual(JSON.parse(String(PUSH.body)));
  });

  test.each([
    ['new', SECRET],
    ['old', OLD_SECRET],
  ])('accepts a push with the %s secret during a rotation', (_which, secret) => {
    expect(() => new Webhook(secret).verify(String(PUSH.body), headers([SECRET, OLD_SECRET]))).not.toThrow();
  });

  test('refuses a push with another secret', () => {
    expect(() => new Webhook(OLD_SECRET).verify(String(PUSH.body), headers([SECRET]))).toThrow(
      WebhookVerificationError,
    );
  });

  test('refuses a push with another body', () => {
    expect(() => new Webhook(SECRET).verify(`${PUSH.body} `, headers([SECRET]))).toThrow(WebhookVerificationError);
  });
});

/**
 * Vectors made with openssl, TEXT being the timestamp (for Standard Webhooks the id and the timestamp) and the body,
 * joined by periods:
 *   printf %s "$TEXT" | openssl dgst -sha256 -hmac "$SIGNING"
 *   printf %s "$TEXT" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$DECODED_SECRET_IN_HEX -binary | base64
 */
const SIGNED_AT = 1_795_000_000;
const ID = '65a1b2c3d4e5f60718293a4b';
const BODY = '{"event":"tracking_update","data":{"status":"已签收"}}';
const SIGNING = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OLD_SIGNING = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
const HEX = '752946454f640a5df6b1380e7fb066f82f289ea0e7902043cc7427a62e0c7fdb';
const OLD_HEX = '48025bcee7ad5a3a9cb0e4a394f94cde0415e14aa3ae78e9399a116c1a1ccb85';
const BASE64 = 'g809RXbDiw7mevQhiU1E2tMMnLNB25HzFcIg05xUznE=';
const OLD_BASE64 = 'JuHh/ReIEVTvbB007wXWZFs1sLYapKDLByeQzFnZUmk=';

test('a secret is whsec_ and the base64 of its bytes', () => {
  expect(newSecret(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(SIGNING);
  expect(newSecret(Uint8Array.from({ length: 32 }, (_, i) => 255 - i))).toBe(OLD_SIGNING);
});

describe('the signature of spec section 6.3', () => {
  test('is the HMAC-SHA256 that openssl makes, in lowercase hex, with the whole secret as key', () => {
    expect(sign(SIGNING, SIGNED_AT, BODY)).toBe(HEX);
    expect(sign(OLD_SIGNING, SIGNED_AT, BODY)).toBe(OLD_HEX);
  });

  test('is over the bytes of the body', () => {
    expect(sign(SIGNING, SIGNED_AT, Buffer.from(BODY, 'utf8'))).toBe(HEX);
  });

  test('goes into the header with its timestamp', () => {
    expect(signatureHeader([SIGNING], SIGNED_AT, BODY)).toBe(`t=${SIGNED_AT},v1=${HEX}`);
  });

  test('is made with both secrets during a rotation, the new one first', () => {
    expect(signatureHeader([SIGNING, OLD_SIGNING], SIGNED_AT, BODY)).toBe(`t=${SIGNED_AT},v1=${HEX},v1=${OLD_HEX}`);
  });

  test('differs with every other secret, timestamp and body', () => {
    const inputs = fc.tuple(fc.string({ minLength: 1 }), fc.nat(), fc.string());
    fc.assert(
      fc.property(inputs, inputs, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        return sign(...one) !== sign(...other);
      }),
    );
  });
});

describe('the signature of Standard Webhooks', () => {
  test('is the HMAC-SHA256 that openssl makes, in base64, with the decoded secret as key', () => {
    expect(standardSignatureHeader([SIGNING], ID, SIGNED_AT, BODY)).toBe(`v1,${BASE64}`);
  });

  test('is made with both secrets during a rotation, separated by a space', () => {
    expect(standardSignatureHeader([SIGNING, OLD_SIGNING], ID, SIGNED_AT, Buffer.from(BODY))).toBe(
      `v1,${BASE64} v1,${OLD_BASE64}`,
    );
  });
});

test('every new secret has the prefix and holds 32 bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const secret = newSecret(random);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')).toEqual(Buffer.from(random));
    }),
  );
});

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

const MADE_AT = new Date('2026-11-28T12:00:00Z');
const later = (seconds: number) => new Date(MADE_AT.getTime() + seconds * 1000);
const DATA = '{"id":"65a1b2c3d4e5f60718293a4b","seq":4,"status":"已签收","events":[]}';

test('the same event has the same id when it is stored again minutes later', () => {
  const id = messageId('tracking_delivered', MADE_AT, DATA);
  expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(messageId('tracking_delivered', later(600), DATA)).toBe(id);
});

test.each([
  ['another kind', 'tracking_update', DATA],
  [
    'another sequence number, such as a second delivery after one that was revoked',
    'tracking_delivered',
    DATA.replace('4', '5'),
  ],
  ['another parcel', 'tracking_delivered', DATA.replace('65a1', '65a2')],
  ['more to say', 'tracking_delivered', DATA.replace('[]', '[{}]')],
])('%s has an id of its own', (_what, event, data) => {
  expect(messageId(event, MADE_AT, data)).not.toBe(messageId('tracking_delivered', MADE_AT, DATA));
});

test('the ids of messages lie between the bounds of their time', () => {
  for (let hour = 0; hour < 48; hour++) {
    const at = later(hour * 3600);
    const id = messageId('tracking_update', at, DATA);
    expect(id >= messageIdAt(at) && id < messageIdAfter(at)).toBe(true);
  }
});

test('ids sort by time, a day apart', () => {
  const ids = Array.from({ length: 100 }, (_, day) => messageId('tracking_update', later(day * 86_400), `${day}`));
  expect(ids.toSorted()).toEqual(ids);
});

describe('the attempts of a message', () => {
  /**
   * An event's id has the period of 18 hours in which it was made, and then nothing but a hash; a ping's has the
   * second.
   */
  const IDS = [
    newId(MADE_AT, new Uint8Array(8)),
    ...Array.from({ length: 50 }, (_, n) => messageId('e', MADE_AT, String(n))),
  ];

  test.each(IDS)('of %s begin an hour before it at the earliest, since clocks differ', (id) => {
    expect(lowestAttemptOf(id) <= lowestId(later(-3600))).toBe(true);
    expect(lowestAttemptOf(id) > lowestId(later(-3600 - 2 ** 16))).toBe(true);
  });

  test('of a text that is not an id may have any', () => {
    expect(lowestAttemptOf('not an id')).toBe('');
  });
});

const push = {
  messageId: '0123456789abcdef01234567',
  event: 'tracking_update',
  attempt: 2,
  body: '{"云":1}',
  sentAt: new Date('2031-04-05T06:07:08.900Z'),
};
const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`, `whsec_${Buffer.alloc(32, 2).toString('base64')}`];

test('has the headers that were sent, and the text whose signature is among them', () => {
  const { headers, signedString } = pastPush({ ...push, secrets });
  expect(headers).toEqual(pushHeaders({ ...push, secrets }));
  expect(signedString).toBe(`1933135628.${push.body}`);
  expect(headers['X-Webhook-Signature']).toContain(`v1=${sign(secrets[1] ?? '', 1933135628, push.body)}`);
});

test('without the secrets of that time, the signature is missing and everything else is the same', () => {
  const { headers } = pastPush({ ...push, secrets: null });
  const nulls = { 'X-Webhook-Signature': null, 'webhook-signature': null };
  expect(headers).toEqual({ ...pushHeaders({ ...push, secrets }), ...nulls });
});

const REGISTERED = new Date('2026-03-01T10:00:00Z');
const NEWS = new Date('2026-03-01T12:00:30Z');
const TRACKING_ID = newId(REGISTERED, new Uint8Array(8));
const scanAt = (time: string, description = 'Departed'): Scan => ({
  ...{ time, timeRaw: '', zoneSource: 'default', location: 'Lyon', description, status: 'in_transit' },
});

function lag(scans: Scan[], more: object = {}): number | null {
  const tracking = { id: TRACKING_ID, trackingNumber: 'X1', carrier: 'ups', seq: 1, scans, ...more };
  const state = { status: '查询中' as const, subStatus: 'in_transit' as const };
  return scanLagSeconds(trackingBody('tracking_update', NEWS, { ...tracking, ...state }), TRACKING_ID);
}

test('the time from the newest scan to its event, whatever the history before it and the texts in it', () => {
  const forged = scanAt('2026-03-01T12:00:00Z', '[{"time":"2020-01-01T00:00:00Z"}],"events":["reason":"x"');
  expect(lag([scanAt('2026-02-20T08:00:00Z'), forged])).toBe(30);
});

test('a scan from the future took no time', () => {
  expect(lag([scanAt('2026-03-01T12:05:00Z')])).toBe(0);
});

test('the history that a parcel had when it was registered is not late', () => {
  expect(lag([scanAt('2026-03-01T09:59:59Z')])).toBeNull();
});

test('references of a merchant do not disturb it, whatever their keys and values', () => {
  const metadata = { reason: 'x', time: '2020-01-01T00:00:00Z', events: '{"time":"2020-01-01T00:00:00Z"}', seq: '1' };
  const references = { orderId: '"reason":"x"', title: '"events":[{"time":"', metadata };
  expect(lag([scanAt('2026-03-01T12:00:00Z')], references)).toBe(30);
  expect(lag([scanAt('2026-03-01T12:00:00Z')], { ...references, annotations: { reason: 'presumed' } })).toBeNull();
});

test('what no scan has caused has no lag: a conclusion, an event without a history, a ping', () => {
  const scans = [scanAt('2026-03-01T12:00:00Z')];
  expect(lag(scans, { annotations: { reason: 'presumed' } })).toBeNull();
  expect(lag([])).toBeNull();
  expect(scanLagSeconds(pingBody(NEWS, 'w1'), TRACKING_ID)).toBeNull();
});

test("the carrier's page is in the body, and in its id, only if it is included", () => {
  const tracking = { ...TRACKING, carrierUrl: 'https://www.ups.com/track?tracknum=X1' };
  const [plain, included] = [[], ['links'] as const].map((include) =>
    trackingMessage('tracking_update', NEWS, { ...tracking, include }),
  );
  expect(plain).toEqual(trackingMessage('tracking_update', NEWS, TRACKING));
  expect(included?.data).toMatchObject({ carrier_url: tracking.carrierUrl });
});

describe("a merchant's references", () => {
  const tracking: PushedTracking = {
    ...{ id: TRACKING_ID, trackingNumber: 'X1', carrier: 'ups', status: '查询中', subStatus: 'in_transit', seq: 1 },
    scans: [scanAt('2026-03-01T12:00:00Z')],
  };
  const message = (more: object) => trackingMessage('tracking_update', NEWS, { ...tracking, ...more });
  const plain = message({});

  test.each([
    [{ orderId: 'A-1' }, { order_id: 'A-1' }],
    [{ title: 'Blue "jacket"' }, { title: 'Blue "jacket"' }],
    [{ metadata: { shop: 'hz' } }, { metadata: { shop: 'hz' } }],
    [
      { orderId: 'A-1', title: '鞋', metadata: { a: '1', b: '2' } },
      { order_id: 'A-1', title: '鞋', metadata: { a: '1', b: '2' } },
    ],
  ])('%j are in the body, and in no id', (given, expected) => {
    const { id, body, data } = message(given);
    const { data: before } = readTrackingBody(plain.body);
    expect(readTrackingBody(body).data).toEqual({ ...before, ...expected });
    expect(data).toEqual({ ...before, ...expected });
    expect(id).toBe(plain.id);
  });

  test.each([{}, { orderId: null, title: null, metadata: null }, { orderId: '', title: '', metadata: {} }])(
    'that are not set leave every byte as it was: %j',
    (given) => {
      expect(message(given)).toEqual(plain);
    },
  );
});
