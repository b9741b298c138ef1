import { ownTimeOf } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { leaseLongStream, leaseStream } from '@pts/testing/factories';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { startRedis } from '@pts/testing/servers/redis';
import { stores } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openSignals, type Signals } from './signals.ts';

describe.each(stores())('signals on %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let near: TestQueue;
  let gate: Gate;
  let open: Signals[] = [];
  let errors: Error[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    near = await testQueue(store, database.url);
    const { redisUrl, databaseUrl } = near.options;
    gate = redisUrl === undefined ? await startGate(databaseUrl, 5432) : await startGate(redisUrl, 6379);
    open = [];
    errors = [];
    await leaseLongStream(databaseUrl);
  });
  afterEach(async () => {
    gate.set('open');
    await Promise.all(open.map((signals) => signals.close()));
    await gate.close();
    await near.close();
    await database.close();
  });

  /** A separate process; its link to the store can be cut. */
  function process({ behindGate = false } = {}): Signals {
    const { redisUrl, databaseUrl, prefix } = near.options;
    const far = redisUrl === undefined ? { databaseUrl: gate.url } : { databaseUrl, redisUrl: gate.url };
    const place = behindGate ? far : { redisUrl, databaseUrl };
    const signals = openSignals({ ...place, prefix, onError: (error) => errors.push(error) });
    open.push(signals);
    return signals;
  }
  function hear(signals: Signals) {
    const heard: string[] = [];
    return { heard, end: signals.subscribe('answered', (ids) => heard.push(...ids)) };
  }
  /** Waits for the subscription: earlier messages are lost, which is allowed. */
  const reach = (from: Signals, heard: string[], id: string) =>
    eventually(async () => {
      await from.publish('answered', [id]);
      expect(heard).toContain(id);
    });

  test('reach every process that listens, however many ids there are', async () => {
    const [sender, one, two] = [process(), hear(process()), hear(process())];
    for (const { heard } of [one, two]) await reach(sender, heard, 'first');
    const ids = Array.from({ length: 1000 }, (_, i) => String(i).padStart(24, '0'));
    await sender.publish('answered', ids);
    for (const { heard } of [one, two])
      await eventually(() => expect(heard.filter((id) => id.length === 24)).toEqual(ids));
  });

  test('an ended subscription receives no more signals', async () => {
    const [sender, listener] = [process(), process()];
    const [ended, going] = [hear(listener), hear(listener)];
    await reach(sender, ended.heard, 'first');
    ended.end();
    await reach(sender, going.heard, 'second');
    expect(ended.heard).not.toContain('second');
  });

  test('a listener that lost its connection listens again once the store is back', async () => {
    const [sender, far] = [process(), hear(process({ behindGate: true }))];
    await reach(sender, far.heard, 'first');
    gate.set('shut');
    await sender.publish('answered', ['lost']);
    gate.set('open');
    await reach(sender, far.heard, 'second');
    expect(far.heard).not.toContain('lost');
  }, 30_000);

  test('a listener whose connection went silent listens again', async () => {
    const [sender, far] = [process(), hear(process({ behindGate: true }))];
    await reach(sender, far.heard, 'first');
    gate.set('half-open');
    expect(await ownTimeOf(() => reach(sender, far.heard, 'second'))).toBeLessThan(15_000);
  }, 30_000);

  test.each(['shut', 'mute'] as const)(
    'publishing while the store is away (%s) ends in time and does not throw',
    async (state) => {
      const far = process({ behindGate: true });
      await far.publish('answered', ['first']);
      gate.set(state);
      await far.publish('answered', ['lost']);
      expect(errors.length).toBeGreaterThan(0);
      gate.set('open');
      const near = hear(process());
      await reach(far, near.heard, 'second');
    },
    30_000,
  );
});

test('a listener whom Redis refused at first listens once Redis accepts it', async () => {
  const redis = await startRedis();
  const operator = new Redis(redis.url);
  await operator.config('SET', 'requirepass', 's3cret');
  const at = (redisUrl: string) => ({ redisUrl, databaseUrl: 'postgres://nowhere', prefix: 'x' });
  const refusals: Error[] = [];
  const [sender, refused] = [
    openSignals({ ...at(redis.url.replace('//', '//:s3cret@')), onError: () => {} }),
    openSignals({ ...at(redis.url), onError: (error) => refusals.push(error) }),
  ];
  const heard: string[] = [];
  refused.subscribe('answered', (ids) => heard.push(...ids));
  await eventually(() => expect(refusals.join()).toContain('NOAUTH'));
  await operator.config('SET', 'requirepass', '');
  operator.disconnect();
  await eventually(async () => {
    await sender.publish('answered', ['news']);
    expect(heard).toContain('news');
  });
  await Promise.all([sender.close(), refused.close()]);
  await redis.stop();
});

test('while no stream runs, an answer notifies nobody on Postgres; from its first moment, a stream is notified', async () => {
  const database = await testDatabase();
  const signals = openSignals({ databaseUrl: database.url, prefix: 'x', onError: () => {} });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const heard: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  await client.query('LISTEN pts_answered');
  await signals.publish('answered', ['before']);
  await leaseStream(database.url, new Date(Date.now() - 60_000));
  await signals.publish('answered', ['after a stream that ended without its process']);
  await leaseStream(database.url);
  // It may be lost while the store is paused.
  await eventually(async () => {
    await signals.publish('answered', ['during']);
    expect(heard).toContain('during');
  });
  expect(new Set(heard)).toEqual(new Set(['during']));
  await client.end();
  await signals.close();
  await database.close();
});
