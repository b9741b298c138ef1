import { MAX_SIGNING } from '@pts/core/webhook/endpoint';
import { loadDue } from '@pts/db/deliveries/attempts';
import { allDue, newDeliveries } from '@pts/testing/factories';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import { Webhook } from 'standardwebhooks';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  api = await startTestApi();
  receiver = await startReceiver();
}, 60_000);
afterAll(async () => {
  await receiver.close();
  await api.close();
});

const register = async (key: string) =>
  (await api.call('POST', '/webhooks', { key, body: { url: receiver.url, events: ['tracking_update'] } })).body.data;
const rotate = (key: string, id: string) => api.call('POST', `/webhooks/${id}/rotate-secret`, { key });

/**
 * Whether the last push is valid for a receiver with this secret, by our verifier and by a library of Standard
 * Webhooks.
 */
function isAccepted(secret: string): boolean {
  const push = receiver.requests.at(-1);
  if (!push) throw new Error('nothing was sent');
  const ours = verify(push.headers, push.rawBody, secret).ok;
  let standard = true;
  try {
    new Webhook(secret).verify(push.rawBody, push.headers as Record<string, string>);
  } catch {
    standard = false;
  }
  expect(standard).toBe(ours);
  return ours;
}

test.each<[string, (key: string, id: string) => Promise<string>]>([
  ['rotate-secret', async (key, id) => (await rotate(key, id)).body.data.secret],
  ['registering the same URL', async (key) => (await register(key)).secret],
])('%s again and again leaves every secret of the last 24 hours valid', async (_, again) => {
  const { key } = await api.account();
  const { id, secret } = await register(key);
  const secrets = [secret, await again(key, id), await again(key, id), await again(key, id)];
  await api.call('POST', '/webhooks/test', { key, body: { id } });
  expect(secrets.map(isAccepted)).toEqual([true, true, true, true]);
  expect(isAccepted('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5V3o0nU1f3A=')).toBe(false);
});

test('concurrent rotations keep each other’s secrets', async () => {
  const { key } = await api.account();
  const { id, secret } = await register(key);
  const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(key, id)));
  await api.call('POST', '/webhooks/test', { key, body: { id } });
  expect([secret, ...answers.map(({ body }) => body.data.secret)].map(isAccepted)).not.toContain(false);
});

test('endless rotations are refused eventually, and no signing secret is ended by them', async () => {
  const { key } = await api.account();
  const { id, secret } = await register(key);
  for (let n = 1; n < MAX_SIGNING; n++) expect((await rotate(key, id)).status).toBe(200);
  const before = await api.db.webhook.findUniqueOrThrow({ where: { id } });
  const [refused, registered] = [
    await rotate(key, id),
    await api.call('POST', '/webhooks', { key, body: { url: receiver.url, events: ['tracking_delivered'] } }),
  ];
  expect(refused.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'id' }] } });
  expect(registered.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'url' }] } });
  expect(await api.db.webhook.findUniqueOrThrow({ where: { id } })).toEqual(before);
  await api.call('POST', '/webhooks/test', { key, body: { id } });
  expect(isAccepted(secret)).toBe(true);
});

test('the dispatcher loads every signing secret with the due deliveries', async () => {
  const { id: accountId, key } = await api.account();
  const { id } = await register(key);
  await rotate(key, id);
  await rotate(key, id);
  const { retiredSecrets, retiredUntil } = await api.db.webhook.findUniqueOrThrow({ where: { id } });
  expect(retiredSecrets).toHaveLength(2);
  await newDeliveries(api.db, accountId, new Date());
  expect(await loadDue(api.db, [allDue({ id, accountId })], new Date())).toMatchObject([
    { retiredSecrets, retiredUntil },
  ]);
});
