import { loadDue } from '@pts/db/deliveries/attempts';
import { allDue } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { attempted, FAILED, newMerchant, newRecord, newTestWebhook } from '../testing/test-deliveries.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const eventsOf = (id: string, key: string) => api.call('GET', `/trackings/${id}/events`, { key });

test('each event with the state of each push and its last attempt, newest first', async () => {
  const merchant = await newMerchant(api);
  const second = await newTestWebhook(api, merchant.key);
  const { delivery, id: failed } = await newRecord(api, merchant, {
    ...FAILED,
    state: 'owed',
    nextAttemptAt: new Date('2099-01-01T00:00:00Z'),
  });
  const [other] = await loadDue(api.db, [allDue(second)], new Date());
  if (!other) throw new Error('nothing is pending for the second webhook');
  const delivered = await attempted(api, other);
  const message = await api.db.message.findUniqueOrThrow({ where: { id: delivery.messageId } });
  const { body } = await eventsOf(message.trackingId ?? '', merchant.key);
  const [newest] = body.data.events;
  expect(newest).toMatchObject({
    id: delivery.messageId,
    event: 'tracking_update',
    seq: message.seq,
    status: JSON.parse(message.body).data.status,
    sub_status: JSON.parse(message.body).data.sub_status,
  });
  expect(newest.pushes).toEqual([
    {
      webhook_id: merchant.webhook.id,
      ...{ state: 'owed', attempts: 1, round: 0, next_attempt_at: '2099-01-01T00:00:00Z' },
      last_attempt: {
        id: failed,
        ts: expect.stringMatching(/Z$/),
        status_code: 500,
        error: FAILED.error,
        duration_ms: expect.any(Number),
      },
    },
    {
      webhook_id: second.id,
      ...{ state: 'delivered', attempts: 1, round: 0, next_attempt_at: null },
      last_attempt: expect.objectContaining({ id: delivered, status_code: 200, error: null }),
    },
  ]);
  const seqs = body.data.events.map(({ seq }: { seq: number }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => b - a));
});

test('a parcel without news has no events; one of another account is not found', async () => {
  const [mine, other] = [await api.account(), await api.account()];
  const created = await api.call('POST', '/trackings/create', {
    key: mine.key,
    body: { tracking_number: 'YT8962646785999' },
  });
  expect((await eventsOf(created.body.data.id, mine.key)).body.data).toEqual({ events: [] });
  expect((await eventsOf(created.body.data.id, other.key)).body.code).toBe(404);
});
