import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { foldAll } from '@pts/db/testing/fold-all';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { transitOf } from '@pts/service/stats';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { addPending, attempted, FAILED, newTestWebhook } from '../testing/test-deliveries.ts';

const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const HOUR_MS = 3_600_000;
/** It stands still: no hour, and no day, begins between what is done and what is read. */
const NOW = new Date();

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ now: () => NOW });
}, 60_000);
afterAll(() => api.close());

const ago = (hours: number) => toUtcSeconds(new Date(NOW.getTime() - hours * HOUR_MS));
const NO_PUSHES = { accepted: 0, failed: 0, success_share: null, lag_ms_p50: null, lag_ms_p95: null };
const NOTHING = { registered: 0, delivered: 0, exceptions: 0, events: 0, pushes: NO_PUSHES };

/** The scans of a parcel so far, and when its carrier expects the delivery. */
async function report(trackingId: string, statuses: ScanStatus[], to?: string): Promise<void> {
  const scans = statuses.map((status, n) => {
    const [time, location] = [ago(60 - n * 12), n === 0 ? '广东省深圳市' : '北京市'];
    return { time, timeRaw: time, zoneSource: 'carrier', location, description: status, status };
  });
  const estimatedDelivery = to === undefined ? {} : { estimatedDelivery: { from: to, to } };
  const answer = { kind: 'found', scans, ...estimatedDelivery } as CarrierAnswer;
  const changed = { trackingId, answer, fingerprint: statuses.join(), finalLook: false };
  await saveAnswers(api.db, [changed], CADENCE, NOW);
}

async function register(key: string, tracking_number: string): Promise<string> {
  const body = { tracking_number, courier_code: 'yto' };
  return (await api.call('POST', '/trackings/create', { key, body })).body.data.id;
}

const stats = async (key: string, query = '') => (await api.call('GET', `/stats${query}`, { key })).body.data;

test('an account without parcels has zeros for each day of the last week', async () => {
  const { key } = await api.account();
  const found = await stats(key);
  expect(found).toMatchObject({ interval: 'day', totals: NOTHING, transit: { carriers: [], lanes: [] } });
  expect(found.parcels).toMatchObject({ total: 0, sub_statuses: [], carriers: [] });
  expect(found.parcels.statuses).toHaveLength(4);
  expect(found.intervals).toHaveLength(7);
  expect(found.intervals.at(-1)).toEqual({ start: `${ago(0).slice(0, 10)}T00:00:00Z`, ...NOTHING });
  expect(Date.parse(found.to) - Date.parse(found.from)).toBe(7 * 24 * HOUR_MS);
});

test('the figures agree with what was done, once the poller has counted it, and do not change when it counts again', async () => {
  const { id, key } = await api.account();
  const [first, second, third] = [
    await register(key, 'YT8800000000001'),
    await register(key, 'YT8800000000002'),
    await register(key, 'YT8800000000003'),
  ];
  await register(key, 'YT8800000000003');
  await report(first, ['in_transit'], ago(-240).slice(0, 10));
  await report(first, ['in_transit', 'out_for_delivery', 'delivered']);
  await report(second, ['in_transit'], ago(240).slice(0, 10));
  await report(second, ['in_transit', 'out_for_delivery', 'delivered']);
  await report(third, ['in_transit', 'exception']);
  const webhook = await newTestWebhook(api, key);
  const merchant = { accountId: id, key, webhook };
  const [accepted, refused] = await addPending(api, merchant, 2, NOW);
  if (!accepted || !refused) throw new Error('nothing is pending');
  await attempted(api, accepted, { startedAt: NOW });
  await attempted(api, refused, { ...FAILED, startedAt: NOW, state: 'exhausted' });
  const read = async () => {
    const { transit: _, ...found } = await stats(key, `?interval=hour&from=${ago(3)}`);
    return found;
  };
  await foldAll(api.db, transitOf);
  const before = await read();
  expect(before.parcels).toMatchObject({
    total: 5,
    carriers: [{ carrier: 'yto', parcels: 5 }],
    statuses: [
      { status: '查询中', parcels: 2 },
      { status: '派送中', parcels: 0 },
      { status: '已签收', parcels: 2 },
      { status: '异常', parcels: 1 },
    ],
  });
  expect(before.totals).toMatchObject({
    registered: 5,
    delivered: 2,
    exceptions: 1,
    events: 10,
    pushes: { accepted: 1, failed: 1, success_share: 0.5, lag_ms_p50: expect.any(Number) },
  });
  const sum = (name: 'registered' | 'events') =>
    before.intervals.reduce((total: number, interval: Record<string, number>) => total + (interval[name] ?? 0), 0);
  expect([sum('registered'), sum('events')]).toEqual([5, 10]);
  await foldAll(api.db, transitOf);
  expect(await read()).toEqual(before);
  const times = {
    parcels: 2,
    hours_p50: 24,
    hours_p90: 24,
    in_time: { carrier: { parcels: 2, share: 0.5 }, history: { parcels: 0, share: null } },
  };
  expect((await stats(key)).transit).toEqual({
    carriers: [{ carrier: 'yto', ...times }],
    lanes: [{ carrier: 'yto', origin: 'CN-GD', destination: 'CN-BJ', ...times }],
  });
  const other = await api.account();
  expect(await stats(other.key)).toMatchObject({ totals: NOTHING, parcels: { total: 0 }, transit: { carriers: [] } });
});

test.each([
  ['?from=yesterday', 'from', /RFC 3339/],
  [`?from=${ago(1)}&to=${ago(30)}`, 'from', /before to/],
  [`?from=${ago(93 * 24)}`, 'from', /at most 92 days/],
  [`?from=${ago(9 * 24)}&interval=hour`, 'from', /at most 8 days/],
  ['?interval=week', 'interval', /hour, day/],
])('%s is refused with the field and the fix', async (query, field, message) => {
  const { key } = await api.account();
  const { body } = await api.call('GET', `/stats${query}`, { key });
  expect([body.code, body.data.errors]).toEqual([4130, [{ field, message: expect.stringMatching(message) }]]);
});
