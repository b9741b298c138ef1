import { parseCallback, parseSubscribed, verifyCallback } from './index.ts';

const KEYS = { salt: 'salt', settings: { webhookCredential: 'a-credential' } };
const ALERT = {
  trackingNumber: ' 1Z84W2R10351627480',
  localActivityDate: '20310404',
  localActivityTime: '071502',
  gmtActivityDate: '20310404',
  gmtActivityTime: '121502',
  activityLocation: { city: 'Fennbrook', stateProvince: 'IL', postalCode: '', country: 'US' },
  activityStatus: { type: 'I', code: 'OT', description: 'Out for Delivery', descriptionCode: '021' },
};

test('a callback has the credential of the webhook', () => {
  const verify = (headers: Record<string, string>, keys: Parameters<typeof verifyCallback>[1] = KEYS) =>
    verifyCallback({ headers, rawBody: '{}' }, keys);
  expect(verify({ credential: 'a-credential' })).toBe(true);
  expect(verify({ authorization: 'Bearer a-credential' })).toBe(true);
  expect(verify({ credential: 'another' })).toBe(false);
  expect(verify({})).toBe(false);
  expect(verify({ credential: '' }, { salt: '', settings: { webhookCredential: '' } })).toBe(false);
});

test('a callback says that its number has news, without a history', () => {
  expect(parseCallback(JSON.stringify(ALERT))).toEqual([
    {
      number: '1Z84W2R10351627480',
      carriers: ['ups'],
      answer: { kind: 'not_found' },
      isThin: true,
      watch: 'going_on',
    },
  ]);
});

test.each([
  '',
  '{}',
  '[]',
  '{"trackingNumber":"1Z84W2R10351627480"}',
  '{"trackingNumber":" ","activityStatus":{"type":"I"}}',
])('%j is not a callback', (body) => {
  expect(parseCallback(body)).toBeNull();
});

const ASKED = ['1Z84W2R10351627480', '1Z84W2R10351627499', 'T8573920164'].map((number) => ({ number, carrier: 'ups' }));
const answered = (status: number, body: unknown) =>
  parseSubscribed({ kind: 'response', status, headers: {}, text: JSON.stringify(body) }, ASKED);
const errors = (code: string, more: object = {}) => ({ ...more, response: { errors: [{ code, message: 'text' }] } });
const kinds = (outcomes: ReturnType<typeof parseSubscribed>) =>
  outcomes.map((each) => (each.kind === 'failed' ? each.failure : each.kind));

test('each number is subscribed to or refused separately', () => {
  const body = { validTrackingNumbers: ['1Z84W2R10351627480'], invalidTrackingNumbers: ['T8573920164'] };
  expect(kinds(answered(200, body))).toEqual(['subscribed', 'unreadable', 'refused']);
});

test('a call without a valid number refuses them all, and does not count as trouble of UPS', () => {
  const body = errors('VSS210', { invalidTrackingNumbers: ['T8573920164'] });
  expect(kinds(answered(400, body))).toEqual(['refused', 'refused', 'refused']);
});

test.each([
  [401, errors('250002'), 'auth'],
  [403, errors('250002'), 'auth'],
  [400, errors('250002'), 'auth'],
  [429, errors('10429'), 'rate_limited'],
  [500, errors('VSS100'), 'transient'],
  [400, errors('VSS100'), 'transient'],
  [500, errors('10004'), 'transient'],
  [404, errors('404'), 'transient'],
  [400, errors('VSS300'), 'unreadable'],
  [400, { errors: [{ code: 'UJ0001', message: 'text' }] }, 'auth'],
  [200, {}, 'unreadable'],
])('%i %j fails the call: %s', (status, body, failure) => {
  expect(kinds(answered(status, body))).toEqual([failure, failure, failure]);
});
