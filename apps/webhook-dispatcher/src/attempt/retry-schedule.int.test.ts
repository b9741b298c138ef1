import { type Db, openDatabase } from '@pts/db/connection';
import { PATIENT } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startRelay } from '@pts/testing/network-faults';
import { createDispatcherMetrics } from '../process/metrics.ts';
import { type Merchant, startTestDispatch, type TestDispatch } from '../testing/test-dispatcher.ts';

/** Seconds before each attempt (spec section 6.4), written out. */
const SCHEDULE = [0, 30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 30720, 61440, 122880];

describe('the retry schedule, with a manual clock', () => {
  let given: TestDispatch;
  let merchant: Merchant;
  let witness: Merchant;
  let at: Date;
  beforeEach(async () => {
    given = await startTestDispatch('redis');
    at = new Date();
    merchant = await given.merchant(() => ({ status: 503 }));
    witness = await given.merchant();
    await given.owe(merchant, 1, at);
  }, 30_000);
  afterEach(() => given.close(), 30_000);

  const now = () => at;
  const attempts = () =>
    given.db.deliveryAttempt.findMany({ where: { accountId: merchant.accountId }, orderBy: { id: 'asc' } });
  /** Resolves once attempt `n` is on disk, and nothing else. @returns its record. */
  const attempted = (n: number) =>
    eventually(async () => {
      const made = await attempts();
      expect(made.map(({ attempt }) => attempt)).toEqual(Array.from({ length: n }, (_, i) => i + 1));
      return made[n - 1] as (typeof made)[number];
    });
  /** Waits until everything due by now was found: two later events, without a wake-up, have arrived. */
  const allIsFound = async () => {
    for (let n = 0; n < 2; n++) {
      const seen = witness.receiver.requests.length;
      await given.owe(witness, 1, at);
      await eventually(() => expect(witness.receiver.requests).toHaveLength(seen + 1));
    }
  };

  test('has fourteen attempts at the delays of the spec, not a millisecond early, and no fifteenth', async () => {
    given.dispatch({ now });
    let last = await attempted(1);
    for (let n = 2; n <= SCHEDULE.length; n++) {
      const due = last.nextAttemptAt ?? at;
      at = new Date(due.getTime() - 1);
      await allIsFound();
      await attempted(n - 1);
      at = due;
      const next = await attempted(n);
      const delay = (next.startedAt.getTime() - last.startedAt.getTime()) / 1000;
      expect(Math.abs(delay / (SCHEDULE[n - 1] ?? 0) - 1)).toBeLessThan(0.01);
      last = next;
    }
    expect(last.nextAttemptAt).toBeNull();
    at = new Date(at.getTime() + 1_000_000_000);
    await allIsFound();
    expect(await given.states(merchant)).toEqual({ exhausted: 1 });
    expect(sentAttempts(merchant)).toEqual(SCHEDULE.map((_, index) => index + 1));
  }, 120_000);

  test('is not changed by faults of our own: the database away before and after a push, the worker gone', async () => {
    const relay = await startRelay(given.databaseUrl);
    const db: Db = openDatabase({ url: relay.url, poolSize: 5, ...PATIENT });
    let cutBy = 0;
    const faulty = await given.merchant(async ({ headers }) => {
      // The receiver has it, and the dispatcher cannot record it.
      if (Number(headers['x-webhook-attempt']) === cutBy) await relay.cut();
      cutBy = 0;
      return { status: 503 };
    });
    await given.db.delivery.deleteMany();
    merchant = faulty;
    const [endpoint] = await given.owe(faulty, 1, at);
    if (!endpoint) throw new Error('nothing is owed');
    const metrics = createDispatcherMetrics();
    const faults = async () => (await metrics.jobFaults.get()).values.reduce((sum, { value }) => sum + value, 0);
    /** Resolves once the job has failed with an internal error; until then the database stays unavailable. */
    const hasFailed = async (before: number) => {
      await eventually(async () => expect(await faults()).toBeGreaterThan(before));
      await relay.restore();
    };
    let dispatcher = given.dispatch({ db, now, metrics });
    let last = await attempted(1);
    for (let n = 2; n <= SCHEDULE.length; n++) {
      const failed = await faults();
      if (n === 4) await relay.cut();
      if (n === 6) cutBy = n;
      if (n === 9) await dispatcher.stop();
      at = last.nextAttemptAt ?? at;
      if (n === 4) await given.producer.deliver([endpoint]);
      if (n === 4 || n === 6) await hasFailed(failed);
      if (n === 9) dispatcher = given.dispatch({ db, now, metrics });
      const next = await attempted(n);
      expect((next.startedAt.getTime() - last.startedAt.getTime()) / 1000).toBeCloseTo(SCHEDULE[n - 1] ?? 0, 1);
      last = next;
    }
    expect(last.nextAttemptAt).toBeNull();
    expect(await given.states(faulty)).toEqual({ exhausted: 1 });
    // What the receiver had answered when the database became unavailable was recorded afterwards, and not sent again.
    expect(sentAttempts(faulty)).toEqual(SCHEDULE.map((_, index) => index + 1));
    await dispatcher.stop();
    await db.$disconnect();
    await relay.close();
  }, 120_000);
});

function sentAttempts({ receiver }: Merchant): number[] {
  return receiver.requests.map(({ headers }) => Number(headers['x-webhook-attempt']));
}
