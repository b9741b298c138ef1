import { testProvider } from '@pts/carriers/testing/provider';
import type { Scan } from '@pts/core/tracking/scan';
import { openPollerTest, type PollerTest } from '../testing/test-poller.ts';
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

const provider = (key = KUAIDI100.key, name = 'kuaidi100') => {
  const account = { KUAIDI100_CUSTOMER: KUAIDI100.customer, KUAIDI100_KEY: key };
  const env = {
    PROVIDER_URLS: `kuaidi100=${carrier.url}/kuaidi100`,
    ...account,
    PROVIDER_LIMITS: 'kuaidi100.floor_seconds=1',
  };
  return { ...testProvider('kuaidi100', env), name };
};

/** Checks a number when its story begins and again when it has ended. */
async function followed(number: string, more: { phone?: string } = {}) {
  const start = poller.clock.now().getTime();
  const deps = poller.depsFor(provider());
  const id = await poller.watch(await poller.account(['tracking_update']), number, { provider: 'kuaidi100', ...more });
  await query(deps, await poller.parcels(id));
  poller.clock.pass(3960);
  await query(deps, await poller.parcels(id));
  const tracking = await poller.tracking(id);
  const scans = tracking.events as unknown as Scan[];
  return {
    id,
    tracking,
    scans,
    seconds: scans.map(({ time }) => (Date.parse(time) - start) / 1000),
    statuses: scans.map(({ status }) => status),
  };
}

test('local times become UTC, and codes statuses', async () => {
  const { tracking, scans, seconds, statuses } = await followed('SBXORDINARY1');
  expect(tracking).toMatchObject({ status: '已签收', subStatus: 'delivered' });
  expect(seconds).toEqual([0, 4, 10, 18, 26, 32, 45]);
  expect(statuses).toEqual([
    ...['info_received', 'in_transit', 'in_transit', 'in_transit', 'in_transit'],
    ...['out_for_delivery', 'delivered'],
  ]);
  for (const { time, timeRaw } of scans) {
    const local = new Date(Date.parse(time) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    expect(timeRaw).toBe(local);
  }
});

test.each([
  { story: 'PICKUP', status: '已签收', statuses: ['out_for_delivery', 'available_for_pickup', 'delivered'] },
  { story: 'RETURNED', status: '异常', statuses: ['out_for_delivery', 'exception', 'returned'] },
  { story: 'UNDELIVERABLE', status: '异常', statuses: ['in_transit', 'out_for_delivery', 'exception'] },
  { story: 'EXCEPTION', status: '异常', statuses: ['in_transit', 'in_transit', 'exception'] },
  // This wire has a code for going back only (6); the text says that it has arrived.
  { story: 'DELIVEREDRETURNED', status: '异常', statuses: ['out_for_delivery', 'delivered', 'returned'] },
])('the sub-codes of $story become $statuses', async ({ story, status, statuses }) => {
  const { tracking, statuses: all } = await followed(`SBX${story}2`);
  expect(tracking.status).toBe(status);
  expect(all.slice(-3)).toEqual(statuses);
});

test('both ways of saying that a number is unknown leave it pending', async () => {
  for (const digit of [1, 2, 3, 4, 5, 6]) {
    const { id, tracking } = await followed(`SBXNOTFOUND${digit}`);
    expect(tracking).toMatchObject({ status: '查询中', subStatus: 'pending', notice: null });
    expect(await poller.check(id)).toMatchObject({ fingerprint: 'not-found' });
  }
});

test('a carrier that requires a phone number says so, and answers once it is given', async () => {
  expect((await followed('SBXPHONE1')).tracking).toMatchObject({
    subStatus: 'pending',
    notice: expect.stringContaining('phone'),
  });
  expect((await followed('SBXPHONE2', { phone: '13800005678' })).tracking).toMatchObject({ subStatus: 'delivered' });
});

test('a number that cannot exist is not checked again', async () => {
  const { id, tracking } = await followed('SBXINVALID1');
  expect(tracking.notice).toContain('单号');
  expect(await poller.check(id)).toBeNull();
});

test('an answer that is not JSON is retried at the regular interval', async () => {
  const { id, tracking } = await followed('SBXGARBAGE1');
  expect(tracking).toMatchObject({ subStatus: 'pending', notice: null });
  expect(await poller.check(id)).not.toBeNull();
});

test('a refused signature pauses the provider, and no parcel fails', async () => {
  const deps = poller.depsFor(provider('wrong-key', 'refused'));
  const id = await poller.watch(await poller.account(), 'SBXORDINARY9', { provider: 'refused' });
  await query(deps, await poller.parcels(id));
  const pause = await poller.db.providerPause.findUniqueOrThrow({ where: { provider: 'refused' } });
  expect(pause.failure).toBe('auth');
  expect(pause.pausedUntil?.getTime()).toBe(poller.clock.now().getTime() + 900_000);
  expect(await poller.check(id)).toMatchObject({ fingerprint: null, nextCheckAt: pause.pausedUntil });
});
