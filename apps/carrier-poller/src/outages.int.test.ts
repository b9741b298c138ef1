import { startServer, stopServers } from '@pts/carriers/testing/local-server';
import { testProvider } from '@pts/carriers/testing/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/schedule';
import { endPause } from '@pts/db/providers';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { query } from './ask.ts';
import { createPollerMetrics, startFaultsAtZero } from './metrics.ts';
import { sweepDue } from './sweeps.ts';
import {
  failed,
  found,
  openPollerTest,
  type PollerTest,
  recordingLoop,
  scan,
  scriptedProvider,
} from './testing/test-poller.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(async () => {
  await stopServers();
  await poller.close();
});

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

test('a provider whose answers are entirely unreadable is paused; until then its parcels keep their interval', async () => {
  const { process, pause, pausedSeconds, checks } = await carrierWithOutage('garbled', () => failed('unreadable'), 6);
  const [one, two] = [process(), process()];
  for (const each of [one, two, one, two]) {
    await each.ask();
    poller.clock.pass(5);
  }
  expect(await pausedSeconds()).toBeNull();
  for (const row of (await checks()).filter(({ claimedAt }) => claimedAt))
    expect(row.nextCheckAt.getTime() - poller.clock.now().getTime()).toBeGreaterThan(200_000);
  await one.ask();
  expect(await pausedSeconds()).toBe(30);
  expect(await pause()).toMatchObject({ failure: 'unreadable', reason: 'the carrier said unreadable' });
});

test('one parcel whose answers cannot be read does not pause its provider', async () => {
  const { process, pausedSeconds } = await carrierWithOutage('one-garbled', () => failed('unreadable'), 1);
  const one = process();
  for (let n = 0; n < 10; n++) {
    await one.ask();
    poller.clock.pass(400);
  }
  expect(one.provider.calls).toHaveLength(10);
  expect(await pausedSeconds()).toBeNull();
});

test('calls in flight that are refused at the same moment count once, whichever process made them', async () => {
  const { process, pause, pausedSeconds } = await carrierWithOutage('refused', () => failed('transient'), 16);
  const processes = [process(), process()];
  for (let moment = 1; moment <= 3; moment++) {
    await Promise.all(Array.from({ length: 8 }, (_, n) => processes[n % 2]?.ask()));
    expect(await pause()).toMatchObject({ failures: moment, pausedUntil: null });
    poller.clock.pass(moment === 2 ? 30 : 5);
  }
  const opened = await carrierWithOutage('refused-limited', () => failed('rate_limited'), 8);
  const claims = await Promise.all(Array.from({ length: 8 }, () => opened.process().claim()));
  await Promise.all(claims.map((claimed) => query(opened.process().deps, { claimed })));
  expect(await opened.pause()).toMatchObject({ failures: 1 });
  expect(await opened.pausedSeconds()).toBe(120);
  expect(await pausedSeconds()).toBeNull();
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

test('one parcel whose calls all fail does not pause its provider; it is retried soon for two minutes, then at its interval', async () => {
  const { process, pause, checks } = await carrierWithOutage('one-bad', () => failed('transient'));
  const { ask } = process();
  for (let n = 0; n < 12; n++) {
    await ask();
    const [row] = await checks();
    const wait = ((row?.nextCheckAt.getTime() ?? 0) - poller.clock.now().getTime()) / 1000;
    if (n < 4) expect(wait).toBe(30);
    else expect(wait).toBeGreaterThanOrEqual(270);
    poller.clock.pass(n < 4 ? 30 : 330);
  }
  expect(await pause()).toMatchObject({ failures: 5, pausedUntil: null });
});

test('a provider that fails for all of a few parcels is paused within two minutes', async () => {
  const { process, pausedSeconds } = await carrierWithOutage('few', () => failed('transient'), 3);
  const { ask } = process();
  for (let seconds = 0; seconds < 120; seconds += 30) {
    for (let n = 0; n < 3; n++) await ask();
    expect(await pausedSeconds()).toBeNull();
    poller.clock.pass(30);
  }
  await ask();
  expect(await pausedSeconds()).toBe(30);
});

test('an answer clears the failure of a parcel, whether changed or unchanged', async () => {
  let answer: CarrierAnswer = failed('unreadable');
  const { process, checks } = await carrierWithOutage('recovered', () => answer);
  const { ask } = process();
  for (const next of [fine(), failed('temporary'), fine()]) {
    await ask();
    expect((await checks())[0]).toMatchObject({ failure: answer.kind === 'failed' ? answer.failure : null });
    answer = next;
    poller.clock.pass(330);
  }
  await ask();
  expect((await checks())[0]).toMatchObject({ failure: null, failingSince: null });
});

test('another provider is not affected', async () => {
  const bad = await carrierWithOutage('held-back', () => failed('auth'), 2);
  const good = await carrierWithOutage('not-held-back', fine, 1);
  await bad.process().ask();
  expect(await bad.process().claim()).toEqual([]);
  const process = good.process();
  await process.ask();
  expect(process.provider.calls).toHaveLength(1);
  expect((await good.checks())[0]?.fingerprint).not.toBeNull();
});

test('one failing number among answered ones does not count as outage of the provider', async () => {
  let first = true;
  const answer = () => {
    const now = first ? failed('transient') : fine();
    first = false;
    return now;
  };
  const { process, pause } = await carrierWithOutage('one-of-two', answer, 2, { batchSize: 2 });
  const { deps } = process();
  const claimed = await claimChecks(poller.db, {
    provider: 'one-of-two',
    limit: 2,
    cadence: deps.cadence,
    now: poller.clock.now(),
  });
  await query(deps, { claimed });
  expect(await pause()).toBeNull();
});

test('calls that had been claimed when the pause began are rescheduled without being made', async () => {
  const { process, pausedSeconds, checks } = await carrierWithOutage('queued', () => failed('rate_limited', 77), 4);
  const { provider, deps, claim } = process();
  const queued = [await claim(), await claim(), await claim(), await claim()];
  for (const claimed of queued) await query(deps, { claimed });
  expect(provider.calls).toHaveLength(1);
  expect(await pausedSeconds()).toBe(77);
  for (const { nextCheckAt } of await checks())
    expect((nextCheckAt.getTime() - poller.clock.now().getTime()) / 1000).toBe(77);
});

test('after the pause, one probe is sent across all processes; until it is answered there is no other call', async () => {
  const { process, pausedSeconds } = await carrierWithOutage('probe', () => failed('rate_limited', 60), 9);
  const [one, two] = [process(), process()];
  await one.ask();
  expect(await pausedSeconds()).toBe(60);
  const loop = recordingLoop();
  await sweepDue(two.deps, loop);
  expect(loop.started).toEqual([]);
  poller.clock.pass(61);
  await Promise.all([one, two, one, two].map(({ deps }) => sweepDue(deps, loop)));
  expect(loop.started).toHaveLength(1);
  expect(await two.claim()).toEqual([]);
  // A probe that is never answered is repeated.
  poller.clock.pass(61);
  await sweepDue(two.deps, loop);
  expect(loop.started).toHaveLength(2);
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
  const loop = recordingLoop();
  await sweepDue(deps, loop);
  expect(loop.started.length).toBeGreaterThan(1);
});

test('a call that was in flight when the pause began does not end it', async () => {
  let release = () => {};
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answers = [answered.then(fine), failed('rate_limited', 300)];
  const { process, pausedSeconds } = await carrierWithOutage('overtaken', () => answers.shift() ?? fine(), 3);
  const { ask, provider } = process();
  const slow = ask();
  await eventually(() => expect(provider.calls).toHaveLength(1));
  await ask();
  expect(await pausedSeconds()).toBe(300);
  release();
  await slow;
  expect(await pausedSeconds()).toBe(300);
});

test('a failed call does not schedule its numbers earlier than the provider allows', async () => {
  const { process, checks } = await carrierWithOutage('floored', () => failed('transient'), 1, { floorSeconds: 1800 });
  await process().ask();
  const [row] = await checks();
  expect((row?.nextCheckAt.getTime() ?? 0) - poller.clock.now().getTime()).toBe(1_800_000);
});

test.each([
  { name: 'rate-limited', answer: failed('rate_limited', 45), seconds: 45 },
  { name: 'rate-limited-somehow', answer: failed('rate_limited'), seconds: 120 },
  { name: 'auth', answer: failed('auth'), seconds: 900 },
])('$name pauses for $seconds s', async ({ name, answer, seconds }) => {
  const { process, pausedSeconds } = await carrierWithOutage(name, () => answer);
  await process().ask();
  expect(await pausedSeconds()).toBe(seconds);
});

test.each([
  {
    name: 'royal-mail',
    status: 400,
    refusal: { httpCode: '400', errors: [{ errorCode: 'E0004', errorDescription: 'Headers' }] },
  },
  {
    name: 'royal-mail',
    status: 401,
    refusal: { httpCode: '401', errors: [{ errorCode: 'E0016', errorDescription: 'Account' }] },
  },
  { name: 'easypost', status: 422, refusal: { error: { code: 'MODE.UNAUTHORIZED', message: 'A production key.' } } },
  { name: 'easypost', status: 401, refusal: { error: { code: 'APIKEY.INACTIVE', message: 'This key is off.' } } },
])('$name: HTTP $status, the same for every number, pauses the provider and no parcel fails', async (refused) => {
  const { name, status, refusal } = refused;
  let calls = 0;
  const url = await startServer((_request, response) => {
    calls += 1;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
  });
  const keys = { ROYAL_MAIL_CLIENT_ID: 'id', ROYAL_MAIL_CLIENT_SECRET: 'secret', EASYPOST_KEY: 'EZTK' };
  // Its numbers are registered already.
  const { callbacks: _, ...provider } = testProvider(name, { ...keys, PROVIDER_URLS: `${name}=${url}` });
  await poller.db.check.deleteMany({ where: { provider: name } });
  await endPause(poller.db, name, poller.clock.now());
  const account = await poller.account(['tracking_exception']);
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await poller.watch(account, freshNumber(), { provider: name }));
  const metrics = createPollerMetrics();
  startFaultsAtZero(metrics, [name]);
  const deps = poller.depsFor(provider, { metrics });
  const countOfAuth = async () =>
    (await metrics.answers.get()).values.find(({ labels }) => labels.provider === name && labels.kind === 'auth')
      ?.value;
  expect(await countOfAuth()).toBe(0);

  const claim = () =>
    claimChecks(poller.db, { provider: name, limit: 1, cadence: deps.cadence, now: poller.clock.now() });
  for (const claimed of [await claim(), await claim(), await claim()]) await query(deps, { claimed });
  expect(await countOfAuth()).toBe(1);
  const pausedUntil = new Date(poller.clock.now().getTime() + 900_000);
  const pause = await poller.db.providerPause.findUnique({ where: { provider: name } });
  expect(pause).toMatchObject({ failure: 'auth', pausedUntil });
  // The calls that had been claimed are not made: their checks are due when the pause ends, the made one at its floor.
  expect(calls).toBe(1);
  const due = await Promise.all(ids.map((id) => poller.dueIn(id)));
  expect(due.sort((a, b) => a - b)).toEqual([900, 900, Math.max(900, provider.limits.floorSeconds)]);
  for (const id of ids) {
    expect(await poller.check(id)).toMatchObject({ fingerprint: null, failure: null });
    expect(await poller.emitted(id)).toEqual([]);
  }
  await sweepDue(deps, recordingLoop());
  expect((await metrics.paused.get()).values).toContainEqual({ labels: { provider: name }, value: 1 });
});

test('a spent quota pauses until the next UTC day', async () => {
  const { process, pause } = await carrierWithOutage('quota', () => failed('quota'));
  await process().ask();
  expect((await pause())?.pausedUntil).toEqual(new Date('2031-04-06T00:00:00Z'));
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

test('a changed daily budget applies to processes that start, and counts the calls that were made before', async () => {
  const { process, pause } = await carrierWithOutage('divided', fine, 9);
  const callsWith = async (dailyBudget: number) => {
    // As an operator does; a process that starts knows no pause.
    await endPause(poller.db, 'divided', poller.clock.now());
    const { ask, provider } = process({ dailyBudget });
    for (let n = 0; n < 3; n++) await ask();
    expect(await pause()).toMatchObject({ failure: 'quota' });
    return provider.calls.length;
  };
  expect([await callsWith(2), await callsWith(4), await callsWith(3)]).toEqual([2, 2, 0]);
});
