import { createHmac } from 'node:crypto';
import { message } from '@pts/core/languages/message';
import type { Scan } from '@pts/core/tracking/scan';
import { loadDue } from '@pts/db/deliveries/attempts';
import { cancelPending, endDropping } from '@pts/db/deliveries/pending';
import { feedReplays } from '@pts/db/deliveries/send-again';
import { foldStats } from '@pts/db/stats';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { NO_TRACE } from '@pts/egress/exchange';
import { eventually } from '@pts/testing/eventually';
import { allDue, freshNumber, keyOf } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { ALL_EVENTS, attempted, newTestWebhook } from '../testing/test-deliveries.ts';

const KEY = 'gateway-key-7Q';
const pushes: { url: string; headers: Record<string, string>; body: string }[] = [];
const lines: string[] = [];
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    log: (line) => lines.push(line),
    send: async ({ url, headers, body }) => {
      pushes.push({ url, headers, body: String(body) });
      // A receiver that repeats what it gets, or that cannot be reached.
      if (url.endsWith('/away')) {
        const text = JSON.stringify(headers);
        const reason = message('no_answer.connection', { text });
        return { kind: 'no_answer', durationMs: 1, cause: 'connection', reason, detail: text, trace: NO_TRACE };
      }
      const trace = { ...NO_TRACE, head: `HTTP/1.1 200 OK\r\nx-echo: ${headers['X-Api-Key']}` };
      const excerpt = JSON.stringify(headers);
      return { kind: 'answered', status: 200, durationMs: 1, excerpt, retryAfter: null, trace };
    },
  });
}, 60_000);
afterAll(() => api.close());

const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const merchant = async () => {
  const { id: accountId, key } = await api.account();
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, path, { key, ...(body && { body }) })).body;
  return { accountId, key, call };
};
type Merchant = Awaited<ReturnType<typeof merchant>>;

/** Registers a parcel and has its carrier report it. @returns its id. */
async function reported({ accountId, call }: Merchant, given: object = {}, status: Scan['status'] = 'in_transit') {
  const { data } = await call('POST', '/trackings/create', {
    tracking_number: freshNumber(),
    courier_code: 'yto',
    ...given,
  });
  await report(data.id, status);
  return { id: data.id as string, accountId };
}

let scans = 0;
async function report(trackingId: string, status: Scan['status'] = 'in_transit', problem?: Scan['problem']) {
  const time = new Date(Date.now() - 3_600_000 + ++scans * 1000).toISOString().replace(/\.\d+/, '');
  const scan = {
    time,
    timeRaw: time,
    zoneSource: 'carrier' as const,
    location: 'Kiel',
    description: `scan ${scans}`,
    status,
    ...(problem && { problem }),
  };
  const answer = { kind: 'found' as const, scans: [scan] };
  const changed = { trackingId, answer, fingerprint: String(scans), finalLook: false };
  await saveAnswers(api.db, [changed], CADENCE, new Date());
}

const deliveriesTo = (webhookId: string, accountId: string) =>
  api.db.delivery.findMany({ where: { webhookId, accountId }, orderBy: { id: 'asc' } });

describe('static headers', () => {
  test('are stored encrypted, shown masked, and sent with every test', async () => {
    const { key, call, accountId } = await merchant();
    const webhook = await newTestWebhook(api, key, { headers: { 'X-Api-Key': KEY, 'X-Tenant': '7' } });
    const stored = await api.db.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    expect(JSON.stringify(stored)).not.toContain(KEY);
    const shown = { 'X-Api-Key': '****7Q', 'X-Tenant': '****' };
    expect((await call('GET', `/webhooks/${webhook.id}`)).data.headers).toEqual(shown);
    const from = pushes.length;
    const answers = [
      await call('POST', '/webhooks/test', { id: webhook.id }),
      await call('POST', '/webhooks/test', { id: webhook.id, kind: 'valid', event: 'tracking_delivered' }),
      await call('POST', `/webhooks/${webhook.id}/check`),
      await call('POST', '/webhooks/test', { id: webhook.id, event: 'ping', dry_run: true }),
    ];
    expect(answers[3]?.data.push.headers).toMatchObject(shown);
    const sent = pushes.slice(from);
    expect(sent).toHaveLength(6);
    for (const { headers } of sent) expect(headers).toMatchObject({ 'X-Api-Key': KEY, 'X-Tenant': '7' });
    // Nothing that is recorded or answered has the value, although the receiver repeats it.
    const attempts = await api.db.deliveryAttempt.findMany({ where: { accountId } });
    expect(attempts).toHaveLength(6);
    const log = await Promise.all(attempts.map(({ id }) => call('GET', `/webhooks/deliveries/${id}`)));
    expect(JSON.stringify([attempts, log, answers, lines])).not.toContain(KEY);
    for (const { data } of log) expect(data.request.headers).toMatchObject(shown);
  });

  test('are not in the log of a push that gets no answer', async () => {
    const { key, call, accountId } = await merchant();
    const headers = { 'X-Api-Key': KEY };
    await call('POST', '/webhooks', { url: 'https://example.com/away', events: ALL_EVENTS, headers });
    const { data } = await call('POST', '/webhooks/test');
    expect(data).toMatchObject({ reachable: false, error: expect.stringContaining('****7Q') });
    const attempts = await api.db.deliveryAttempt.findMany({ where: { accountId } });
    expect(JSON.stringify([data, attempts, lines])).not.toContain(KEY);
    expect(lines.some((line) => line.includes('****7Q'))).toBe(true);
    expect(key).not.toBe('');
  });

  test('a change sets and removes those that it names; registering again replaces all', async () => {
    const { key, call } = await merchant();
    const { id, url } = await newTestWebhook(api, key, { headers: { 'X-Api-Key': KEY, 'X-Tenant': '7' } });
    const patched = await call('PATCH', `/webhooks/${id}`, {
      headers: { 'x-api-key': 'another-key-9Z', 'X-Tenant': null },
    });
    expect(patched.data.headers).toEqual({ 'x-api-key': '****9Z' });
    await call('POST', '/webhooks', { url, events: ALL_EVENTS });
    expect((await call('GET', `/webhooks/${id}`)).data.headers).toEqual({ 'x-api-key': '****9Z' });
    await call('POST', '/webhooks', { url, events: ALL_EVENTS, headers: {} });
    expect((await call('GET', `/webhooks/${id}`)).data).not.toHaveProperty('headers');
  });

  test.each([
    [{ 'X-Webhook-Signature': 'x' }, 'headers.X-Webhook-Signature'],
    [{ host: 'x' }, 'headers.host'],
    [{ 'Content-Type': 'x' }, 'headers.Content-Type'],
    [{ 'X Key': 'x' }, 'headers.X Key'],
    [{ 'X-Key': 'two\nlines' }, 'headers.X-Key'],
    [{ 'X-Key': 7 }, 'headers.X-Key'],
    [Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`X-${n}`, 'value'])), 'headers'],
  ])('%j is refused, named, and nothing is stored', async (headers, field) => {
    const { key, call, accountId } = await merchant();
    const refused = await call('POST', '/webhooks', { url: 'https://example.com/a', events: ALL_EVENTS, headers });
    expect(refused).toMatchObject({
      code: 4130,
      data: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
    expect(await api.db.webhook.count({ where: { accountId } })).toBe(0);
    const { id } = await newTestWebhook(api, key, { headers: { 'X-Api-Key': KEY } });
    expect(await call('PATCH', `/webhooks/${id}`, { headers })).toMatchObject({ code: 4130 });
    expect((await call('GET', `/webhooks/${id}`)).data.headers).toEqual({ 'X-Api-Key': '****7Q' });
  });

  test('a sixth is refused also if it comes later', async () => {
    const { key, call } = await merchant();
    const headers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'some-value']));
    const { id } = await newTestWebhook(api, key, { headers: headers('A', 'B', 'C', 'D', 'E') });
    expect(await call('PATCH', `/webhooks/${id}`, { headers: headers('F') })).toMatchObject({ code: 4130 });
    expect((await call('PATCH', `/webhooks/${id}`, { headers: { ...headers('F'), A: null } })).code).toBe(200);
  });
});

describe('a filter', () => {
  test.each([
    ['its carriers', { carriers: ['ups', 'yto'] }, { carriers: ['ups'] }],
    ['its sub-statuses', { sub_statuses: ['in_transit'] }, { sub_statuses: ['delivered', 'exception'] }],
    ['the metadata', { metadata: { shop: ['hangzhou', 'kiel'] } }, { metadata: { shop: ['kiel'] } }],
    [
      'all conditions',
      { carriers: ['yto'], metadata: { shop: ['hangzhou'] } },
      { carriers: ['yto'], metadata: { x: ['y'] } },
    ],
  ])('lets pass by %s; the rest is no delivery, and the event says so', async (_what, passing, failing) => {
    const shop = await merchant();
    const [all, wanted, other] = [
      await newTestWebhook(api, shop.key),
      await newTestWebhook(api, shop.key, { filter: passing }),
      await newTestWebhook(api, shop.key, { filter: failing }),
    ];
    const { id } = await reported(shop, { metadata: { shop: 'hangzhou' } });
    const counts = await Promise.all(
      [all, wanted, other].map(async (each) => (await deliveriesTo(each.id, shop.accountId)).length),
    );
    expect(counts).toEqual([1, 1, 0]);
    const { events } = (await shop.call('GET', `/trackings/${id}/events`)).data;
    expect(events).toMatchObject([{ filtered_out: [other.id] }]);
    expect(events[0].pushes.map((push: { webhook_id: string }) => push.webhook_id).sort()).toEqual(
      [all.id, wanted.id].sort(),
    );
    // Replays and checks use it as well.
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const count = async ({ id: webhookId }: { id: string }) =>
      (await shop.call('POST', `/webhooks/${webhookId}/replay`, { since, dry_run: true })).data.total;
    expect([await count(all), await count(wanted), await count(other)]).toEqual([1, 1, 0]);
    for (const each of [wanted, other]) await shop.call('POST', `/webhooks/${each.id}/replay`, { since });
    for (const delivery of await loadDue(api.db, [allDue(wanted)], new Date())) await attempted(api, delivery);
    await feedReplays(api.db, new Date());
    expect(await deliveriesTo(wanted.id, shop.accountId)).toMatchObject([{ round: 1, state: 'owed' }]);
    expect(await deliveriesTo(other.id, shop.accountId)).toEqual([]);
    const check = async ({ id: webhookId }: { id: string }) =>
      (await shop.call('POST', `/webhooks/${webhookId}/check`)).data;
    expect(await check(wanted)).toMatchObject({ filter: { recent_events: 1, passed: 1 } });
    expect(await check(other)).toMatchObject({ filter: { recent_events: 1, passed: 0 } });
    expect(await check(all)).not.toHaveProperty('filter');
  });

  test('has what it leaves out counted, by hour', async () => {
    const shop = await merchant();
    const [all, none] = [
      await newTestWebhook(api, shop.key),
      await newTestWebhook(api, shop.key, { filter: { carriers: ['ups'] } }),
    ];
    await reported(shop);
    await reported(shop);
    const filteredOut = async ({ id }: { id: string }) =>
      (await shop.call('GET', `/webhooks/${id}`)).data.hours.at(-1).filtered_out;
    await eventually(async () => {
      await foldStats(api.db, () => null);
      expect(await filteredOut(none)).toBe(2);
    });
    expect(await filteredOut(all)).toBeUndefined();
  });

  test('lets pass by the problem that the parcel has, in replays as well', async () => {
    const shop = await merchant();
    const { id } = await newTestWebhook(api, shop.key, {
      filter: { problems: ['customs', 'lost'] },
      events: ['tracking_exception'],
    });
    const parcels = [await reported(shop), await reported(shop), await reported(shop)];
    for (const [n, problem] of (['customs', 'damaged', 'lost'] as const).entries())
      await report(parcels[n]?.id ?? '', 'exception', problem);
    const pending = await deliveriesTo(id, shop.accountId);
    expect(pending).toHaveLength(2);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await shop.call('POST', `/webhooks/${id}/replay`, { since, dry_run: true })).data.total).toBe(2);
  });

  test('can be replaced and removed; what it has filtered out stays so', async () => {
    const shop = await merchant();
    const { id } = await newTestWebhook(api, shop.key, { filter: { carriers: ['ups'] } });
    const parcel = await reported(shop);
    expect(
      (await shop.call('PATCH', `/webhooks/${id}`, { filter: { sub_statuses: ['in_transit'], carriers: [] } })).data
        .filter,
    ).toEqual({
      sub_statuses: ['in_transit'],
    });
    await report(parcel.id);
    expect((await shop.call('PATCH', `/webhooks/${id}`, { filter: null })).data).not.toHaveProperty('filter');
    await report(parcel.id, 'out_for_delivery');
    expect(await deliveriesTo(id, shop.accountId)).toHaveLength(2);
  });

  test('of more than a page: the replay sends all that pass, in the order of their events', async () => {
    const shop = await merchant();
    const { id: trackingId } = await reported(shop, { metadata: { shop: 'hangzhou' } });
    const { id } = await newTestWebhook(api, shop.key, {
      filter: { metadata: { shop: ['hangzhou'] } },
      events: ['tracking_update'],
    });
    const [first] = await api.db.message.findMany({ where: { accountId: shop.accountId } });
    const body = first?.body ?? '';
    const rows = Array.from({ length: 1200 }, (_, n) => ({
      ...{
        id: (first?.id ?? '').slice(0, 4) + String(n).padStart(20, '0'),
        accountId: shop.accountId,
        trackingId,
        seq: n + 2,
      },
      ...{ event: 'tracking_update', body: n % 3 === 0 ? body : body.replace('hangzhou', 'ningbo') },
    }));
    await api.db.message.createMany({ data: rows });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await shop.call('POST', `/webhooks/${id}/replay`, { since })).data.total).toBe(401);
    for (let more = true; more; ) ({ more } = await feedReplays(api.db, new Date()));
    for (const delivery of await loadDue(
      api.db,
      [{ ...allDue({ id, accountId: shop.accountId }), page: { fresh: 0, late: 900 } }],
      new Date(),
    ))
      await attempted(api, delivery);
    for (let more = true; more; ) ({ more } = await feedReplays(api.db, new Date()));
    const [replay] = (await shop.call('GET', `/webhooks/${id}/replays`)).data.replays;
    expect(replay).toMatchObject({ state: 'done', replayed: 401 });
    expect(await deliveriesTo(id, shop.accountId)).toHaveLength(401);
  });

  test.each([
    [{ carriers: ['yto', 'no-such-carrier'] }, 'filter.carriers.1'],
    [{ carriers: 'yto' }, 'filter.carriers'],
    [{ sub_statuses: ['deliverd'] }, 'filter.sub_statuses.0'],
    [{ carrier: ['yto'] }, 'filter.carrier'],
    [{ metadata: { shop: 'hangzhou' } }, 'filter.metadata.shop'],
    ['yto', 'filter'],
  ])('%j is refused, and the fault is named', async (filter, field) => {
    const { call, accountId } = await merchant();
    const refused = await call('POST', '/webhooks', { url: 'https://example.com/a', events: ALL_EVENTS, filter });
    expect(refused).toMatchObject({ code: 4130, data: { errors: [expect.objectContaining({ field })] } });
    expect(await api.db.webhook.count({ where: { accountId } })).toBe(0);
  });
});

describe('what a disabled webhook misses', () => {
  const settled = async (webhook: { id: string; accountId: string }) => {
    await cancelPending(api.db, keyOf(webhook), 1000);
    await endDropping(api.db);
    for (let more = true; more; ) ({ more } = await feedReplays(api.db, new Date()));
  };
  const stateOf = async (webhook: { id: string; accountId: string }) =>
    (await deliveriesTo(webhook.id, webhook.accountId)).map(({ state, round }) => `${state} ${round}`).sort();

  test('is sent when it is enabled with replay: also what was dropped, nothing that had arrived, and only once', async () => {
    const shop = await merchant();
    const webhook = await newTestWebhook(api, shop.key);
    await reported(shop);
    for (const delivery of await loadDue(api.db, [allDue(webhook)], new Date())) await attempted(api, delivery);
    await reported(shop);
    await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
    await reported(shop);
    await reported(shop);
    expect(await stateOf(webhook)).toEqual(['delivered 0', 'owed 0']);
    const enabled = (await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true, replay: true })).data;
    expect(enabled).toMatchObject({ enabled: true, replay_id: expect.any(String) });
    await settled(webhook);
    expect(await stateOf(webhook)).toEqual(['delivered 0', 'owed 0', 'owed 0', 'owed 1']);
    const again = (await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true, replay: true })).data;
    expect(again).not.toHaveProperty('replay_id');
    await settled(webhook);
    expect(await stateOf(webhook)).toEqual(['delivered 0', 'owed 0', 'owed 0', 'owed 1']);
    const { replays } = (await shop.call('GET', `/webhooks/${webhook.id}/replays`)).data;
    expect(replays).toMatchObject([{ id: enabled.replay_id, state: 'done', replayed: 3 }]);
  });

  test('stays missed without replay', async () => {
    const shop = await merchant();
    const webhook = await newTestWebhook(api, shop.key);
    await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
    await reported(shop);
    await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true });
    await settled(webhook);
    expect(await stateOf(webhook)).toEqual([]);
  });

  test('begins at its registration if it was created disabled, and follows its events and its filter', async () => {
    const shop = await merchant();
    await reported(shop, { metadata: { shop: 'before' } });
    // Sooner than this, the clocks of processes may differ.
    await api.db
      .$executeRaw`UPDATE messages SET created_at = created_at - interval '5 minutes' WHERE account_id = ${shop.accountId}`;
    const body = {
      url: 'https://example.com/later',
      events: ['tracking_update'],
      enabled: false,
      filter: { metadata: { shop: ['now'] } },
    };
    const { data: registered } = await shop.call('POST', '/webhooks', body);
    expect(registered).toMatchObject({ enabled: false, secret: expect.stringMatching(/^whsec_/) });
    const webhook = { id: registered.id, accountId: shop.accountId };
    expect((await shop.call('GET', `/webhooks/${webhook.id}`)).data).toMatchObject({
      status: 'disabled',
      disabled_reason: null,
      disabled_at: expect.any(String),
    });
    await reported(shop, { metadata: { shop: 'now' } }, 'delivered');
    await reported(shop, { metadata: { shop: 'other' } });
    expect(await stateOf(webhook)).toEqual([]);
    await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true, replay: true });
    await settled(webhook);
    expect(await stateOf(webhook)).toEqual(['owed 0']);
  });

  test.each([[{ replay: true }], [{ replay: true, enabled: false }], [{ replay: true, supersede: true }]])(
    '%j is refused: it is sent when the webhook is enabled',
    async (body) => {
      const { key, call } = await merchant();
      const { id } = await newTestWebhook(api, key);
      expect(await call('PATCH', `/webhooks/${id}`, body)).toMatchObject({
        code: 4130,
        data: { errors: [{ field: 'replay' }] },
      });
      expect((await call('GET', `/webhooks/${id}`)).data).toMatchObject({ enabled: true, supersede: false });
    },
  );

  test('a known address that is registered as disabled stops', async () => {
    const { key, call } = await merchant();
    const { id, url } = await newTestWebhook(api, key);
    expect((await call('POST', '/webhooks', { url, events: ALL_EVENTS, enabled: false })).data).toMatchObject({
      id,
      enabled: false,
    });
  });
});

describe('the form of /v4', () => {
  const headersOf = (key: string) => ({ 'Tracking-Api-Key': key, 'Content-Type': 'application/json' });
  const v4 = async (method: string, path: string, key: string, body?: object) => {
    const response = await fetch(`${api.url}/v4${path}`, {
      method,
      headers: headersOf(key),
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { meta: { code: number }; data: never };
  };
  type Registered = { id: string; secret: string; events: string[] };

  test('a webhook that is registered there gets one push per change, in the form of its answers', async () => {
    const { key, call } = await merchant();
    const { meta, data } = await v4('POST', '/webhooks', key, { url: 'https://example.com/family' });
    expect(meta.code).toBe(200);
    const { id, secret, events } = data as Registered;
    expect(events).toEqual(['tracking_update']);
    expect((await call('GET', `/webhooks/${id}`)).data).toMatchObject({ format: 'v4', events });
    const from = pushes.length;
    await call('POST', '/webhooks/test', { id });
    const [push] = pushes.slice(from);
    expect(JSON.parse(push?.body ?? '')).toMatchObject({
      meta: { code: 200 },
      data: { tracking_number: 'TEST0000000000', delivery_status: 'transit', origin_info: { trackinfo: [{}] } },
    });
    const { timestamp = '', signature } = push?.headers ?? {};
    expect(signature).toBe(createHmac('sha256', secret).update(timestamp).digest('hex'));
  });

  test('a tampered push of the check fails for receivers of the family, too', async () => {
    const { key, call } = await merchant();
    const { id, secret } = await newTestWebhook(api, key, { format: 'v4' });
    const from = pushes.length;
    await call('POST', `/webhooks/${id}/check`);
    const isSigned = pushes.slice(from).map(
      ({ headers }) =>
        headers.signature ===
        createHmac('sha256', secret)
          .update(headers.timestamp ?? '')
          .digest('hex'),
    );
    expect(isSigned).toEqual([true, true, false, true]);
  });

  test('a wrong form is refused', async () => {
    const { call } = await merchant();
    const refused = await call('POST', '/webhooks', { url: 'https://example.com/a', events: ALL_EVENTS, format: 'v3' });
    expect(refused).toMatchObject({ code: 4130, data: { errors: [{ field: 'format' }] } });
  });
});

describe("the merchant's references", () => {
  test('are in pushes and in GET /events as they were then; a change alone causes no push', async () => {
    const shop = await merchant();
    await newTestWebhook(api, shop.key);
    const given = { order_id: 'A-1001', title: 'Blue jacket', metadata: { shop: 'hangzhou' } };
    const { id } = await reported(shop, given);
    await shop.call('PATCH', `/trackings/${id}`, { order_id: 'A-1002', metadata: { shop: 'kiel' }, title: '' });
    // Events are readable once all older transactions of the server are over.
    const feed = (count: number) =>
      eventually(async () => {
        const { events } = (await shop.call('GET', '/events')).data;
        expect(events).toHaveLength(count);
        return events;
      });
    expect(await feed(1)).toMatchObject([{ data: given }]);
    await report(id);
    const [before, after] = await feed(2);
    expect(before.data).toMatchObject(given);
    expect(after.data).toMatchObject({ order_id: 'A-1002', metadata: { shop: 'kiel' } });
    expect(after.data).not.toHaveProperty('title');
    const bodies = await api.db.message.findMany({
      where: { accountId: shop.accountId },
      orderBy: { position: 'asc' },
    });
    expect(bodies.map(({ body }) => JSON.parse(body).data)).toEqual([before.data, after.data]);
  });
});
