import { pushHeaders } from './headers.ts';
import { pastPush } from './past-push.ts';
import { sign } from './signature.ts';

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
