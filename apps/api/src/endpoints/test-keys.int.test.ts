import { knownProviders } from '@pts/carriers/providers/configured';
import { PLAN_QUOTAS } from '@pts/core/account';
import { toUtcSeconds } from '@pts/core/time';
import type { Found } from '@pts/core/tracking/answer';
import { disableAccount, updateAccount } from '@pts/db/accounts/accounts';
import { dueRuns } from '@pts/db/run-leases';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { resetKeys } from '@pts/service/accounts';
import { runImport } from '@pts/service/imports';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { recordingProducer } from '@pts/testing/queue';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

/** As in production: live accounts have a real provider, and no sandbox. */
const providers = knownProviders({
  KUAIDI100_CUSTOMER: 'c',
  KUAIDI100_KEY: 'k',
  TEST_CARRIER_URL: 'http://127.0.0.1:9',
});
const { producer } = recordingProducer();
const requested: string[] = [];

let api: TestApi;
let passedMs = 0;
const now = () => new Date(Date.now() + passedMs);
beforeAll(async () => {
  const query = async (provider: string) => requested.push(provider) > 0;
  api = await startTestApi({
    providers,
    sandbox: false,
    now,
    keyClock: () => now().getTime(),
    producer: { ...producer, query },
  });
}, 60_000);
afterAll(() => api.close());

/** An account with its live and its test key. */
async function merchant() {
  const { id, key: live } = await api.account();
  const { status, body } = await api.call('POST', '/keys', {
    key: live,
    body: { scopes: ['read', 'write', 'webhooks'], test: true },
  });
  expect([status, body.data]).toMatchObject([
    200,
    { test: true, key: expect.stringMatching(/^tk_test_[0-9a-f]{48}$/) },
  ]);
  return { id, live, test: body.data.key as string, testKeyId: body.data.id as string };
}
const NUMBER = 'YT8962646785999';
const create = (key: string, body: object = { tracking_number: NUMBER }) =>
  api.call('POST', '/trackings/create', { key, body });
const get = async (key: string, path: string) => (await api.call('GET', path, { key })).body.data;
const providerOf = async (trackingId: string) => (await api.db.check.findUnique({ where: { trackingId } }))?.provider;

test('a tool that an agent calls with a test key asks the test carrier alone', async () => {
  const { live, test: trial } = await merchant();
  for (const [key, provider] of [
    [live, 'kuaidi100'],
    [trial, 'test'],
  ] as const) {
    const params = { name: 'register_parcels', arguments: { parcels: [{ tracking_number: NUMBER }] } };
    const response = await fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = await response.json();
    const [{ id }] = JSON.parse(result.content[0].text).success;
    expect(await providerOf(id)).toBe(provider);
  }
});

test('a test key and a live key see nothing of each other', async () => {
  const { live, test: key } = await merchant();
  const [real, trial] = [(await create(live)).body.data.id, (await create(key)).body.data.id];
  await api.call('POST', '/webhooks', { key, body: { url: 'https://example.com/test', events: ['tracking_update'] } });
  for (const [own, foreign, with_] of [
    [real, trial, live],
    [trial, real, key],
  ]) {
    expect((await get(with_, '/shipments?count=true')).shipments).toMatchObject([{ id: own }]);
    expect((await get(with_, `/shipments?q=${NUMBER}`)).shipments).toMatchObject([{ id: own }]);
    expect((await get(with_, `/shipments?ids=${foreign}`)).shipments).toEqual([]);
    expect((await get(with_, `/trackings/get?tracking_numbers=${NUMBER}`)).success).toMatchObject([{ id: own }]);
    for (const [method, path] of [
      ['GET', `/trackings/${foreign}`],
      ['DELETE', `/trackings/${foreign}`],
      ['POST', `/trackings/retrack/${foreign}`],
    ] as const)
      expect((await api.call(method, path, { key: with_ })).status).toBe(404);
  }
  expect([(await get(live, '/webhooks')).count, (await get(key, '/webhooks')).count]).toEqual([0, 1]);
  expect(await get(live, '/auth/me')).toMatchObject({ key: { test: false }, test_keys: true });
  expect((await get(key, '/auth/me')).key.test).toBe(true);
});

test('test parcels cost no quota, and are checked by the test carrier alone, whatever their carrier', async () => {
  const { live, test: key } = await merchant();
  requested.splice(0);
  const numbers = [
    { tracking_number: NUMBER },
    { tracking_number: 'SBXEXPRESS1' },
    { tracking_number: '00340434161094042557', courier_code: 'dhl' },
    { tracking_number: '770212345678' },
  ];
  const ids: string[] = [];
  for (const body of numbers) ids.push((await create(key, body)).body.data.id);
  const [first = ''] = ids;
  expect((await api.call('PATCH', `/trackings/${first}`, { key, body: { courier_code: 'zto' } })).status).toBe(200);
  expect((await api.call('POST', `/trackings/retrack/${first}`, { key })).status).toBe(200);
  expect(await Promise.all(ids.map(providerOf))).toEqual(ids.map(() => 'test'));
  const undecided = await api.db.tracking.findUniqueOrThrow({ where: { id: ids[3] ?? '' } });
  expect(JSON.stringify(undecided.candidates)).not.toContain('kuaidi100');
  expect(new Set(requested)).toEqual(new Set(['test']));
  expect([(await get(live, '/account')).quota_used, (await get(key, '/account')).quota_limit]).toEqual([0, 10_000]);
});

test('live parcels never reach the test carrier', async () => {
  const { live } = await merchant();
  requested.splice(0);
  const { body } = await create(live);
  expect(await providerOf(body.data.id)).toBe('kuaidi100');
  // Only the test carrier has this one.
  expect((await create(live, { tracking_number: 'SBXEXPRESS1' })).body.code).toBe(4121);
  expect((await create(live, { tracking_number: NUMBER, courier_code: 'sandbox' })).body.code).toBe(4120);
  expect(new Set(requested)).toEqual(new Set(['kuaidi100']));
});

test('an import with a test key registers test parcels', async () => {
  const { live, test: key } = await merchant();
  const csv = `tracking_number,courier_code\n${NUMBER},\nSBXEXPRESS2,Sandbox Carrier`;
  const { body } = await api.call('POST', '/imports', { key, raw: csv, headers: { 'Content-Type': 'text/csv' } });
  const context = { db: api.db, producer, providers, sandbox: false, quotas: PLAN_QUOTAS, now };
  const running = { pause: async () => {}, stopping: new AbortController().signal, reading: { holder: null } };
  for (const due of await dueRuns(api.db, 'imports', now(), 10)) await runImport({ ...context, ...running }, due);
  expect(await get(key, `/imports/${body.data.id}`)).toMatchObject({ state: 'done', rows: { registered: 2 } });
  const { shipments } = await get(key, '/shipments');
  expect(await Promise.all(shipments.map(({ id }: { id: string }) => providerOf(id)))).toEqual(['test', 'test']);
  expect([(await get(live, '/account')).quota_used, (await get(live, '/imports')).count]).toEqual([0, 0]);
});

test('events and pushes of a test parcel say so, those of live ones do not', async () => {
  const { live, test: key } = await merchant();
  for (const with_ of [live, key]) {
    const trackingId = (await create(with_)).body.data.id;
    const scan = {
      time: toUtcSeconds(now()),
      timeRaw: '',
      zoneSource: 'carrier',
      location: '',
      description: 'x',
      status: 'in_transit',
    };
    const answer = { kind: 'found', scans: [scan] } as Found;
    const cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
    await saveAnswers(api.db, [{ trackingId, answer, fingerprint: 'f', finalLook: false }], cadence, now());
  }
  // The feed waits for transactions that are open anywhere on the server.
  const eventsOf = async (with_: string) => {
    const { events } = await get(with_, '/events');
    expect(events).toHaveLength(1);
    return events[0];
  };
  const trial = await eventually(() => eventsOf(key));
  expect(trial).toMatchObject({ event: 'tracking_update', test: true });
  const real = await eventually(() => eventsOf(live));
  expect(Object.keys(real)).toEqual(['id', 'event', 'created_at', 'data']);
});

test('the pings that check an endpoint of a test account say test, as its pushes do', async () => {
  const { live, test: trial } = await merchant();
  const receiver = await startReceiver();
  try {
    const marks = async (key: string) => {
      const body = { url: receiver.url, events: ['tracking_update'] };
      const { id } = (await api.call('POST', '/webhooks', { key, body })).body.data;
      await api.call('POST', `/webhooks/${id}/check`, { key });
      return receiver.requests.splice(0).map(({ rawBody }) => JSON.parse(String(rawBody)).test);
    };
    expect(await marks(live)).toEqual([undefined, undefined, undefined, undefined]);
    // The third one is tampered with.
    expect(await marks(trial)).toEqual([true, true, null, true]);
  } finally {
    await receiver.close();
  }
});

describe('the keys', () => {
  test('are listed with the live ones, and revoked by them', async () => {
    const { live, test: key, testKeyId } = await merchant();
    expect((await get(live, '/keys')).keys).toMatchObject([{ test: false }, { id: testKeyId, test: true }]);
    const again = await api.call('POST', '/keys', { key: live, body: { scopes: ['read'], test: true } });
    expect((await get(again.body.data.key, '/auth/me')).account_id).toBe((await get(key, '/auth/me')).account_id);
    expect((await api.call('DELETE', `/keys/${testKeyId}`, { key: live })).status).toBe(200);
    passedMs += 1000;
    expect((await api.call('GET', '/auth/me', { key })).status).toBe(401);
  });

  test('cannot manage keys', async () => {
    const { live, test: key } = await merchant();
    const refused = await api.call('POST', '/keys', { key: live, body: { scopes: ['admin'], test: true } });
    expect(refused.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'scopes' }] } });
    expect((await api.call('GET', '/keys', { key })).status).toBe(403);
  });

  test('end with their account, and when its keys are reset', async () => {
    const { id, test: key } = await merchant();
    const status = async () => {
      passedMs += 1000;
      return (await api.call('GET', '/auth/me', { key })).status;
    };
    await disableAccount(api.db, id, now());
    expect(await status()).toBe(401);
    await updateAccount(api.db, id, { disabledAt: null });
    expect(await status()).toBe(200);
    await resetKeys({ db: api.db, now }, { id });
    expect(await status()).toBe(401);
  });

  test('with the scope admin, which an operator may give them, are not the last admin key of the live account', async () => {
    const { id, live } = await merchant();
    const { id: testOf } = await api.db.account.findUniqueOrThrow({ where: { testOf: id } });
    await api.key(testOf, { scopes: ['admin'] });
    const { key } = await get(live, '/auth/me');
    expect((await api.call('DELETE', `/keys/${key.id}`, { key: live })).status).toBe(409);
  });

  test('do not exist where no test carrier runs', async () => {
    const without = await startTestApi({ hasTestMode: false });
    const { key } = await without.account();
    const { body } = await without.call('POST', '/keys', { key, body: { scopes: ['read'], test: true } });
    expect(body).toMatchObject({ code: 4130, data: { errors: [{ field: 'test' }] } });
    expect(await without.db.account.count({ where: { testOf: { not: null } } })).toBe(0);
    await without.close();
  });
});
