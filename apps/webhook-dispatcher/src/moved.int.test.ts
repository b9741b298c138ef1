import { eventually } from '@pts/testing/eventually';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

let given: TestDispatch;
beforeAll(async () => {
  given = await startTestDispatch('postgres');
  given.dispatch();
}, 30_000);
afterAll(() => given.close(), 30_000);

test.each([
  ['410', { status: 410 }],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '3600' } }],
])('a %s from the URL that a webhook had before does not stop pushes to its new one', async (_status, answer) => {
  const moving = await given.merchant();
  const { id, url } = moving.webhook;
  const old = await given.merchant(async () => {
    await given.db.webhook.update({ where: { id }, data: { url } });
    return answer;
  });
  await given.db.webhook.update({ where: { id }, data: { url: `${old.webhook.url}?old` } });
  await given.producer.deliver(await given.owe(moving));
  await eventually(() => given.db.deliveryAttempt.findFirstOrThrow({ where: { accountId: moving.accountId } }));
  await given.producer.deliver(await given.owe(moving));
  await eventually(() => expect(moving.receiver.requests).toHaveLength(1));
  const webhook = await given.db.webhook.findUniqueOrThrow({ where: { id } });
  expect(webhook).toMatchObject({ enabled: true, notBefore: null, failingSince: null });
});
