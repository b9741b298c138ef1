import { deleteWebhook, findWebhook } from '@pts/db/webhooks';
import { waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount } from '@pts/testing/factories';
import { textMatching } from '@pts/testing/text-matching';
import { startTestService } from './testing/test-service.ts';
import { changeWebhook, registerWebhook, type WebhookChange } from './webhooks.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const ROUNDS = 30;

let ctx: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  ctx = await startTestService(() => NOW);
});
afterAll(() => ctx.close());

async function register(accountId: string, url: string, now = NOW) {
  const registering = registerWebhook({ ...ctx, now: () => now }, { accountId, url, events: ['tracking_update'] });
  return (await registering).webhook;
}

const change = (accountId: string, id: string, changes: WebhookChange) =>
  changeWebhook(ctx, { accountId, id, change: changes }).then(({ webhook }) => webhook);
const TAKEN = { error: 'invalid_field', fields: [{ field: 'url', message: textMatching('another') }] };

describe('concurrent calls', () => {
  test('an address that is registered while it is deleted is a new endpoint', async () => {
    const accountId = await newAccount(ctx.db, NOW);
    const { id } = await register(accountId, 'https://example.com/a');
    const { again } = await ctx.db.$transaction(async (tx) => {
      await tx.webhook.delete({ where: { id } });
      const registering = register(accountId, 'https://example.com/a');
      await eventually(async () => expect(await waitingForLocks(ctx.databaseUrl)).toHaveLength(1));
      return { again: registering };
    });
    expect((await again).id).not.toBe(id);
    expect(await findWebhook(ctx.db, accountId)).toEqual(await again);
  });

  test('an address that is registered while another endpoint moves there belongs to one of them', async () => {
    const accountId = await newAccount(ctx.db, NOW);
    const moving = await register(accountId, 'https://example.com/old');
    for (let round = 0; round < ROUNDS; round++) {
      const url = `https://example.com/${round}`;
      // Days apart, so that the secrets of the re-registered endpoint do not accumulate.
      const later = new Date(NOW.getTime() + round * 86_400_000);
      const [moved, registered] = await Promise.all([
        change(accountId, moving.id, { url }).catch((error: unknown) => error),
        register(accountId, url, later),
      ]);
      if (registered.id === moving.id) expect(moved).toMatchObject({ id: moving.id, url });
      else {
        expect(moved).toMatchObject(TAKEN);
        await deleteWebhook(ctx.db, accountId, registered.id);
      }
    }
  });
});

test('a refused change has no effect', async () => {
  const accountId = await newAccount(ctx.db, NOW);
  const [taken, other] = [
    await register(accountId, 'https://example.com/1'),
    await register(accountId, 'https://example.com/2'),
  ];
  const changes = { url: taken.url, enabled: false, events: ['tracking_delivered'] as const };
  await expect(change(accountId, other.id, changes)).rejects.toMatchObject(TAKEN);
  expect(await findWebhook(ctx.db, accountId, other.id)).toEqual(other);
});
