import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { leaseLongStream } from '@pts/testing/factories';
import { startPgBouncer, type TestPgBouncer } from '@pts/testing/servers/pgbouncer';
import pg from 'pg';
import { openQueue } from '../connection.ts';
import { readDepths } from '../operate.ts';
import { openSignals } from '../signals.ts';
import { createProducer, receiveWakeUps } from '../wake.ts';

/** PgBouncer in transaction mode, otherwise with its defaults. */
describe('behind a transaction pooler', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let pooler: TestPgBouncer;
  let notices: string[] = [];
  let errors: Error[] = [];
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    await leaseLongStream(database.url);
    pooler = await startPgBouncer(database.url);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.close();
  });
  beforeEach(() => {
    [notices, errors] = [[], []];
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    expect(errors).toEqual([]);
  });

  const place = (directDatabaseUrl?: string) => ({
    databaseUrl: pooler.url,
    directDatabaseUrl,
    prefix: '{x}',
    patienceMs: 60_000,
    onError: (error: Error) => errors.push(error),
    onInfo: (text: string) => notices.push(text),
  });
  async function work(directDatabaseUrl?: string) {
    const queue = await openQueue(place(directDatabaseUrl));
    ends.push(queue.close);
    const producer = createProducer(queue, (error) => errors.push(error as Error));
    ends.push(producer.close);
    const seen: string[] = [];
    const deliver = ({ webhookId }: { webhookId: string }) => void seen.push(webhookId);
    const receiver = receiveWakeUps<'deliver'>(queue, 'deliver', { deliver }, (e) => errors.push(e));
    ends.push(receiver.close);
    return { queue, producer, seen };
  }
  const signalsOf = (directDatabaseUrl?: string) => {
    const signals = openSignals(place(directDatabaseUrl));
    ends.push(signals.close);
    return signals;
  };
  const ADVICE = expect.stringContaining('Set DIRECT_DATABASE_URL to the PostgreSQL server itself');

  test('every wake-up is received, and one line says how that would be at once', async () => {
    const { queue, producer, seen } = await work();
    const ids = Array.from({ length: 100 }, (_, i) => String(i));
    for (const webhookId of ids)
      expect(await producer.deliver([{ webhookId, accountId: 'a', isFailing: false }])).toBe(true);
    await eventually(() => expect(seen.toSorted()).toEqual(ids.toSorted()));
    expect(await readDepths(queue, ['deliver'])).toMatchObject([{ waiting: 0 }]);
    await eventually(() => expect(notices).toEqual([ADVICE]));
  });

  test('none of our settings stays on connections that others use', async () => {
    const { producer } = await work();
    await producer.deliver([{ webhookId: 'a', accountId: 'a', isFailing: false }]);
    const signals = signalsOf();
    await signals.publish('answered', ['a']);
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    const { rows } = await client.query('SHOW search_path');
    const listening = await client.query('SELECT * FROM pg_listening_channels()');
    await client.end();
    expect(rows).toEqual([{ search_path: '"$user", public' }]);
    expect(listening.rows).toEqual([]);
  });

  test('with a direct address for listening, jobs and signals are notified', async () => {
    const { producer, seen } = await work(database.url);
    const [sender, receiver] = [signalsOf(), signalsOf(database.url)];
    const heard: string[] = [];
    receiver.subscribe('answered', (ids) => heard.push(...ids));
    await eventually(async () => {
      await sender.publish('answered', ['a']);
      expect(heard).toContain('a');
    });
    await producer.deliver([{ webhookId: 'a', accountId: 'a', isFailing: false }]);
    await eventually(() => expect(seen).toEqual(['a']));
    expect(notices).toEqual([]);
  });

  test('a listener for signals reports that it receives none', async () => {
    signalsOf().subscribe('answered', () => {});
    await eventually(() => expect(notices).toEqual([ADVICE]));
  });
});
