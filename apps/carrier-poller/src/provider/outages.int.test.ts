import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/claim';
import { freshNumber } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { sweepDue } from '../schedule/sweep.ts';
import { failed, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const fine = () => found(scan(0, 'in_transit'));

/** Several processes that query one carrier: each knows only its own failures and what it read from the database. */
async function carrierWithOutage(
  name: string,
  answer: () => CarrierAnswer | Promise<CarrierAnswer>,
  parcels = 1,
  limits = {},
) {
  const account = await poller.account(['tracking_update']);
  for (let n = 0; n < parcels; n++) await poller.watch(account, freshNumber(), { provider: name });
  const process = (others = {}) => {
    const provider = scriptedProvider(answer, { name, batchSize: 1, ...limits, ...others });
    const deps = poller.depsFor(provider);
    const claim = (isProbe = false) =>
      claimChecks(poller.db, { provider: name, limit: 1, cadence: deps.cadence, now: poller.clock.now(), isProbe });
    const claimAll = () =>
      claimChecks(poller.db, { provider: name, limit: 99, cadence: deps.cadence, now: poller.clock.now() });
    return { provider, deps, claim, claimAll, ask: async () => query(deps, { claimed: await claim() }) };
  };
  const pause = () => poller.db.providerPause.findUnique({ where: { provider: name } });
  return {
    process,
    pause,
    pausedSeconds: async () => {
      const until = (await pause())?.pausedUntil;
      return until ? (until.getTime() - poller.clock.now().getTime()) / 1000 : null;
    },
    checks: () => poller.db.check.findMany({ where: { provider: name }, orderBy: { nextCheckAt: 'asc' } }),
  };
}

test('the fifth moment of failed calls in a row opens the breaker, over all processes; no parcel fails', async () => {
  const { process, pausedSeconds, checks } = await carrierWithOutage('breaker', () => failed('transient'), 6);
  const [one, two] = [process(), process()];
  for (const each of [one, two, one, two]) {
    await each.ask();
    poller.clock.pass(5);
  }
  expect(await pausedSeconds()).toBeNull();
  await one.ask();
  expect(await pausedSeconds()).toBe(30);
  expect(await two.claim()).toEqual([]);
  const rows = await checks();
  expect(rows).toHaveLength(6);
  expect(rows.map(({ fingerprint }) => fingerprint)).toEqual(Array(6).fill(null));
  // Every queried check becomes due again when its provider may be queried, none only after its lease.
  for (const row of rows) expect(row.nextCheckAt.getTime() - poller.clock.now().getTime()).toBeLessThanOrEqual(30_000);
});

test('parcels that fail while others are answered never pause their provider, and keep the regular interval', async () => {
  const { process, pause, checks } = await carrierWithOutage('five-bad', fine, 10);
  const bad = new Set((await checks()).slice(0, 5).map(({ trackingNumber }) => trackingNumber));
  const provider = scriptedProvider(({ number }) => (bad.has(number) ? failed('transient') : fine()), {
    name: 'five-bad',
    batchSize: 1,
  });
  const deps = poller.depsFor(provider);
  for (let round = 0; round < 10; round++) {
    const due = await process().claimAll();
    expect(due).toHaveLength(10);
    // In either order: failing first, and answered first.
    const isBad = (n: number) => bad.has(due[n]?.trackingNumber ?? '') === (round % 2 === 0);
    const order = [...due.keys()].sort((a, b) => Number(isBad(b)) - Number(isBad(a)));
    for (const n of order) await query(deps, { claimed: due.slice(n, n + 1) });
    expect((await pause())?.pausedUntil ?? null).toBeNull();
    for (const row of await checks()) {
      expect(row.failure).toBe(bad.has(row.trackingNumber) ? 'transient' : null);
      const seconds = (row.nextCheckAt.getTime() - poller.clock.now().getTime()) / 1000;
      // Until this process has seen a success, it may be the provider: then they are checked again soon.
      expect(seconds).toBeGreaterThanOrEqual(round === 0 && row.failure ? 30 : 270);
    }
    // Late enough that all of them are due, whenever their permits are.
    poller.clock.pass(451);
  }
  expect(provider.calls.filter(([number = '']) => bad.has(number))).toHaveLength(50);
});

test('after the pause, one probe is sent across all processes; until it is answered there is no other call', async () => {
  const { process, pausedSeconds } = await carrierWithOutage('probe', () => failed('rate_limited', 60), 9);
  const [one, two] = [process(), process()];
  await one.ask();
  expect(await pausedSeconds()).toBe(60);
  await sweepDue(two.deps);
  expect(await poller.producer.waiting('query-probe')).toBe(0);
  poller.clock.pass(61);
  await Promise.all([one, two, one, two].map(({ deps }) => sweepDue(deps)));
  expect(await poller.producer.waiting('query-probe')).toBe(1);
  expect(await two.claim()).toEqual([]);
  // A probe that is never answered is repeated.
  poller.clock.pass(61);
  await sweepDue(two.deps);
  expect(await poller.producer.waiting('query-probe')).toBe(2);
});

test('a probe that succeeds ends the outage, one that fails doubles the pause, up to 15 minutes', async () => {
  let answer: CarrierAnswer = failed('transient');
  const { process, pause, pausedSeconds } = await carrierWithOutage('recovery', () => answer, 9);
  const { deps, claim, ask } = process();
  for (let n = 0; n < 5; n++) {
    poller.clock.pass(5);
    await ask();
  }
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    expect(await pausedSeconds()).toBe(seconds);
    poller.clock.pass(seconds + 1);
    await query(deps, { claimed: await claim(true) });
  }
  expect(await pausedSeconds()).toBe(900);
  poller.clock.pass(901);
  answer = fine();
  await query(deps, { claimed: await claim(true) });
  expect(await pause()).toBeNull();
  await sweepDue(deps);
  expect(await poller.producer.waiting('query-recovery')).toBeGreaterThan(1);
});

test('a daily budget applies to all processes together; further calls wait for the next UTC day', async () => {
  const { process, pause, checks } = await carrierWithOutage('budget', fine, 8, { dailyBudget: 3 });
  const processes = [process(), process(), process(), process()];
  const claims = [];
  for (let n = 0; n < 8; n++) claims.push(await processes[0]?.claim());
  await Promise.all(
    claims.map((claimed = [], n) => query((processes[n % 4] as (typeof processes)[0]).deps, { claimed })),
  );
  expect(processes.flatMap(({ provider }) => provider.calls)).toHaveLength(3);
  const midnight = new Date('2031-04-06T00:00:00Z');
  expect((await pause())?.pausedUntil).toEqual(midnight);
  const waiting = (await checks()).filter(({ fingerprint }) => fingerprint === null);
  expect(waiting.map(({ nextCheckAt }) => nextCheckAt)).toEqual(Array(5).fill(midnight));
  poller.clock.pass((midnight.getTime() - poller.clock.now().getTime()) / 1000 + 1);
  await query(processes[1]?.deps ?? process().deps, { claimed: (await processes[1]?.claim(true)) ?? [] });
  expect(processes.flatMap(({ provider }) => provider.calls)).toHaveLength(4);
});
