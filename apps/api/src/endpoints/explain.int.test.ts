import type { Provider } from '@pts/carriers/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { claimChecks, markFailing } from '@pts/db/checks/schedule';
import { keysOf, parcelsOf } from '@pts/db/testing/parcel-keys';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { newWebhook } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const floored: Provider = {
  name: 'floored',
  limits: { batchSize: 40, callsPerSecond: 10, concurrency: 1, floorSeconds: 1800 },
  serves: () => true,
};

let api: TestApi;
let now = NOW;
beforeAll(async () => {
  api = await startTestApi({ providers: [floored], now: () => now });
}, 60_000);
afterAll(() => api.close());
beforeEach(async () => {
  now = NOW;
  await api.db.providerPause.deleteMany();
});

async function created(body: object = {}, quota?: number) {
  const account = await api.account(quota === undefined ? {} : { quota });
  const sent = { tracking_number: 'YT8962646785999', ...body };
  const answer = await api.call('POST', '/trackings/create', { key: account.key, body: sent });
  const id: string = answer.body.data.id;
  return {
    accountId: account.id,
    key: account.key,
    id,
    explain: async () => (await api.call('GET', `/trackings/${id}/explain`, { key: account.key })).body.data,
    answer: (given: CarrierAnswer, finalLook = false) =>
      saveAnswers(
        api.db,
        [{ trackingId: id, answer: given, fingerprint: digest(given), finalLook, latencyMs: 412.4 }],
        CADENCE,
        now,
      ),
  };
}

const digest = (answer: CarrierAnswer) => (answer.kind === 'failed' ? `failed:${answer.failure}` : answer.kind);
const ask = async (id: string) =>
  claimChecks(api.db, { provider: 'floored', limit: 1, cadence: CADENCE, now }, await parcelsOf(api.db, [id]));
const kinds = (data: { held_back_by: { kind: string }[] }) => data.held_back_by.map(({ kind }) => kind);

function found(status: string): CarrierAnswer {
  const scan = {
    time: '2031-04-01T00:00:00Z',
    timeRaw: '',
    zoneSource: 'carrier',
    location: '',
    description: '',
    status,
  };
  return { kind: 'found', scans: [scan] } as CarrierAnswer;
}

test('a new parcel: why this carrier, which provider, and when', async () => {
  const { id, explain } = await created();
  expect(await explain()).toEqual({
    id,
    tracking_number: 'YT8962646785999',
    status: '查询中',
    sub_status: 'pending',
    provider: 'floored',
    route: ['floored'],
    carrier: {
      courier_code: 'yto',
      courier_name: expect.stringMatching(/YTO/),
      page_url: 'https://www.yto.net.cn',
      chosen_by: 'detection',
      message: expect.stringMatching(/detected/),
      candidates: expect.arrayContaining([
        { courier_code: 'yto', confidence: 90, reason: expect.stringMatching(/prefix.*no check digit/) },
      ]),
    },
    watch: {
      ...{
        watched: true,
        mode: 'polled',
        interval_seconds: 3600,
        reason: 'regular',
        message: expect.any(String),
        last_checked_at: null,
      },
      next_check_at: '2031-04-05T06:00:00Z',
      expires_at: '2031-05-05T06:00:00Z',
    },
    cadence: {
      webhook_enabled: false,
      interval_seconds: 3600,
      floor_seconds: 1800,
      message: expect.stringMatching(/3600 seconds.*no enabled webhook/),
    },
    last_answer: null,
    notice: null,
    held_back_by: [],
    scan_times: [],
    quota: {
      quota_limit: 10_000,
      quota_used: 1,
      quota_remaining: 9999,
      resets_at: '2031-05-01T00:00:00Z',
      message: expect.any(String),
    },
  });
});

test('a carrier that the merchant named against detection is reported as such', async () => {
  const { explain } = await created({ courier_code: 'sto' });
  const { carrier } = await explain();
  expect(carrier).toMatchObject({ courier_code: 'sto', chosen_by: 'merchant' });
  expect(carrier.message).toMatch(/Detection would choose yto/);
});

test('the last answer is shown with its time, latency and scans', async () => {
  const { explain, answer } = await created();
  now = later(5);
  await answer(found('in_transit'));
  expect((await explain()).last_answer).toEqual({
    kind: 'found',
    failure: null,
    at: '2031-04-05T06:00:05Z',
    latency_ms: 412,
    scans: 1,
  });
  await answer({ ...found('out_for_delivery'), untimed: 2 } as CarrierAnswer);
  expect((await explain()).last_answer).toMatchObject({ scans: 1, untimed_scans: 2 });
});

test.each([
  ['transient', 'transient', /returned no response/],
  ['unsaved', 'unsaved', /fault of the service/],
  ['of a later release', 'other', /returned no response/],
])('failing checks (%s) are shown with their time and a message, until one succeeds', async (kept, failure, text) => {
  const { id, explain, answer } = await created();
  now = later(5);
  for (const at of [later(5), later(90)])
    await markFailing(
      api.db,
      'floored',
      (await keysOf(api.db, [id])).map((key) => ({ ...key, failure: kept })),
      at,
    );
  expect((await explain()).failing).toEqual({
    failure,
    since: '2031-04-05T06:00:05Z',
    message: expect.stringMatching(text),
  });
  await answer(found('in_transit'));
  expect((await explain()).failing).toBeUndefined();
});

test('with an enabled webhook it is checked more often, but not below the floor of its provider', async () => {
  const { accountId, explain } = await created();
  await newWebhook(api.db, accountId, NOW);
  const { cadence } = await explain();
  expect(cadence).toMatchObject({ webhook_enabled: true, interval_seconds: 1800, floor_seconds: 1800 });
  expect(cadence.message).toMatch(/300 seconds.*1800 seconds/);
});

test.each<[string, CarrierAnswer[], string, boolean]>([
  ['delivered, before the final check', [found('delivered')], 'final_look', true],
  ['delivered', [found('delivered'), found('delivered')], 'delivered', false],
  ['returned', [found('returned'), found('returned')], 'returned', false],
  [
    'an invalid number',
    [{ kind: 'failed', failure: 'invalid_number', message: 'no such number' }],
    'invalid_number',
    false,
  ],
])('%s: whether it is watched, and why', async (_, answers, reason, watched) => {
  const { explain, answer } = await created();
  for (const [index, each] of answers.entries()) await answer(each, index > 0);
  const { watch } = await explain();
  expect(watch).toMatchObject({ watched, reason });
  expect(watch.next_check_at === null).toBe(!watched);
  expect(watch.mode).toBe(reason === 'final_look' ? 'final_look' : 'stopped');
  expect(watch.interval_seconds).toBeNull();
});

test('expired', async () => {
  const { id, explain } = await created();
  await api.db.check.delete({ where: { trackingId: id } });
  await api.db.tracking.update({ where: { id }, data: { subStatus: 'expired' } });
  expect((await explain()).watch).toMatchObject({ watched: false, reason: 'expired' });
});

describe('held_back_by', () => {
  test('the floor of the provider, and a pending first answer', async () => {
    const { id, explain } = await created();
    await ask(id);
    now = later(10);
    const data = await explain();
    expect(kinds(data)).toEqual(['provider_floor', 'first_answer']);
    expect(data.held_back_by[0].until).toBe('2031-04-05T06:30:00Z');
    now = later(1800);
    expect(kinds(await explain())).toEqual([]);
  });

  test.each([
    ['auth', 'the key s3cret is wrong', 'provider_paused', /The provider floored does not accept the credentials/],
    ['transient', 'the key s3cret is slow', 'provider_paused', /The provider floored is failing/],
    [
      'operator',
      'contract s3cret',
      'provider_paused',
      /The operator of this installation has paused the provider floored/,
    ],
    ['quota', 'the daily budget of 9 calls is spent', 'provider_budget', /budget is used up/],
  ])('a pause of the provider (%s: %s), without what only operators may know', async (failure, reason, kind, words) => {
    const { explain } = await created();
    await api.db.providerPause.create({
      data: { provider: 'floored', failures: 1, pausedUntil: later(900), failure, reason, updatedAt: NOW },
    });
    const data = await explain();
    expect(data.held_back_by).toEqual([{ kind, until: '2031-04-05T06:15:00Z', message: expect.stringMatching(words) }]);
    expect(JSON.stringify(data)).not.toMatch(/s3cret|budget of 9/);
  });

  test('a retrack less than an hour ago', async () => {
    const { id, key, explain } = await created();
    await api.call('POST', `/trackings/retrack/${id}`, { key });
    const data = await explain();
    expect(data.held_back_by).toMatchObject([{ kind: 'retrack_interval', until: '2031-04-05T07:00:00Z' }]);
    now = later(3600);
    expect(kinds(await explain())).toEqual([]);
  });

  test('a field that the carrier requires: its notice, and no time', async () => {
    const { explain, answer } = await created();
    await answer({ kind: 'failed', failure: 'needs_input', message: 'give the phone' });
    now = later(1800);
    const data = await explain();
    expect(data).toMatchObject({ notice: 'give the phone', last_answer: { kind: 'failed', failure: 'needs_input' } });
    expect(data.held_back_by).toMatchObject([{ kind: 'input_needed', until: null }]);
    expect(data.held_back_by[0].message).toContain('give the phone');
  });

  test('a provider that was removed from the configuration', async () => {
    const { id, explain } = await created();
    await api.db.tracking.update({ where: { id }, data: { provider: 'gone' } });
    const data = await explain();
    expect(kinds(data)).toEqual(['no_provider']);
    expect(data.watch).toMatchObject({ watched: false, mode: 'stopped', reason: 'no_provider', next_check_at: null });
  });
});

test('an exhausted quota is shown, and that checks continue', async () => {
  const { explain } = await created({}, 1);
  const { quota } = await explain();
  expect(quota).toMatchObject({ quota_limit: 1, quota_used: 1, quota_remaining: 0 });
  expect(quota.message).toMatch(/Checks of this tracking continue/);
});

test('how the times of its events were read', async () => {
  const { explain, answer } = await created();
  const scan = { location: '', status: 'in_transit' } as const;
  await answer({
    kind: 'found',
    scans: [
      {
        ...scan,
        time: '2031-04-01T00:00:00Z',
        timeRaw: '2031-04-01 08:00:00',
        zoneSource: 'default',
        description: 'a',
      },
      {
        ...scan,
        time: '2031-04-02T00:00:00Z',
        timeRaw: '2031-04-02T00:00:00Z',
        zoneSource: 'carrier',
        description: 'b',
      },
    ],
  });
  expect((await explain()).scan_times).toEqual([
    {
      time: '2031-04-01T00:00:00Z',
      carrier_time: '2031-04-01 08:00:00',
      local_time: '2031-04-01T08:00:00+08:00',
      zone_source: 'default',
    },
    { time: '2031-04-02T00:00:00Z', carrier_time: '2031-04-02T00:00:00Z', local_time: null, zone_source: 'carrier' },
  ]);
});
