import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount } from '@pts/testing/factories';
import { type Db, openDatabase } from '../connection/client.ts';
import { deleteWebhook, findWebhook, registerWebhook, updateWebhook } from './endpoints.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const ROUNDS = 30;

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 10 });
});
afterAll(async () => {
  await db.$disconnect();
  await database.close();
});

async function register(accountId: string, url: string, now = NOW) {
  const settings = { events: ['tracking_update'], encryptedSecret: 'box', now };
  const result = await registerWebhook(db, { accountId, url, ...settings });
  if (result.kind !== 'registered') throw new Error(`not registered: ${result.kind}`);
  return result.webhook;
}

/** Statements that wait for a lock of another. */
async function countWaiting(): Promise<number> {
  const [row] = await db.$queryRaw<{ waiting: number }[]>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.waiting ?? 0;
}

describe('what happens at once', () => {
  test('an address that is registered while it is deleted is a new endpoint', async () => {
    const accountId = await newAccount(db, NOW);
    const { id } = await register(accountId, 'https://example.com/a');
    const { again } = await db.$transaction(async (tx) => {
      await tx.webhook.delete({ where: { id } });
      const registering = register(accountId, 'https://example.com/a');
      await eventually(async () => expect(await countWaiting()).toBe(1));
      return { again: registering };
    });
    expect((await again).id).not.toBe(id);
    expect(await findWebhook(db, accountId)).toEqual(await again);
  });

  test('an address that is registered while another endpoint moves there belongs to one of them', async () => {
    const accountId = await newAccount(db, NOW);
    const moving = await register(accountId, 'https://example.com/old');
    for (let round = 0; round < ROUNDS; round++) {
      const url = `https://example.com/${round}`;
      const change = { accountId, id: moving.id, change: { url }, now: NOW };
      // Days apart, so that the secrets of the one that is registered again do not add up.
      const later = new Date(NOW.getTime() + round * 86_400_000);
      const [moved, registered] = await Promise.all([updateWebhook(db, change), register(accountId, url, later)]);
      expect(moved === 'url_taken').toBe(registered.id !== moving.id);
      if (registered.id !== moving.id) await deleteWebhook(db, accountId, registered.id);
    }
  });
});

test('a change that is refused changes nothing', async () => {
  const accountId = await newAccount(db, NOW);
  const [taken, other] = [
    await register(accountId, 'https://example.com/1'),
    await register(accountId, 'https://example.com/2'),
  ];
  const change = { url: taken.url, enabled: false, events: ['tracking_delivered'] };
  expect(await updateWebhook(db, { accountId, id: other.id, change, now: NOW })).toBe('url_taken');
  expect(await findWebhook(db, accountId, other.id)).toEqual(other);
});
