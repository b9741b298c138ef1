import type { App } from '@pts/testing/app-process';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { stores } from '@pts/testing/stores';
import { Redis } from 'ioredis';
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

type Disturb = (service: Service) => Promise<void>;

describe.each(stores())('on %s', (store) => {
  // A Redis of its own: flushing the one that all tests share would disturb them, too.
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    if (store === 'redis') redis = await startRedis();
  }, 60_000);
  afterAll(() => redis?.stop());

  const kill: Disturb = async (service) => {
    // One that was killed before may still have to be started again.
    for (const app of ['carrier-poller', 'webhook-dispatcher'] satisfies App[])
      await eventually(() => process.kill(service.pidOf(app), 'SIGKILL'));
  };
  const flush: Disturb = async () => {
    const client = new Redis(redis?.url ?? '');
    await client.flushall();
    client.disconnect();
  };
  const disturbances: [string, Disturb][] = [['kill -9 of poller and dispatcher', kill]];
  if (store === 'redis') disturbances.push(['FLUSHALL', flush]);

  test.each(disturbances)(
    '%s in the middle of the story: it ends, quota is exact, no event is missing',
    async (_, disturb) => {
      const dir = newDirectory();
      const service = await startService(
        {
          REDIS_URL: redis?.url,
          RATE_LIMITS: 'off',
          SANDBOX_SPEED: '2',
          CHECK_INTERVAL_SECONDS: '1',
        },
        dir,
      );
      const receiver = await startReceiver();
      try {
        await runStory(service, receiver, disturb);
      } finally {
        await service.stop();
        await receiver.close();
        removeDirectory(dir);
      }
    },
    240_000,
  );
});

async function runStory(service: Service, receiver: Receiver, disturb: Disturb): Promise<void> {
  const merchant = merchantOf(service);
  const secret = await merchant.subscribe(receiver.url);
  await Promise.all(NUMBERS.map((number) => merchant.register(number)));
  // Twice while the parcels move: once early, and once when the fastest ones have arrived.
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(10));
  await disturb(service);
  const events = () => receiver.requests.map(({ headers }) => headers['x-webhook-event']);
  await eventually(() => expect(events()).toContain('tracking_delivered'));
  await disturb(service);

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
