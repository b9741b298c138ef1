import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Push, pushHeaders } from './headers.ts';
import { newSecret, sign, standardSignatureHeader } from './signature.ts';

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
