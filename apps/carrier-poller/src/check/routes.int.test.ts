import type { ConnectedProvider } from '@pts/carriers/provider';
import { TEST_PROVIDER } from '@pts/core/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/schedule';
import { freshNumber } from '@pts/testing/factories';
import {
  CADENCE,
  failed,
  found,
  openPollerTest,
  type PollerTest,
  scan,
  scriptedProvider,
} from '../testing/test-poller.ts';
import { query } from './query.ts';
import { createRouteSweep } from './routes.ts';

let poller: PollerTest;
beforeEach(async () => {
  poller = await openPollerTest();
});
afterEach(() => poller.close());

const HOUR = 3600;
const NOT_FOUND: CarrierAnswer = { kind: 'not_found' };
const first = (answer: () => CarrierAnswer) => scriptedProvider(answer, { name: 'first' });
const second = (answer: () => CarrierAnswer, limits = {}) => scriptedProvider(answer, { name: 'second', ...limits });

async function parcel(provider: string): Promise<string> {
  return poller.watch(await poller.account(['tracking_update']), freshNumber(), { provider });
}
async function check(provider: ConnectedProvider): Promise<void> {
  const now = poller.clock.now();
  const claim = { provider: provider.name, limit: 40, cadence: CADENCE, now, isProbe: true };
  const claimed = await claimChecks(poller.db, claim);
  if (claimed.length > 0) await query(poller.depsFor(provider), { claimed });
}
/** Sweeps as several processes would. */
async function sweep(...providers: ConnectedProvider[]): Promise<void> {
  const [one] = providers;
  if (!one) throw new Error('no providers');
  const deps = poller.depsFor(one);
  await Promise.all(Array.from({ length: 6 }, () => createRouteSweep(deps, providers)()));
}
const providerOf = async (id: string) => [(await poller.tracking(id)).provider, (await poller.check(id))?.provider];

test('checks of a provider with a long outage move to the next one, whose history replaces the former one', async () => {
  let answer: CarrierAnswer = found(scan(1, 'in_transit', 'as the first one writes it'));
  const [a, b] = [first(() => answer), second(() => found(scan(2, 'out_for_delivery', 'as the second one writes it')))];
  const id = await parcel('first');
  await check(a);
  answer = failed('auth');
  poller.clock.pass(2 * HOUR);
  await check(a);
  poller.clock.pass(301);
  await sweep(a, b);
  expect(await providerOf(id)).toEqual(['second', 'second']);
  await check(b);
  const { events, subStatus } = await poller.tracking(id);
  expect(subStatus).toBe('out_for_delivery');
  expect(events).toMatchObject([{ description: 'as the second one writes it' }]);
});

test('a short pause is waited out, and checks without another provider stay', async () => {
  const a = first(() => failed('rate_limited', 60));
  const id = await parcel('first');
  await check(a);
  await sweep(
    a,
    second(() => NOT_FOUND),
  );
  expect(await providerOf(id)).toEqual(['first', 'first']);
  const alone = scriptedProvider(() => failed('auth'), { name: 'alone' });
  const other = await parcel('alone');
  await check(alone);
  poller.clock.pass(301);
  await sweep(alone);
  expect(await providerOf(other)).toEqual(['alone', 'alone']);
});

test('a parcel that a provider does not know for a day is looked up at the next one, and a day later at the first again', async () => {
  const [a, b] = [first(() => NOT_FOUND), second(() => NOT_FOUND)];
  const id = await parcel('first');
  await check(a);
  poller.clock.pass(23 * HOUR);
  await sweep(a, b);
  expect(await providerOf(id)).toEqual(['first', 'first']);
  poller.clock.pass(2 * HOUR);
  await sweep(a, b);
  expect(await providerOf(id)).toEqual(['second', 'second']);
  await check(b);
  poller.clock.pass(24 * HOUR);
  await sweep(a, b);
  expect(await providerOf(id)).toEqual(['first', 'first']);
});

test('checks of a provider that is off move to another one, unless a process that knows it may still make them', async () => {
  const b = second(() => found(scan(1, 'in_transit')));
  const id = await parcel('removed');
  poller.clock.pass(599);
  await sweep(b);
  expect(await providerOf(id)).toEqual(['removed', 'removed']);
  poller.clock.pass(2);
  await sweep(b);
  expect(await providerOf(id)).toEqual(['second', 'second']);
});

test('a number whose carrier is not known goes on to a candidate of a provider that is still on', async () => {
  const b = second(() => found(scan(1, 'in_transit')));
  const candidates = ['removed', 'second'].map((provider, n) => ({ carrier: n === 0 ? 'sto' : 'yto', provider }));
  const undecided = { provider: 'removed', carrier: 'sto', detected: true, candidates };
  const id = await poller.watch(await poller.account(['tracking_update']), freshNumber(), undecided);
  const deps = poller.depsFor(b, { cadence: { ...CADENCE, floors: { second: 0 } } });
  const sweepRoutes = createRouteSweep(deps, [b]);
  poller.clock.pass(599);
  await sweepRoutes();
  expect(await providerOf(id)).toEqual(['removed', 'removed']);
  poller.clock.pass(2);
  await sweepRoutes();
  expect(await providerOf(id)).toEqual(['second', 'second']);
  await check(b);
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'yto', subStatus: 'in_transit', candidates: null });
});

test('test parcels stay with the test carrier, while it is out and when it is gone', async () => {
  const [testing, other] = [scriptedProvider(() => failed('auth'), { name: TEST_PROVIDER }), second(() => NOT_FOUND)];
  const id = await parcel(TEST_PROVIDER);
  await check(testing);
  poller.clock.pass(24 * HOUR);
  await check(testing);
  await sweep(other);
  expect(await providerOf(id)).toEqual([TEST_PROVIDER, TEST_PROVIDER]);
  expect(other.calls).toEqual([]);
});
