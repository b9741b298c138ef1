import { loadDue } from '@pts/db/deliveries/attempts';
import { allDue, keyOf } from '@pts/testing/factories';
import { type BulkTest, startBulkTest } from '../testing/test-bulk.ts';
import { attempted, FAILED, newMerchant, newRecord, type TestMerchant } from '../testing/test-deliveries.ts';

let on: BulkTest;
beforeAll(async () => {
  on = await startBulkTest();
}, 60_000);
beforeEach(() => on.woken.splice(0));
afterAll(() => on.api.close());

const due = ({ webhook }: TestMerchant) => loadDue(on.api.db, [allDue(webhook)], new Date(on.now().getTime() + 1000));
async function done(key: string, filter: object) {
  const { id } = (await on.start(key, 'redeliver', { filter })).body.data;
  await on.runDue();
  return on.read(key, id);
}

test('messages whose last attempt matches are sent again, each once', async () => {
  const merchant = await newMerchant(on.api);
  const gaveUp = await newRecord(on.api, merchant, { ...FAILED, state: 'exhausted' });
  await newRecord(on.api, merchant);
  const error = '["attempt.superseded",{"message":"1"}]';
  await newRecord(on.api, merchant, { statusCode: 0, error, state: 'superseded' });
  // It failed once, then it was delivered.
  const nextAttemptAt = new Date(0);
  const { delivery } = await newRecord(on.api, merchant, { ...FAILED, state: 'owed', nextAttemptAt });
  await attempted(on.api, { ...delivery, attempt: 2 });
  expect(await done(merchant.key, { outcome: 'exhausted' })).toMatchObject({ matched: 1, done: 1, skipped: 0 });
  expect(await due(merchant)).toMatchObject([{ messageId: gaveUp.delivery.messageId, attempt: 1, round: 1 }]);
  expect(on.woken).toEqual([{ ...keyOf(merchant.webhook), isFailing: false }]);
  expect(await done(merchant.key, { failed: 'true', status_code: '500' })).toMatchObject({
    matched: 1,
    done: 0,
    skipped: 1,
    reasons: [{ reason: 'sent_again', sample_ids: [gaveUp.id] }],
  });
  const delivered = { webhook_id: merchant.webhook.id, failed: 'false' };
  const { id } = (await on.start(merchant.key, 'redeliver', { filter: delivered, dry_run: true })).body.data;
  // As if there had been too many to count at once.
  const uncounted = { state: 'queued', finishedAt: null, matched: 0, isLowerBound: true };
  await on.api.db.bulkAction.update({ where: { id }, data: uncounted });
  await on.runDue();
  expect(await on.read(merchant.key, id)).toMatchObject({ state: 'done', matched: 2, matched_is_lower_bound: false });
  expect(await done(merchant.key, delivered)).toMatchObject({ matched: 2, done: 2 });
  expect(await done(merchant.key, { ...delivered, outcome: 'delivered' })).toMatchObject({ matched: 2, skipped: 2 });
});

test('what another webhook, another account or another time has is left alone, and so are pings', async () => {
  const [merchant, other] = [await newMerchant(on.api), await newMerchant(on.api)];
  await on.api.call('POST', '/webhooks/test', { key: merchant.key, body: {} });
  const { delivery } = await newRecord(on.api, merchant);
  await newRecord(on.api, other);
  for (const filter of [
    { webhook_id: other.webhook.id },
    { until: '2020-01-01T00:00:00Z' },
    { since: '2099-01-01T00:00:00Z' },
    { event: 'ping' },
    { status_code: '503' },
    { message_id: 'f'.repeat(24) },
    { tracking_id: 'f'.repeat(24) },
  ])
    expect(await done(merchant.key, filter)).toMatchObject({
      state: 'done',
      matched: 0,
      done: 0,
      skipped: 0,
      failed: 0,
    });
  expect(await done(merchant.key, { tracking_id: delivery.trackingId })).toMatchObject({ matched: 1, done: 1 });
  expect(await due(other)).toEqual([]);
});

test('what waits for a later attempt is sent now, what is due is skipped, and what cannot be sent fails with its reason', async () => {
  const merchant = await newMerchant(on.api);
  const pendingAt = (nextAttemptAt: Date) => newRecord(on.api, merchant, { ...FAILED, state: 'owed', nextAttemptAt });
  const [waiting, isDue] = [await pendingAt(new Date('2099-01-01')), await pendingAt(new Date(0))];
  expect(await done(merchant.key, {})).toMatchObject({
    done: 1,
    skipped: 1,
    reasons: [{ reason: 'pending', sample_ids: [isDue.id] }],
  });
  const sent = { messageId: waiting.delivery.messageId, attempt: 1, round: 1 };
  expect(await due(merchant)).toContainEqual(expect.objectContaining(sent));
  await newRecord(on.api, merchant);
  await on.api.call('PATCH', `/webhooks/${merchant.webhook.id}`, { key: merchant.key, body: { enabled: false } });
  expect(await done(merchant.key, { outcome: 'delivered' })).toMatchObject({
    failed: 1,
    reasons: [{ reason: 'webhook_disabled' }],
  });
  await on.api.call('DELETE', `/webhooks/${merchant.webhook.id}`, { key: merchant.key });
  expect(await done(merchant.key, { outcome: 'delivered' })).toMatchObject({
    failed: 1,
    reasons: [{ reason: 'webhook_deleted' }],
  });
});

test('after a kill, what the interrupted run has sent is counted, and not sent again', async () => {
  const merchant = await newMerchant(on.api);
  for (let n = 0; n < 3; n++) await newRecord(on.api, merchant);
  const { id } = (await on.start(merchant.key, 'redeliver')).body.data;
  let sent = 0;
  const dying = {
    ...on.context().producer,
    deliver: async () => {
      sent += 1;
      if (sent === 2) throw new Error('killed');
      return true;
    },
  };
  await expect(on.runDue({ producer: dying })).rejects.toThrow('killed');
  // The dispatcher has sent them since.
  for (const delivery of await due(merchant)) await attempted(on.api, delivery);
  const before = await on.api.db.delivery.findMany({ where: { accountId: merchant.accountId, round: 1 } });
  on.pass(16);
  await on.runDue();
  expect(await on.read(merchant.key, id)).toMatchObject({ state: 'done', done: 3, skipped: 0 });
  const after = await on.api.db.delivery.findMany({ where: { accountId: merchant.accountId } });
  expect([before.length > 0, after.map(({ round }) => round)]).toEqual([true, [1, 1, 1]]);
});
