import { loadDue } from '@pts/db/deliveries/attempts';
import { MAX_ROUNDS } from '@pts/db/deliveries/send-again';
import { allDue, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { redeliver } from './deliveries.ts';
import { startTestService } from './testing/test-service.ts';

const NOW = new Date('2031-04-05T06:00:00Z');

let ctx: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  ctx = await startTestService(() => NOW);
});
afterAll(() => ctx.close());

/** A message that was delivered in some round. @returns its account and the id of its record. */
async function newRecord(round: number) {
  const accountId = await newAccount(ctx.db, NOW);
  const webhook = await newWebhook(ctx.db, accountId, NOW);
  await newDeliveries(ctx.db, accountId, NOW);
  const [due] = await loadDue(ctx.db, [allDue(webhook)], NOW);
  if (!due) throw new Error('nothing is due');
  const deliveryId = BigInt(due.deliveryId);
  await ctx.db.delivery.updateMany({ where: { id: deliveryId }, data: { state: 'delivered', round } });
  const { id } = await ctx.db.deliveryAttempt.create({
    data: {
      deliveryId,
      messageId: due.messageId,
      webhookId: webhook.id,
      accountId,
      event: due.event,
      round,
      attempt: 1,
      startedAt: NOW,
      statusCode: 200,
      durationMs: 1,
    },
  });
  return { accountId, recordId: id };
}

test('a message at the maximum number of redeliveries is refused, and no endpoint is woken', async () => {
  const { woken, producer } = recordingProducer();
  const last = await newRecord(MAX_ROUNDS - 1);
  expect(await redeliver({ ...ctx, producer }, last)).toMatchObject({ state: 'owed', round: MAX_ROUNDS });
  expect(woken.splice(0)).toHaveLength(1);
  const spent = await newRecord(MAX_ROUNDS);
  await expect(redeliver({ ...ctx, producer }, spent)).rejects.toMatchObject({
    error: 'invalid_field',
    fields: [{ field: 'id', message: 'belongs to a message that was redelivered too often; it cannot be sent again' }],
  });
  expect(woken).toEqual([]);
});
