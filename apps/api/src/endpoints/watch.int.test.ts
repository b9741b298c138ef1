import type { Provider } from '@pts/carriers/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { claimChecks } from '@pts/db/checks/schedule';
import { parcelsOf } from '@pts/db/testing/parcel-keys';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { newWebhook } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const FLOORED = { carrier: 'yto', tracking_number: 'YT8962646785999' };
const FREE = { carrier: 'sto', tracking_number: '772640183957206' };

let api: TestApi;
let now = NOW;
beforeAll(async () => {
  api = await startTestApi({
    providers: [provider('floored', 1800, FLOORED.carrier), provider('free', 0, FREE.carrier)],
    now: () => now,
  });
}, 60_000);
afterAll(() => api.close());
beforeEach(async () => {
  now = NOW;
  await api.db.providerPause.deleteMany();
});

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

function provider(name: string, floorSeconds: number, carrier: string): Provider {
  return {
    name,
    limits: { batchSize: 40, callsPerSecond: 10, concurrency: 1, floorSeconds },
    serves: (requested) => requested === carrier,
  };
}

async function created({ tracking_number }: { tracking_number: string }) {
  const { id: accountId, key } = await api.account();
  const { id } = (await api.call('POST', '/trackings/create', { key, body: { tracking_number } })).body.data;
  /** The result of all three ways to read it. */
  const shown = async () => {
    const one = (await api.call('GET', `/trackings/${id}`, { key })).body.data;
    const [found] = (await api.call('GET', `/trackings/get?tracking_numbers=${tracking_number}`, { key })).body.data
      .success;
    const { watch } = (await api.call('GET', `/trackings/${id}/explain`, { key })).body.data;
    expect(found).toEqual(one);
    const { mode, interval_seconds, next_check_at } = watch;
    expect({ watch: { mode, interval_seconds }, next_check_at }).toEqual({
      watch: one.watch,
      next_check_at: one.next_check_at,
    });
    return { ...one.watch, at: one.next_check_at as string | null };
  };
  return { accountId, key, id, shown };
}

const claim = async (name: string, id: string) =>
  claimChecks(api.db, { provider: name, limit: 1, cadence: CADENCE, now }, await parcelsOf(api.db, [id]));

async function answer(id: string, status: ScanStatus, finalLook = false): Promise<void> {
  const time = '2031-04-01T00:00:00Z';
  const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: status, status };
  const found = { kind: 'found', scans: [scan] } as CarrierAnswer;
  await saveAnswers(api.db, [{ trackingId: id, answer: found, fingerprint: status, finalLook }], CADENCE, now);
}

function expectAbout(at: string | null, seconds: number): void {
  const away = (Date.parse(at ?? '') - now.getTime()) / 1000;
  expect(away).toBeGreaterThanOrEqual(seconds * 0.9 - 1);
  expect(away).toBeLessThanOrEqual(seconds * 1.1 + 1);
}

test('a new parcel is checked at once', async () => {
  const { shown } = await created(FREE);
  expect(await shown()).toEqual({ mode: 'polled', interval_seconds: 3600, at: '2031-04-05T06:00:00Z' });
});

test('with an enabled webhook it is every 5 minutes, without one every hour', async () => {
  const { key, id, accountId, shown } = await created(FREE);
  const webhook = await newWebhook(api.db, accountId, NOW);
  expect(await shown()).toMatchObject({ interval_seconds: 300 });
  await claim('free', id);
  await answer(id, 'in_transit');
  expectAbout((await shown()).at, 300);
  await api.call('PATCH', `/webhooks/${webhook.id}`, { key, body: { enabled: false } });
  expect(await shown()).toMatchObject({ interval_seconds: 3600 });
  now = later(3600);
  await claim('free', id);
  expectAbout((await shown()).at, 3600);
});

test('it is never more often than the provider allows', async () => {
  const { accountId, shown } = await created(FLOORED);
  expect(await shown()).toMatchObject({ interval_seconds: 3600 });
  await newWebhook(api.db, accountId, NOW);
  expect(await shown()).toMatchObject({ interval_seconds: 1800 });
});

test('while the provider is paused the next check is the end of the pause', async () => {
  const { shown } = await created(FREE);
  await api.db.providerPause.create({
    data: { provider: 'free', failures: 1, pausedUntil: later(900), reason: 'auth', updatedAt: NOW },
  });
  expect(await shown()).toEqual({ mode: 'polled', interval_seconds: 3600, at: '2031-04-05T06:15:00Z' });
});

test('an arrived parcel is checked once more after 24 hours, and then no longer', async () => {
  const { id, shown } = await created(FREE);
  await claim('free', id);
  await answer(id, 'delivered');
  expect(await shown()).toEqual({ mode: 'final_look', interval_seconds: null, at: '2031-04-06T06:00:00Z' });
  now = later(86_400);
  await answer(id, 'delivered', true);
  expect(await shown()).toEqual({ mode: 'stopped', interval_seconds: null, at: null });
});

test('a parcel whose provider was removed from the configuration is not shown as checked', async () => {
  const { id, shown } = await created(FREE);
  await api.db.tracking.update({ where: { id }, data: { provider: 'gone' } });
  expect(await shown()).toEqual({ mode: 'stopped', interval_seconds: null, at: null });
});
