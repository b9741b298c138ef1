import { parsePush, verifyPush } from './push.ts';

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

test('a push has the credential of the webhook', () => {
  const verify = (headers: Record<string, string>, keys: Parameters<typeof verifyPush>[1] = KEYS) =>
    verifyPush({ headers, rawBody: '{}' }, keys);
  expect(verify({ credential: 'a-credential' })).toBe(true);
  expect(verify({ authorization: 'Bearer a-credential' })).toBe(true);
  expect(verify({ credential: 'another' })).toBe(false);
  expect(verify({})).toBe(false);
  expect(verify({ credential: '' }, { salt: '', settings: { webhookCredential: '' } })).toBe(false);
});

test('a push says that its number has news, without a history', () => {
  expect(parsePush(JSON.stringify(ALERT))).toEqual([
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
])('%j is not a push', (body) => {
  expect(parsePush(body)).toBeNull();
});
