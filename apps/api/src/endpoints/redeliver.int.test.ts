import { loadDue } from '@pts/db/deliveries/attempts';
import { beginRound } from '@pts/db/deliveries/send-again';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { allDue, keyOf } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { FAILED, newMerchant, newRecord, type TestMerchant } from '../testing/test-deliveries.ts';

/** The wake-up calls, in place of the queue. */
const { woken, producer } = recordingProducer();

let database: TestDatabase;
let api: TestApi;
beforeAll(async () => {
  database = await testDatabase();
  api = await startTestApi({ databaseUrl: database.url, producer });
}, 60_000);
beforeEach(() => woken.splice(0));
afterAll(async () => {
  await api.close();
  await database.close();
});

const redeliver = ({ key }: Pick<TestMerchant, 'key'>, id: string) =>
  api.call('POST', `/webhooks/deliveries/${id}/redeliver`, { key });
const due = ({ webhook }: TestMerchant) => loadDue(api.db, [allDue(webhook)], new Date(Date.now() + 1000));

describe('POST /webhooks/deliveries/{id}/redeliver', () => {
  test.each(['delivered', 'exhausted', 'cancelled', 'superseded', 'owed'] as const)(
    'a message that was %s is due now, from attempt 1 on, under its own id',
    async (state) => {
      const merchant = await newMerchant(api);
      const nextAttemptAt = state === 'owed' ? new Date('2099-01-01T00:00:00Z') : null;
      const { id, delivery } = await newRecord(api, merchant, { state, nextAttemptAt });
      const { status, body } = await redeliver(merchant, id);
      expect(status).toBe(200);
      expect(body.data).toEqual({
        id,
        message_id: delivery.messageId,
        webhook_id: merchant.webhook.id,
        event: 'tracking_update',
        state: 'owed',
        attempts: 0,
        round: 1,
        next_attempt_at: expect.stringMatching(/Z$/),
      });
      expect(await due(merchant)).toMatchObject([
        { messageId: delivery.messageId, body: delivery.body, attempt: 1, round: 1, fresh: false },
      ]);
      expect(woken).toEqual([{ ...keyOf(merchant.webhook), isFailing: false }]);
    },
  );

  test('two concurrent calls start one round', async () => {
    const merchant = await newMerchant(api);
    const { id } = await newRecord(api, merchant);
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeliver(merchant, id)));
    expect(answers.map(({ body }) => [body.code, body.data.round])).toEqual(answers.map(() => [200, 1]));
    expect(await due(merchant)).toHaveLength(1);
    expect(woken).toHaveLength(1);
  });

  test('a call whose clock is behind that of the call before it starts no second round', async () => {
    const merchant = await newMerchant(api);
    await newRecord(api, merchant);
    const { accountId } = merchant;
    const { id: recordId } = await api.db.deliveryAttempt.findFirstOrThrow({ where: { accountId } });
    const begin = (now: Date) => beginRound(api.db, { accountId, recordId, now });
    const now = new Date();
    expect([await begin(now), await begin(new Date(now.getTime() - 1))]).toEqual([true, false]);
  });

  test('a delivery that is due already is returned unchanged', async () => {
    const merchant = await newMerchant(api);
    const nextAttemptAt = new Date('2026-03-01T16:00:00Z');
    const { id } = await newRecord(api, merchant, { ...FAILED, state: 'owed', nextAttemptAt });
    expect((await redeliver(merchant, id)).body.data).toMatchObject({
      state: 'owed',
      attempts: 1,
      round: 0,
      next_attempt_at: '2026-03-01T16:00:00Z',
    });
  });

  test('a record that is unknown, or of another account, is 404', async () => {
    const [merchant, other] = [await newMerchant(api), await newMerchant(api)];
    const { id } = await newRecord(api, other);
    for (const malformed of ['x', '9'.repeat(19), '-1'])
      expect((await redeliver(merchant, malformed)).body).toMatchObject({
        code: 4112,
        data: { errors: [{ field: 'id' }] },
      });
    for (const unknown of [id, '0'.repeat(24)])
      expect((await redeliver(merchant, unknown)).body).toMatchObject({
        code: 404,
        message: expect.stringMatching(/No such delivery/),
      });
    const answer = await api.call('POST', `/webhooks/deliveries/${id}/redeliver`);
    expect(answer.status).toBe(401);
    expect(await due(other)).toEqual([]);
  });

  test('a ping is not sent again', async () => {
    const merchant = await newMerchant(api);
    await api.db.deliveryAttempt.create({
      data: {
        messageId: '0'.repeat(24),
        webhookId: merchant.webhook.id,
        accountId: merchant.accountId,
        event: 'ping',
        attempt: 1,
        startedAt: new Date(),
        statusCode: 200,
        durationMs: 1,
      },
    });
    const { id } = await api.db.deliveryAttempt.findFirstOrThrow({ where: { accountId: merchant.accountId } });
    expect((await redeliver(merchant, id)).body).toMatchObject({
      code: 4130,
      message: expect.stringMatching(/ping.*POST \/api\/v1\/webhooks\/test/),
    });
  });

  test('a disabled webhook must be enabled first, and then gets it', async () => {
    const merchant = await newMerchant(api);
    const { id } = await newRecord(api, merchant, { ...FAILED, state: 'exhausted' });
    const enable = (enabled: boolean) =>
      api.call('PATCH', `/webhooks/${merchant.webhook.id}`, { key: merchant.key, body: { enabled } });
    await enable(false);
    const { body } = await redeliver(merchant, id);
    expect(body).toMatchObject({ code: 4130, message: expect.stringMatching(/PATCH .*"enabled": true/) });
    await enable(true);
    expect((await redeliver(merchant, id)).body.data).toMatchObject({ state: 'owed', round: 1 });
  });

  test('for a deleted webhook or a deleted message it is 404 and says which', async () => {
    const merchant = await newMerchant(api);
    const [gone, pruned] = [await newRecord(api, merchant), await newRecord(api, merchant)];
    await api.db.message.delete({ where: { id: pruned.delivery.messageId } });
    expect((await redeliver(merchant, pruned.id)).body).toMatchObject({
      code: 404,
      message: expect.stringMatching(/kept for 30 days/),
    });
    await api.call('DELETE', `/webhooks/${merchant.webhook.id}`, { key: merchant.key });
    expect((await redeliver(merchant, gone.id)).body).toMatchObject({
      code: 404,
      message: expect.stringMatching(/webhook .* deleted/),
    });
    expect(woken).toEqual([]);
  });

  test('it has a limit of its own: 5 a second', async () => {
    const limited = await startTestApi({ limits: [], limitWindowSeconds: 3600 });
    const { key } = await limited.account();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => limited.call('POST', '/webhooks/deliveries/1/redeliver', { key })),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(answers[0]?.headers.get('RateLimit-Limit')).toBe('5');
    await limited.close();
  });
});
