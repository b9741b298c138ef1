import { loadDue } from '@pts/db/deliveries/attempts';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { allDue, keyOf } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { FAILED, newMerchant, newRecord, type TestMerchant } from '../../testing/test-deliveries.ts';

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
});
