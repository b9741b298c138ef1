import type { Provider } from '@pts/carriers/provider';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { type Db, openDatabase } from '@pts/db/connection';
import type { Registration } from '@pts/db/trackings/register';
import { queryQueue } from '@pts/queue/catalog';
import { createProducer, type Producer } from '@pts/queue/wake';
import { PATIENT, type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount } from '@pts/testing/factories';
import { testQueue } from '@pts/testing/queue';
import { registerMany, registerTracking, registerWhatFits } from './register.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const PROVIDERS = [provider('in-pairs', 2, ['yto']), provider('one-by-one', 1, ['zto'])];

let database: TestDatabase;
let db: Db;
let queue: Awaited<ReturnType<typeof testQueue>>;
let producer: Producer;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 8, ...PATIENT });
  queue = await testQueue('redis', '');
  producer = createProducer(queue, () => {});
}, 60_000);
afterAll(async () => {
  await producer.close();
  await queue.close();
  await db.$disconnect();
  await database.close();
});

function provider(name: string, batchSize: number, carriers: string[]): Provider {
  return {
    name,
    limits: { batchSize, callsPerSecond: 10, concurrency: 1, floorSeconds: 0 },
    serves: (carrier) => carriers.includes(carrier),
  };
}

const context = () => ({
  db,
  producer,
  providers: PROVIDERS,
  sandbox: false,
  now: () => NOW,
  quotas: { free: 0, pro: 0, enterprise: 0 },
});

async function accountWith(quotaOverride: number): Promise<Account> {
  const id = await newAccount(db, NOW);
  return {
    id,
    name: 'Merchant',
    plan: 'pro',
    quotaOverride,
    disabledAt: null,
    testOf: null,
    include: [],
    language: null,
    attention: null,
    createdAt: NOW,
  };
}

function registration(carrier = 'yto', trackingNumber = freshNumber()): Registration {
  return { trackingNumber, carrier, provider: carrier === 'yto' ? 'in-pairs' : 'one-by-one', detected: false };
}

const items = (registrations: readonly Registration[]) => registrations.map((wanted, given) => ({ given, wanted }));

async function registerAll(ctx: ReturnType<typeof context>, account: Account, registrations: readonly Registration[]) {
  const { accepted } = await registerMany(ctx, account, items(registrations));
  return accepted.map(({ tracking }) => tracking);
}

const waiting = async () => [
  await queue.waiting(queryQueue('in-pairs')),
  await queue.waiting(queryQueue('one-by-one')),
];

test('new numbers wake their providers, with one job for each call; known ones wake none', async () => {
  const account = await accountWith(10);
  const registrations = ['yto', 'yto', 'zto', 'yto', 'zto'].map((carrier) => registration(carrier));
  await registerAll(context(), account, registrations);
  await eventually(async () => expect(await waiting()).toEqual([2, 2]));
  const again = await registerAll(context(), account, registrations);
  expect(again.map(({ created }) => created)).not.toContain(true);
  // Wake-ups are sent in their order: none is between those of before and this one.
  await registerAll(context(), account, [registration()]);
  await eventually(async () => expect(await waiting()).toEqual([3, 2]));
});

const registrations = (count: number) => Array.from({ length: count }, () => registration());

test('bulk calls that come at the same time share a statement, and each gets its own trackings', async () => {
  const account = await accountWith(10);
  const calls = [registrations(2), registrations(3), registrations(1)];
  const trackings = await Promise.all(calls.map((call) => registerAll(context(), account, call)));
  const numbers = (lists: readonly { trackingNumber: string }[][]) =>
    lists.map((list) => list.map(({ trackingNumber }) => trackingNumber));
  expect(numbers(trackings)).toEqual(numbers(calls));
  expect(await quotaUsed(db, account.id, NOW)).toBe(6);
  // One statement is one transaction, which stamps every row with its id.
  const written = await db.$queryRaw<{ count: number }[]>`
    SELECT count(DISTINCT xmin::text)::int AS count FROM public.trackings WHERE account_id = ${account.id}`;
  expect(written).toEqual([{ count: 1 }]);
});

test('of bulk calls that share a statement, only those fail that the quota is too small for', async () => {
  const account = await accountWith(5);
  const calls = [registrations(2), registrations(4), registrations(3)];
  const outcomes = await Promise.allSettled(calls.map((call) => registerAll(context(), account, call)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { error: 'quota_exhausted' } });
  expect(await quotaUsed(db, account.id, NOW)).toBe(5);
});

test('a tracking that is missing in a shared statement does not give a call the trackings of another', async () => {
  const account = await accountWith(10);
  const calls = [registrations(1), registrations(1), registrations(1)];
  const missing = calls[1]?.[0]?.trackingNumber;
  const losing = openDatabase({ url: database.url, poolSize: 1, ...PATIENT });
  /** A row that is stored has the id that its registration got; one that is found, its number. */
  const lost = new Set<string | undefined>([missing]);
  const found = (row: { id?: string; trackingNumber?: string }) => !lost.has(row.id) && !lost.has(row.trackingNumber);
  const { $hot: send, $queryRaw: query } = losing;
  Object.assign(losing, {
    $hot: async (...[text, values, how]: Parameters<Db['$hot']>) => {
      const sent = text.includes('INSERT INTO public.trackings') ? JSON.parse(values[0] as string) : [];
      for (const { id, tracking_number: number } of sent) if (number === missing) lost.add(id);
      return (await send(text, values, how)).filter(found);
    },
    $queryRaw: async (...sql: Parameters<typeof query>) =>
      ((await query.apply(losing, sql)) as { trackingNumber?: string }[]).filter(found),
  });
  const outcomes = await Promise.allSettled(
    calls.map((call) => registerAll({ ...context(), db: losing }, account, call)),
  );
  const numbers = outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.map(({ trackingNumber }) => trackingNumber) : 'failed',
  );
  expect(numbers).toEqual([[calls[0]?.[0]?.trackingNumber], 'failed', [calls[2]?.[0]?.trackingNumber]]);
  await losing.$disconnect();
});

test('a refusal wakes no provider', async () => {
  const before = await waiting();
  const input = { tracking_number: freshNumber() };
  await expect(registerTracking(context(), await accountWith(0), input)).rejects.toMatchObject({
    error: 'quota_exhausted',
  });
  expect(await waiting()).toEqual(before);
});

describe('the merchant’s fields of a known number', () => {
  const OLD = { title: 'Old', orderId: 'A-1', metadata: { a: '1', b: '2' } };
  test.each<[what: string, given: Partial<Registration>, stored: Partial<Registration>, updated: boolean]>([
    ['none: all stay', {}, OLD, false],
    ['the same ones, in another order: nothing changes', { metadata: { b: '2', a: '1' } }, OLD, false],
    ['another one: it is replaced, the others stay', { title: 'New' }, { ...OLD, title: 'New' }, true],
    ['a further one: it is added', { phone: '5678' }, { ...OLD, phone: '5678' }, true],
    ['other metadata: they are replaced as a whole', { metadata: { c: '3' } }, { ...OLD, metadata: { c: '3' } }, true],
  ])('%s', async (_what, given, stored, updated) => {
    const account = await accountWith(1);
    const number = registration();
    await registerAll(context(), account, [{ ...number, ...OLD }]);
    const [again] = await registerAll(context(), account, [{ ...number, ...given }]);
    expect(again).toMatchObject({ ...stored, created: false, updated });
    expect(await db.tracking.findUniqueOrThrow({ where: { id: again?.id ?? '' } })).toMatchObject(stored);
  });

  test('of several in one call, the last counts, also where the first has created it', async () => {
    const account = await accountWith(1);
    const number = registration();
    const given = [
      { ...number, title: 'A' },
      { ...number, title: 'B', phone: '5678' },
      { ...number, title: 'C' },
    ];
    const all = await registerAll(context(), account, given);
    expect(all).toMatchObject(given.map((_, n) => ({ title: 'C', phone: '5678', created: n === 0, updated: n > 0 })));
    expect(await db.tracking.findUniqueOrThrow({ where: { id: all[0]?.id ?? '' } })).toMatchObject({ title: 'C' });
  });
});

describe('registering as many as fit', () => {
  test('two parts that compete for the last units get exactly these together', async () => {
    const account = await accountWith(5);
    const parts = await Promise.all(
      [1, 2].map(() => registerWhatFits(context(), account, items(Array.from({ length: 10 }, () => registration())))),
    );
    expect(parts.flatMap(({ accepted }) => accepted)).toHaveLength(5);
    expect(parts.flatMap(({ refused }) => refused.map(({ error }) => error.error))).toEqual(
      Array.from({ length: 15 }, () => 'quota_exhausted'),
    );
    expect(await quotaUsed(db, account.id, NOW)).toBe(5);
  });

  test('a number that is given twice uses one unit, and both entries get its tracking', async () => {
    const account = await accountWith(2);
    const [twice, other, tooMany] = [registration(), registration(), registration()];
    const { accepted, refused } = await registerWhatFits(context(), account, items([twice, twice, other, tooMany]));
    expect(accepted.map(({ given }) => given)).toEqual([0, 1, 2]);
    expect(new Set(accepted.map(({ tracking }) => tracking.id)).size).toBe(2);
    expect(accepted[0]?.tracking.created).toBe(true);
    expect(refused).toMatchObject([{ given: 3, error: { error: 'quota_exhausted' } }]);
  });
});
