import type { App } from '@pts/testing/app-process';
import { queryOnce, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { endOf } from '../../chaos/load/parcels.ts';
import { merchantOf } from '../support/merchant.ts';
import { distinct, type Push, readPush } from '../support/pushes.ts';
import { newDirectory, removeDirectory, type Service, startService } from '../support/service.ts';

/** Parcels of several stories at once, some of which end badly. */
const NUMBERS = [
  'ORDINARY',
  'EXPRESS',
  'RECOVERED',
  'RETURNED',
  'PICKUP',
  'LATESCAN',
  'CORRECTED',
  'EXCEPTION',
].flatMap((story) => Array.from({ length: 5 }, (_, i) => `SBX${story}${3000 + i}`));

describe.each(stores())('on %s', (store) => {
  test('kill -9 of poller and dispatcher in the middle of the story: it ends, quota is exact, no event is missing', async () => {
    const dir = newDirectory();
    const database = await testDatabase();
    const service = await startService(
      {
        DATABASE_URL: database.url,
        REDIS_URL: redisUrlOn(store),
        QUEUE_PREFIX: `{kill-${process.pid}}`,
        RATE_LIMITS: 'off',
        SANDBOX_SPEED: '2',
        CHECK_INTERVAL_SECONDS: '1',
      },
      dir,
    );
    const receiver = await startReceiver();
    try {
      await runStory(service, receiver);
    } finally {
      await service.stop();
      await Promise.all([receiver.close(), database.close()]);
      removeDirectory(dir);
    }
  }, 240_000);
});

async function kill(service: Service): Promise<void> {
  // One that was killed before may still have to be started again.
  for (const app of ['carrier-poller', 'webhook-dispatcher'] satisfies App[])
    await eventually(() => process.kill(service.pidOf(app), 'SIGKILL'));
}

async function runStory(service: Service, receiver: Receiver): Promise<void> {
  const merchant = merchantOf(service);
  const secret = await merchant.subscribe(receiver.url);
  await Promise.all(NUMBERS.map((number) => merchant.register(number)));
  // Twice while the parcels move: once early, and once when the fastest ones have arrived.
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(10));
  await kill(service);
  const events = () => receiver.requests.map(({ headers }) => headers['x-webhook-event']);
  await eventually(() => expect(events()).toContain('tracking_delivered'));
  await kill(service);

  await eventually(
    async () => {
      const trackings = await merchant.read(NUMBERS);
      expect(trackings.map((t) => [t.tracking_number, t.sub_status])).toEqual(NUMBERS.map((n) => [n, endOf(n)]));
    },
    { everyMs: 500 },
  );
  expect(await merchant.quotaUsed()).toBe(NUMBERS.length);
  const emitted = await emittedBy(service);
  await eventually(() => expect(seqs(distinct(receiver.requests.map((r) => readPush(r, secret))))).toEqual(emitted), {
    everyMs: 200,
  });
}

/** Per parcel, the numbers of all events that were ever emitted: 1 to its last. */
async function emittedBy({ ready }: Service): Promise<Record<string, number[]>> {
  const { rows } = await queryOnce<{ tracking_number: string; seq: number }>(
    ready.database_url,
    'SELECT tracking_number, seq FROM trackings',
  );
  return Object.fromEntries(
    rows.map(({ tracking_number, seq }) => [tracking_number, Array.from({ length: seq }, (_, i) => i + 1)]),
  );
}

function seqs(pushes: readonly Push[]): Record<string, number[]> {
  const byNumber: Record<string, number[]> = {};
  for (const { data } of pushes) byNumber[data.tracking_number] = [...(byNumber[data.tracking_number] ?? []), data.seq];
  for (const list of Object.values(byNumber)) list.sort((a, b) => a - b);
  return byNumber;
}
