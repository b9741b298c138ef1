import { testProvider } from '@pts/carriers/testing/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { CandidateCarrier } from '@pts/core/tracking/undecided';
import { findLearned, nameOfKey } from '@pts/db/learned-prefixes';
import { queryQueue } from '@pts/queue/catalog';
import { query } from './ask.ts';
import { sweepDue } from './sweeps.ts';
import {
  found,
  openPollerTest,
  type PollerTest,
  recordingLoop,
  scan,
  scriptedProvider,
} from './testing/test-poller.ts';
import { KUAIDI100, startSandbox } from './testing/test-sandbox.ts';

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

const waiting = (name: string) => poller.queue.waiting(queryQueue(name));

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
  const cadence = { ...deps.cadence, floors: { away: 0, here: 0 } };
  await sweepDue({ ...deps, cadence }, recordingLoop());
  expect(await poller.check(id)).toMatchObject({ carrier: 'yto', provider: 'here' });
  expect(await poller.check(alone)).toMatchObject({ carrier: 'sto', provider: 'away' });
});

describe('learning from answers', () => {
  const learned = async (prefix: string, accountId = '') => {
    const found = await findLearned(poller.db, [{ accountId, prefix }], poller.clock.now());
    return found.get(nameOfKey({ accountId, prefix }));
  };
  const teacher = knows('teacher', { yto: found(scan(1, 'in_transit')), sto: found(scan(1, 'in_transit')) });

  test('counts a number once, whether its carrier was found among candidates or named', async () => {
    const deps = poller.depsFor(teacher);
    const { id } = await undecided('teacher', ['yto'], '781000000001');
    await query(deps, await poller.parcels(id));
    poller.clock.pass(400);
    await query(deps, await poller.parcels(id));
    const more = { provider: 'teacher', carrier: 'sto', detected: false };
    const account = await poller.account();
    const named = await poller.watch(account, '781000000002', more);
    await query(deps, await poller.parcels(named));
    const { yto, sto } = (await learned('12:781000')) ?? {};
    expect([Math.round((yto ?? 0) * 1000), Math.round((sto ?? 0) * 1000)]).toEqual([1000, 1000]);
    expect((await learned('12:', account))?.sto).toBeCloseTo(1, 2);
  });
});
