import { parseCallback, verifyCallback } from './callback.ts';

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
      isNotice: true,
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
