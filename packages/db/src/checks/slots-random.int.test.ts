import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import fc from 'fast-check';
import { checkSoon } from '../subscriptions.ts';
import { useMonitoredInterval } from '../testing/monitored.ts';
import { keysOf, parcelsOf } from '../testing/parcel-keys.ts';
import { findByIds, retrack, updateTracking } from '../trackings/records.ts';
import { claimChecks, followCadence, giveBackChecks, moveDueChecks, takeDue } from './schedule.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

const START = new Date('2031-04-05T06:00:00Z');
const PARCELS = 12;
const OPERATIONS = [
  'claim',
  'claim',
  'claim',
  'wake',
  'lose',
  'give back',
  'retrack',
  'callback in doubt',
  'move',
  'other carrier',
  'webhook on',
  'webhook off',
  'pause',
  'follow',
] as const;
type Operation = (typeof OPERATIONS)[number];
type Step = { operation: Operation; seconds: number; who: number };

const steps = fc.array(
  fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    seconds: fc.integer({ min: 0, max: 200 }),
    who: fc.nat({ max: PARCELS - 1 }),
  }),
  { minLength: 30, maxLength: 60 },
);

let runs = 0;

/** Two providers of a carrier, an account whose webhook comes and goes, and a clock. */
async function world(floors: readonly [number, number]) {
  runs += 1;
  const providers = [`one-${runs}`, `two-${runs}`] as const;
  const floorOf = (provider: string) => floors[provider === providers[0] ? 0 : 1];
  const account = await newAccount(db, START);
  const numbers = Array.from({ length: PARCELS }, freshNumber);
  const ids = await newTrackings(db, account, numbers, START, { provider: providers[0] });
  let atMs = START.getTime();
  const now = () => new Date(atMs);
  const requested = new Map<string, number>();
  const claimOf = (provider: string) => ({
    provider,
    limit: 100,
    cadence: { monitoredSeconds: 300, idleSeconds: 1000, floorSeconds: floorOf(provider) },
    now: now(),
  });
  /** Every check is made at once, and its first answer is stored. */
  const ask = async (provider: string, checks: readonly { trackingId: string; trackingNumber: string }[]) => {
    for (const { trackingNumber } of checks) {
      const key = `${provider} ${trackingNumber}`;
      const since = (atMs - (requested.get(key) ?? Number.NEGATIVE_INFINITY)) / 1000;
      if (since < floorOf(provider)) throw new Error(`${key} was checked again after ${since} s`);
      requested.set(key, atMs);
    }
    const trackingId = { in: checks.map((check) => check.trackingId) };
    await db.check.updateMany({ where: { trackingId, fingerprint: null }, data: { fingerprint: 'seen' } });
  };
  const enable = {
    accountId: account,
    monitoredSeconds: 300,
    floors: Object.fromEntries(providers.map((provider) => [provider, floorOf(provider)])),
  };
  const webhook = (enabled: boolean) => db.webhook.updateMany({ where: { accountId: account }, data: { enabled } });
  await newWebhook(db, account, START);

  const operate: Record<Operation, (id: string, provider: string, other: string) => Promise<unknown>> = {
    claim: async (_id, provider) => ask(provider, await claimChecks(db, claimOf(provider))),
    wake: async (id, provider) => ask(provider, await claimChecks(db, claimOf(provider), await parcelsOf(db, [id]))),
    // The poller dies; whether its calls were made is not known.
    lose: async (_id, provider) => ask(provider, (await takeDue(db, claimOf(provider))).checks),
    'give back': async (_id, provider) => {
      const checks = await claimChecks(db, claimOf(provider));
      await giveBackChecks(db, provider, checks, new Date(atMs + 20_000));
    },
    retrack: async (id, provider) => {
      await db.tracking.update({ where: { id }, data: { retrackedAt: null } });
      await retrack(db, { accountId: account, id, floorSeconds: floorOf(provider), now: now() });
    },
    'callback in doubt': async (id, provider) => checkSoon(db, await keysOf(db, [id]), floorOf(provider), now()),
    move: (_id, provider, other) =>
      moveDueChecks(db, {
        provider,
        limit: 3,
        now: now(),
        overdueSeconds: 0,
        to: ['yto', 'sto'].map((carrier) => ({ carrier, provider: other, floorSeconds: floorOf(other) })),
      }),
    'other carrier': async (id, provider, other) => {
      const { carrier } = await db.tracking.findUniqueOrThrow({ where: { id } });
      const to = atMs % 2000 === 0 ? provider : other;
      const next = { carrier: carrier === 'yto' ? 'sto' : 'yto', provider: to, detected: true };
      const move = { ...next, floorSeconds: floorOf(to) };
      await updateTracking(db, { accountId: account, id, change: { move }, now: now() });
    },
    'webhook on': async () => {
      await webhook(true);
      await useMonitoredInterval(db, { ...enable, now: now() });
    },
    'webhook off': () => webhook(false),
    pause: async (_id, provider) => {
      const state = { failures: 5, pausedUntil: new Date(atMs + 100_000), reason: 'test', updatedAt: now() };
      await db.providerPause.upsert({ where: { provider }, create: { provider, ...state }, update: state });
    },
    follow: (_id, provider) => followCadence(db, provider, claimOf(provider).cadence, now()),
  };
  const records = async () => findByIds(db, account, ids);
  return {
    requested,
    now,
    /**
     * Claims everything due, and verifies that these are the checks whose records say so, and at most others of late
     * slots.
     */
    claimAll: async () => {
      // Probes succeed.
      await db.providerPause.deleteMany({ where: { provider: { in: [...providers] }, pausedUntil: { lte: now() } } });
      const leased = await db.checkSlot.count({ where: { provider: { in: [...providers] }, leasedAt: { not: null } } });
      const due = (await records()).filter(({ nextCheckAt }) => nextCheckAt !== null && nextCheckAt <= now());
      const late = await db.$queryRaw<{ id: string }[]>`
        SELECT tracking_id AS id FROM public.checks JOIN public.check_slots USING (provider, ring, slot) WHERE due_at < ${now()}`;
      const claimed: { trackingId: string }[] = [];
      for (const provider of providers) {
        const checks = await claimChecks(db, claimOf(provider));
        await ask(provider, checks);
        claimed.push(...checks);
      }
      // Until the lease of a dead poller ends, the records say when its checks would have been due next.
      if (leased === 0) {
        const ids = claimed.map(({ trackingId }) => trackingId);
        const expected = due.map(({ id }) => id);
        expect(ids).toEqual(expect.arrayContaining(expected));
        expect([...expected, ...late.map(({ id }) => id)]).toEqual(expect.arrayContaining(ids));
      }
    },
    step: async ({ operation, seconds, who }: Step) => {
      atMs += seconds * 1000;
      const id = ids[who] ?? '';
      const { provider } = await db.tracking.findUniqueOrThrow({ where: { id } });
      await operate[operation](id, provider, provider === providers[0] ? providers[1] : providers[0]);
    },
    pass: (seconds: number) => {
      atMs += seconds * 1000;
    },
    records,
  };
}

test('whatever happens, every floor is respected, no check stalls and the records are correct', async () => {
  const floors = fc.constantFrom<[number, number]>([0, 0], [120, 30], [600, 0], [300, 1500]);
  await fc.assert(
    fc.asyncProperty(steps, floors, async (taken, given) => {
      const { step, claimAll, pass, records, now, requested } = await world(given);
      for (const each of taken) {
        await step(each);
        if (each.who % 3 === 0) await claimAll();
      }
      // All leases and pauses have ended.
      pass(1600);
      const from = now().getTime();
      for (let n = 0; n < 25; n++) {
        await claimAll();
        pass(120);
      }
      for (const { trackingNumber, provider } of await records())
        expect(requested.get(`${provider} ${trackingNumber}`)).toBeGreaterThan(from + 600_000);
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 120_000);
