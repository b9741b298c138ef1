import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { DeadlineError } from '@pts/db/pool';
import type { Registration } from '@pts/db/trackings/register';
import { openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { registerMany } from './register.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const MANY = 25;

const { db, close } = await openTestDatabase(4);
afterAll(close);

const PROVIDER = {
  name: 'scripted',
  limits: { batchSize: 40, callsPerSecond: 10, concurrency: 1, floorSeconds: 0 },
  serves: () => true,
};

/** Records the wake-ups of the pollers, one list per call; a call takes as long as `enqueue`. */
function setUp({ enqueue = async () => {} }: { enqueue?: () => Promise<void> } = {}) {
  const wakes: string[][] = [];
  const { producer } = recordingProducer({
    query: async (_provider, jobs) => {
      wakes.push(jobs.flatMap((job) => ('ids' in job ? job.ids : [])));
      await enqueue();
      return true;
    },
  });
  const quotas = { free: 0, pro: 0, enterprise: 0 };
  const ctx = { db, producer, providers: [PROVIDER], quotas, now: () => NOW };
  const register = async (account: Account, registration: Registration, ms = db.$statementMs) => {
    const { accepted } = await registerMany({ ...ctx, db: db.$within(ms) }, account, [
      { given: 0, wanted: registration },
    ]);
    if (!accepted[0]) throw new Error('it came back without a tracking');
    return accepted[0].tracking;
  };
  return { wakes, register };
}

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

const registration = (more: Partial<Registration> = {}): Registration => ({
  trackingNumber: freshNumber(),
  carrier: 'yto',
  provider: 'scripted',
  detected: false,
  ...more,
});
const several = (count: number) => Array.from({ length: count }, () => registration());

test('concurrent registrations of an account share a statement, and each gets its own tracking', async () => {
  const { register, wakes } = setUp();
  const account = await accountWith(1000);
  const given = several(MANY);
  const trackings = await Promise.all(given.map((each) => register(account, each)));
  expect(trackings.map(({ trackingNumber }) => trackingNumber)).toEqual(given.map((each) => each.trackingNumber));
  expect(await quotaUsed(db, account.id, NOW)).toBe(MANY);
  // One statement is one transaction, which stamps every row with its id.
  const written = await db.$queryRaw<{ count: number }[]>`
    SELECT count(DISTINCT xmin::text)::int AS count FROM public.trackings WHERE account_id = ${account.id}`;
  expect(written).toEqual([{ count: 1 }]);
  expect(wakes).toEqual([trackings.map(({ id }) => id)]);
});

test('registrations that compete for the last units of a quota get exactly these, in order of arrival', async () => {
  const { register } = setUp();
  const account = await accountWith(10);
  const known = registration();
  await register(account, known);
  const given = [...several(12), known];
  const outcomes = await Promise.allSettled(given.map((each) => register(account, each)));
  const fulfilled = outcomes.map(({ status }) => status === 'fulfilled');
  expect(fulfilled).toEqual([...given.keys()].map((place) => place < 9 || place === 12));
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ error: 'quota_exhausted' });
  expect(await quotaUsed(db, account.id, NOW)).toBe(10);
});

test('a registration that cannot be stored fails alone', async () => {
  const { register } = setUp();
  const account = await accountWith(10);
  const [good, bad, other] = [registration(), registration({ title: 'x'.repeat(201) }), registration()];
  const outcomes = await Promise.allSettled([good, bad, other].map((each) => register(account, each)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await quotaUsed(db, account.id, NOW)).toBe(2);
});

test('the same number, sent several times at once, is one tracking and one unit', async () => {
  const { register, wakes } = setUp();
  const account = await accountWith(10);
  const twice = registration();
  const trackings = await Promise.all([twice, twice, twice].map((each) => register(account, each)));
  expect(new Set(trackings.map(({ id }) => id)).size).toBe(1);
  expect(trackings.map(({ created }) => created)).toEqual([true, false, false]);
  expect(await quotaUsed(db, account.id, NOW)).toBe(1);
  expect(wakes).toHaveLength(1);
});

test('accounts do not wait for each other: a locked account delays only its own requests', async () => {
  const { register } = setUp();
  const [locked, free] = [await accountWith(10), await accountWith(10)];
  await register(locked, registration());
  let held: Promise<unknown> = Promise.resolve();
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM public.quota_usage WHERE account_id = ${locked.id} FOR UPDATE`;
    held = register(locked, registration());
    await register(free, registration());
  });
  await held;
  expect(await quotaUsed(db, locked.id, NOW)).toBe(2);
});

test('nobody waits for a wake-up, and accounts that register while one is enqueued share the next one', async () => {
  let finish = () => {};
  const enqueued = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { register, wakes } = setUp({ enqueue: () => enqueued });
  const registered = [await register(await accountWith(10), registration())];
  await eventually(() => expect(wakes).toHaveLength(1));
  for (let n = 0; n < 2; n++) registered.push(await register(await accountWith(10), registration()));
  finish();
  await eventually(() => expect(wakes.map((wake) => wake.length)).toEqual([1, 2]));
  expect(new Set(wakes.flat())).toEqual(new Set(registered.map(({ id }) => id)));
});

test('a request that waits for the statement of another waits until its own deadline, and is not registered after that', async () => {
  const { register } = setUp();
  const account = await accountWith(10);
  const known = registration();
  await register(account, known);
  const within = (ms: number) => register(account, registration(), ms);
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'registered',
      (error: unknown) => error,
    );
  const outcomes: Promise<unknown>[] = [];
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM public.quota_usage WHERE account_id = ${account.id} FOR UPDATE`;
    // Two statements hold up the others, and could wait for a minute.
    for (const _ of [1, 2]) {
      outcomes.push(outcome(within(60_000)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const late = outcome(within(200));
    outcomes.push(outcome(within(60_000)));
    expect(await late).toBeInstanceOf(DeadlineError);
  });
  expect(await Promise.all(outcomes)).toEqual(['registered', 'registered', 'registered']);
  expect(await quotaUsed(db, account.id, NOW)).toBe(4);
});
