import type { Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const NUMBER = 'YT8962646785999';

let api: TestApi;
beforeAll(async () => {
  // A second passes with each look at the cache of keys, after which every replica knows the choice.
  let ms = 0;
  api = await startTestApi({ now: () => NOW, keyClock: () => (ms += 1000) });
}, 60_000);
afterAll(() => api.close());

/** A scan a day, at eight in the morning in Germany. */
const scan = (day: number, more: Partial<Scan>): Scan => ({
  time: `2031-04-0${day}T06:00:00Z`,
  timeRaw: `2031-04-0${day}T08:00:00+02:00`,
  zoneSource: 'carrier',
  location: 'Kiel, DE',
  description: String(more.status),
  status: 'in_transit',
  ...more,
});
const COLLECTED = scan(1, { code: 'PU', place: { city: 'Kiel', country: 'DE' } });
const HELD = scan(2, { status: 'exception', problem: 'customs', code: 'CH' });
const OUT = scan(3, { status: 'out_for_delivery' });
const SIGNED = scan(4, { status: 'delivered', proof: { to: 'neighbor', signedBy: 'HOLT' } });

async function parcel(...scans: Scan[]) {
  const { key, id: accountId } = await api.account();
  const { data } = (await api.call('POST', '/trackings/create', { key, body: { tracking_number: NUMBER } })).body;
  await answers(data.id, scans);
  return { key, accountId, id: data.id as string };
}

async function answers(trackingId: string, scans: Scan[], more: Partial<Found> = {}) {
  const answer: Found = { kind: 'found', scans, ...more };
  const fingerprint = String(Math.random());
  await saveAnswers(api.db, [{ trackingId, answer, fingerprint, finalLook: false }], CADENCE, NOW);
}

const read = async (key: string, query: string) =>
  (await api.call('GET', `/trackings/get?tracking_numbers=${NUMBER}${query}`, { key })).body.data.success[0];
const lastPush = async (accountId: string) => {
  const { body } = await api.db.message.findFirstOrThrow({ where: { accountId }, orderBy: { position: 'desc' } });
  return JSON.parse(body).data;
};

describe('an answer', () => {
  test('has the problem in words, in the language asked for', async () => {
    const { key } = await parcel(COLLECTED, HELD);
    expect(await read(key, '&include=problem')).toMatchObject({ problem: 'customs' });
    expect(await read(key, '&include=problem')).not.toHaveProperty('problem_text');
    expect(await read(key, '&include=problem&lang=de')).toMatchObject({ problem_text: 'Vom Zoll zurückgehalten' });
    expect(await read(key, '&include=problem&lang=zh')).toMatchObject({ problem_text: '海关扣留' });
    expect(await read(key, '')).not.toHaveProperty('problem');
  });

  test('has the milestones and the proof of a delivery, wherever parcels are shown', async () => {
    const { key, id } = await parcel(COLLECTED, HELD, OUT, SIGNED);
    const facts = {
      picked_up_at: '2031-04-01T06:00:00Z',
      out_for_delivery_at: '2031-04-03T06:00:00Z',
      first_attempt_at: '2031-04-04T06:00:00Z',
      delivered_at: '2031-04-04T06:00:00Z',
      transit_days: 3,
      delivered_to: 'neighbor',
      signed_by: 'HOLT',
    };
    const query = 'include=milestones,proof';
    expect(await read(key, `&${query}`)).toMatchObject(facts);
    expect((await api.call('GET', `/trackings/${id}?${query}`, { key })).body.data).toMatchObject(facts);
    const [listed] = (await api.call('GET', `/shipments?${query}`, { key })).body.data.shipments;
    expect(listed).toMatchObject(facts);
    expect(listed).not.toHaveProperty('problem');
    const csv = await fetch(`${api.url}/api/v1/shipments.csv?${query}`, { headers: { 'X-API-Key': key } });
    const [head, line] = (await csv.text()).split('\r\n');
    expect(head).toMatch(
      /,id,picked_up_at,out_for_delivery_at,first_attempt_at,delivered_at,transit_days,delivered_to,signed_by,proof_urls$/,
    );
    expect(line).toMatch(/,2031-04-04T06:00:00Z,'?3,neighbor,HOLT,$/);
  });

  test('has the pick-up point until the parcel has arrived', async () => {
    const { key, id, accountId } = await parcel(COLLECTED);
    const pickupPoint = { name: 'FEN01A', address: 'Lipowa 1', openingHours: '24/7', latitude: 52.1, longitude: 20.9 };
    const pickup_point = {
      name: 'FEN01A',
      address: 'Lipowa 1',
      opening_hours: '24/7',
      latitude: 52.1,
      longitude: 20.9,
    };
    await answers(id, [COLLECTED], { pickupPoint });
    expect(await read(key, '')).not.toHaveProperty('pickup_point');
    expect(await read(key, '&include=pickup')).toMatchObject({ pickup_point });
    const [listed] = (await api.call('GET', '/shipments?include=pickup', { key })).body.data.shipments;
    expect(listed).toMatchObject({ pickup_point });
    const csv = await fetch(`${api.url}/api/v1/shipments.csv?include=pickup`, { headers: { 'X-API-Key': key } });
    expect(await csv.text()).toMatch(/,pickup_point\r\n[\s\S]*"{""name"":""FEN01A""/);
    await api.call('PATCH', '/account', { key, body: { include: ['pickup'] } });
    await answers(id, [COLLECTED, OUT], { pickupPoint });
    expect(await lastPush(accountId)).toMatchObject({ pickup_point });
    await answers(id, [COLLECTED, OUT, SIGNED], { pickupPoint });
    expect(await read(key, '&include=pickup')).not.toHaveProperty('pickup_point');
  });

  test('has structured events whose ids stay when the carrier is asked again and corrects them', async () => {
    const { key, id } = await parcel(COLLECTED, HELD);
    const { events } = await read(key, '&include=scans');
    expect(events).toEqual([
      {
        ...{ time: '2031-04-01T06:00:00Z', location: 'Kiel, DE', description: 'undefined', status: 'in_transit' },
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        city: 'Kiel',
        country: 'DE',
        local_time: '2031-04-01T08:00:00+02:00',
        zone_source: 'carrier',
        carrier_code: 'PU',
      },
      expect.objectContaining({ problem: 'customs', carrier_code: 'CH', id: expect.not.stringMatching(/^$/) }),
    ]);
    await answers(id, [COLLECTED, { ...HELD, time: '2031-04-02T07:00:00Z' }, OUT]);
    const again = (await read(key, '&include=scans')).events;
    expect(again.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual(events.map(({ id }: { id: string }) => id));
    const other = await parcel(COLLECTED);
    expect((await read(other.key, '&include=scans')).events[0].id).not.toBe(events[0].id);
  });

  test('loses what a withdrawn delivery had', async () => {
    const { key, id } = await parcel(COLLECTED, OUT, SIGNED);
    await answers(id, [COLLECTED, OUT]);
    const after = await read(key, '&include=milestones,proof');
    expect(after).toMatchObject({ out_for_delivery_at: '2031-04-03T06:00:00Z', reason: 'delivery_revoked' });
    for (const gone of ['delivered_at', 'transit_days', 'delivered_to', 'signed_by'])
      expect(after).not.toHaveProperty(gone);
  });

  test.each([
    ['/trackings/get?tracking_numbers=YT1&include=problems'],
    ['/shipments?include=problem,,scans'],
    ['/shipments?include=problem&include=scans'],
    ['/trackings/0123456789abcdef01234567?include=all'],
    ['/shipments.csv?include=everything'],
  ])('%s is refused, with the names that there are', async (path) => {
    const { key } = await api.account();
    const { status, body } = await api.call('GET', path, { key });
    expect([status, body.code]).toEqual([400, 4130]);
    expect(body.data.errors).toEqual([
      { field: 'include', message: expect.stringMatching(/problem, milestones, proof, scans|separated by commas/) },
    ]);
  });
});

describe('the choice of an account', () => {
  const choose = (key: string, body: object) => api.call('PATCH', '/account', { key, body });

  test('holds for answers and for pushes, in its language, until it is cleared', async () => {
    const { key, accountId, id } = await parcel(COLLECTED);
    expect(await lastPush(accountId)).not.toHaveProperty('picked_up_at');
    const chosen = await choose(key, { include: ['scans', 'problem', 'problem'], lang: 'de' });
    expect(chosen.body.data).toMatchObject({ plan: 'pro', include: ['problem', 'scans'], lang: 'de' });
    expect((await api.call('GET', '/account', { key })).body.data).toEqual(chosen.body.data);
    await answers(id, [COLLECTED, HELD]);
    const push = await lastPush(accountId);
    expect(push).toMatchObject({ problem: 'customs', problem_text: 'Vom Zoll zurückgehalten' });
    expect(push.events[1]).toMatchObject({ carrier_code: 'CH', problem: 'customs' });
    expect(push.events).toEqual((await read(key, '')).events);
    expect(await read(key, '&include=')).not.toHaveProperty('problem');
    const cleared = await choose(key, { include: [], lang: '' });
    expect(cleared.body.data).not.toHaveProperty('include');
    expect(cleared.body.data).not.toHaveProperty('lang');
    await answers(id, [COLLECTED, HELD, OUT]);
    expect(Object.keys(await lastPush(accountId))).not.toContain('problem');
  });

  test('holds in /v4, under the names of the API family', async () => {
    const { key } = await parcel(COLLECTED, SIGNED);
    const record = async () => {
      const headers = { 'Tracking-Api-Key': key };
      const response = await fetch(`${api.url}/v4/trackings/get?tracking_numbers=${NUMBER}`, { headers });
      return (await response.json()).data[0];
    };
    expect(Object.keys(await record())).not.toContain('transit_time');
    await choose(key, { include: ['milestones', 'proof'] });
    expect(await record()).toMatchObject({
      transit_time: 3,
      milestone_date: { pickup_date: '2031-04-01T06:00:00Z', outfordelivery_date: null },
      signed_by: 'HOLT',
    });
  });

  test.each([
    [{ include: ['problems'] }, 'include.0', /did you mean problem/],
    [{ include: 'problem' }, 'include', /array/],
    [{ lang: 'xx' }, 'lang', /must be one of en, zh/],
    [{ includes: ['problem'] }, 'includes', /include/],
    [{}, undefined, /./],
  ])('%j is refused and changes nothing', async (body, field, message) => {
    const { key } = await api.account();
    const refused = await choose(key, body);
    expect(refused.status).toBe(400);
    if (field) expect(refused.body.data.errors).toEqual([{ field, message: expect.stringMatching(message) }]);
    expect((await api.call('GET', '/account', { key })).body.data).not.toHaveProperty('include');
  });

  test('needs a key with the scope admin', async () => {
    const { id } = await api.account();
    const { apiKey } = await api.key(id, { scopes: ['read', 'write'] });
    expect((await choose(apiKey, { include: ['problem'] })).status).toBe(403);
  });
});

describe('the attention of an account', () => {
  const change = (key: string, attention: object) => api.call('PATCH', '/account', { key, body: { attention } });

  test('is as by default until it is changed, and again when that is chosen', async () => {
    const { key } = await api.account();
    const changed = await change(key, { days: { in_transit: 3 } });
    const days = { pending: 3, info_received: 5, in_transit: 3, out_for_delivery: 2, available_for_pickup: 0 };
    expect(changed.body.data.attention).toEqual({ events: false, days });
    const both = await change(key, { events: true, days: { available_for_pickup: 4 } });
    expect(both.body.data.attention).toEqual({ events: true, days: { ...days, available_for_pickup: 4 } });
    expect((await api.call('GET', '/account', { key })).body.data).toEqual(both.body.data);
    const back = await change(key, { events: false, days: { in_transit: 7, available_for_pickup: 0 } });
    expect(back.body.data).not.toHaveProperty('attention');
  });

  test('counts for lists, counts and exports', async () => {
    const { key, accountId } = await parcel(COLLECTED);
    const updatedAt = new Date(NOW.getTime() - 3 * 86_400_000);
    await api.db.tracking.updateMany({ where: { accountId }, data: { updatedAt } });
    const summary = async () => (await api.call('GET', '/attention', { key })).body.data;
    expect(await summary()).toMatchObject({ reasons: [], newest: [] });
    await change(key, { days: { in_transit: 3 } });
    const attention = { reason: 'no_news', message: 'There have been no updates for 3 days.' };
    expect(await summary()).toMatchObject({ reasons: [{ reason: 'no_news', count: 1 }], newest: [{ attention }] });
    const { data } = (await api.call('GET', '/shipments?needs_attention=no_news', { key })).body;
    expect(data.shipments).toMatchObject([{ attention }]);
  });

  test.each([
    [{ days: { in_transit: 0 } }, 'attention.days.in_transit', /at least 1/],
    [{ days: { in_transit: 30 } }, 'attention.days.in_transit', /at most 29/],
    [{ days: { available_for_pickup: 1.5 } }, 'attention.days.available_for_pickup', /integer/],
    [{ days: { delivered: 3 } }, 'attention.days.delivered', /unknown|not|did you mean/],
    [{ event: true }, 'attention.event', /events/],
    [{ events: 'yes' }, 'attention.events', /boolean/],
  ])('%j is refused, and nothing changes', async (attention, field, message) => {
    const { key } = await api.account();
    const { status, body } = await change(key, attention);
    expect([status, body.code]).toEqual([400, 4130]);
    expect(body.data.errors).toEqual([{ field, message: expect.stringMatching(message) }]);
    expect((await api.call('GET', '/account', { key })).body.data).not.toHaveProperty('attention');
  });
});
