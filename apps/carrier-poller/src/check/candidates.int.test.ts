import { testProvider } from '@pts/carriers/testing/provider';
import { TEST_PROVIDER } from '@pts/core/provider/for-tests';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { CandidateCarrier } from '@pts/core/tracking/undecided';
import { findLearned } from '@pts/db/learned/prefixes';
import { PRIORITIES, queryQueue } from '@pts/queue/catalog';
import { sweepDue } from '../schedule/sweep.ts';
import { failed, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { KUAIDI100, startSandbox } from '../testing/test-sandbox.ts';
import { query } from './query.ts';

let poller: PollerTest;
let carrier: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  poller = await openPollerTest();
  carrier = await startSandbox(poller.clock);
});
afterAll(async () => {
  await carrier.close();
  await poller.close();
});

let numbers = 770_800_000_000;

/** A number of several carriers, all at one provider unless stated otherwise. */
async function undecided(
  provider: string,
  codes: string[],
  number = String(++numbers),
  others: CandidateCarrier[] = [],
) {
  const candidates = [...codes.map((code) => ({ carrier: code, provider })), ...others];
  const more = { provider, carrier: codes[0] ?? '', detected: true, candidates };
  const account = await poller.account(['tracking_update']);
  return { number, id: await poller.watch(account, number, more) };
}

/** A provider that knows numbers of these carriers, and finds nothing for others. */
const knows = (name: string, says: Record<string, CarrierAnswer>) =>
  scriptedProvider(({ carrier: code }) => says[code] ?? { kind: 'not_found' }, { name });

const waiting = (name: string) => poller.producer.waiting(queryQueue(name));

test('over Kuaidi100’s wire, the next candidate finds a number of one company, and the event names the carrier', async () => {
  const account = { KUAIDI100_CUSTOMER: KUAIDI100.customer, KUAIDI100_KEY: KUAIDI100.key };
  const env = {
    PROVIDER_URLS: `kuaidi100=${carrier.url}/kuaidi100`,
    ...account,
    PROVIDER_LIMITS: 'kuaidi100.floor_seconds=0',
  };
  const deps = poller.depsFor(testProvider('kuaidi100', env));
  const { id } = await undecided('kuaidi100', ['sto', 'yto'], '770212345678');
  await query(deps, await poller.parcels(id));
  expect(await poller.tracking(id)).toMatchObject({ status: '查询中', subStatus: 'pending', events: [] });
  await query(deps, await poller.parcels(id));
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'yto', candidates: null });
  expect(await poller.emitted(id)).toEqual(['tracking_update']);
  const { body } = await poller.db.message.findFirstOrThrow({ where: { trackingId: id } });
  expect(JSON.parse(body).data.carrier).toBe('yto');
});

test('a wake-up has the next candidate checked at its own provider, and a stream is notified once the carrier answers', async () => {
  const [first, second] = [knows('first', {}), knows('second', { yto: found(scan(1, 'in_transit')) })];
  const { id } = await undecided('first', ['sto'], undefined, [{ carrier: 'yto', provider: 'second' }]);
  const before = poller.answered.length;
  await query(poller.depsFor(first, { providers: [first, second] }), await poller.parcels(id));
  expect(await waiting('second')).toBe(1);
  expect(poller.answered.slice(before)).toEqual([]);
  await query(poller.depsFor(second), await poller.parcels(id));
  expect(poller.answered.slice(before)).toEqual([id]);
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'yto', provider: 'second' });
});

test('of many numbers of an account, those beyond its share of calls wait behind what others wait for', async () => {
  const first = knows('bulk', {});
  const slow = scriptedProvider(() => found(), { name: 'slow', callsPerSecond: 1, batchSize: 1 });
  const account = await poller.account();
  const candidates = ['bulk', 'slow'].map((provider) => ({ carrier: 'sto', provider }));
  const more = { provider: 'bulk', carrier: 'sto', detected: true, candidates };
  const ids = await Promise.all([1, 2, 3].map(() => poller.watch(account, String(++numbers), more)));
  await query(poller.depsFor(first, { providers: [first, slow] }), await poller.parcels(...ids));
  const { awaited, bulk } = PRIORITIES;
  const counts = await poller.queue.queue(queryQueue('slow')).getCountsPerPriority([awaited, bulk]);
  expect(counts).toEqual({ [awaited]: 1, [bulk]: 2 });
});

test('streams get an answer after a round without a find, and each later check queries another candidate', async () => {
  const provider = knows('rounds', {});
  const { id } = await undecided('rounds', ['sto', 'yto']);
  const deps = poller.depsFor(provider);
  const before = poller.answered.length;
  await query(deps, await poller.parcels(id));
  await query(deps, await poller.parcels(id));
  expect(poller.answered.slice(before)).toEqual([id]);
  const requested: (string | undefined)[] = [];
  for (let n = 0; n < 3; n++) {
    poller.clock.pass(1000);
    requested.push((await poller.check(id))?.carrier);
    await query(deps, await poller.parcels(id));
  }
  expect(requested).toEqual(['sto', 'yto', 'sto']);
});

test('a failed check is retried with the same candidate, and the next one is checked if the failure lasts', async () => {
  const provider = scriptedProvider(
    ({ carrier: code }) => (code === 'sto' ? failed('transient') : found(scan(1, 'in_transit'))),
    { name: 'outages', batchSize: 1 },
  );
  const { id } = await undecided('outages', ['sto', 'yto']);
  const deps = poller.depsFor(provider);
  await query(deps, await poller.parcels(id));
  expect(await poller.check(id)).toMatchObject({ carrier: 'sto', failure: 'transient' });
  for (let n = 0; n < 5; n++) {
    poller.clock.pass(400);
    await query(deps, await poller.parcels(id));
  }
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'yto', candidates: null });
});

test('a provider that is paused for long is replaced by another one', async () => {
  const paused = scriptedProvider(() => failed('quota'), { name: 'spent' });
  const { id } = await undecided('spent', ['sto'], undefined, [{ carrier: 'yto', provider: 'open' }]);
  await query(poller.depsFor(paused, { providers: [paused, knows('open', {})] }), await poller.parcels(id));
  expect(await poller.check(id)).toMatchObject({ carrier: 'yto', provider: 'open', failure: null });
  expect(await waiting('open')).toBe(1);
});

test('a number that waits for a provider that is paused for long is moved to another one by the sweep', async () => {
  const paused = knows('away', {});
  const { id } = await undecided('away', ['sto'], undefined, [{ carrier: 'yto', provider: 'here' }]);
  const { id: alone } = await undecided('away', ['sto', 'yto']);
  const until = new Date(poller.clock.now().getTime() + 3_600_000);
  const pause = {
    provider: 'away',
    failures: 5,
    reason: 'it fails',
    pausedUntil: until,
    updatedAt: poller.clock.now(),
  };
  await poller.db.providerPause.create({ data: pause });
  const deps = poller.depsFor(paused);
  await sweepDue({ ...deps, cadence: { ...deps.cadence, floors: { away: 0, here: 0 } } });
  expect(await poller.check(id)).toMatchObject({ carrier: 'yto', provider: 'here' });
  expect(await poller.check(alone)).toMatchObject({ carrier: 'sto', provider: 'away' });
});

describe('learning from answers', () => {
  const learned = async (prefix: string) => (await findLearned(poller.db, [prefix], poller.clock.now())).get(prefix);
  const teacher = knows('teacher', { yto: found(scan(1, 'in_transit')), sto: found(scan(1, 'in_transit')) });

  test('counts a number once, whether its carrier was found among candidates or named', async () => {
    const deps = poller.depsFor(teacher);
    const { id } = await undecided('teacher', ['yto'], '781000000001');
    await query(deps, await poller.parcels(id));
    poller.clock.pass(400);
    await query(deps, await poller.parcels(id));
    const more = { provider: 'teacher', carrier: 'sto', detected: false };
    const named = await poller.watch(await poller.account(), '781000000002', more);
    await query(deps, await poller.parcels(named));
    const { yto, sto } = (await learned('12:781000')) ?? {};
    expect([Math.round((yto ?? 0) * 1000), Math.round((sto ?? 0) * 1000)]).toEqual([1000, 1000]);
  });

  test('does not count test parcels', async () => {
    const testing = { ...teacher, name: TEST_PROVIDER };
    const { id } = await undecided(TEST_PROVIDER, ['yto'], '782000000001');
    await query(poller.depsFor(testing), await poller.parcels(id));
    expect([await poller.tracking(id), await learned('12:782000')]).toMatchObject([
      { subStatus: 'in_transit' },
      undefined,
    ]);
  });

  test('does not count numbers whose form decides', async () => {
    const id = await poller.watch(await poller.account(), 'YT7810000000001', { provider: 'teacher', carrier: 'yto' });
    await query(poller.depsFor(teacher), await poller.parcels(id));
    expect((await poller.tracking(id)).subStatus).toBe('in_transit');
    expect(await learned('15:YT7810')).toBeUndefined();
  });
});
