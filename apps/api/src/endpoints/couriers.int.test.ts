import { countFailure, pauseProvider } from '@pts/db/providers';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
let passedMs = 0;
const now = () => new Date(Date.now() + passedMs);
beforeAll(async () => {
  api = await startTestApi({ now });
}, 60_000);
afterAll(() => api.close());

const health = async (key: string) => (await api.call('GET', '/couriers/health', { key })).body.data;

test('says of the carriers of the own parcels whether they are checked in time, late or paused', async () => {
  const [{ key }, stranger] = [await api.account(), await api.account()];
  expect(await health(key)).toEqual({ count: 0, couriers: [] });
  const body = { tracking_number: 'SBXORDINARY1', courier_code: 'sandbox' };
  expect((await api.call('POST', '/trackings/create', { key, body })).status).toBe(200);
  const one = { courier_code: 'sandbox', paused_until: null };
  expect(await health(key)).toMatchObject({ count: 1, couriers: [{ ...one, state: 'on_time' }] });
  passedMs += 600_000;
  const [late] = (await health(key)).couriers;
  expect(late).toMatchObject({ ...one, state: 'late' });
  expect(late.late_seconds).toBeGreaterThanOrEqual(600);
  const at = now();
  const call = { failure: 'transient' as const, reason: '503', trackingIds: [], requestedAt: at, now: at };
  await countFailure(api.db, { provider: 'sandbox', ...call });
  await pauseProvider(api.db, 'sandbox', new Date(at.getTime() + 60_000), at);
  expect(await health(key)).toMatchObject({ couriers: [{ state: 'paused', paused_until: expect.any(String) }] });
  passedMs += 60_000;
  expect(await health(key)).toMatchObject({ couriers: [{ ...one, state: 'late' }] });
  expect(await health(stranger.key)).toEqual({ count: 0, couriers: [] });
});
