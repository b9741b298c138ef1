import type { Provider } from '@pts/carriers/provider';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { queryQueue } from '@pts/queue/catalog';
import { createProducer, type Producer } from '@pts/queue/wake';
import { testQueue } from '@pts/testing/queue';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const NONE = '0123456789abcdef01234567';

let api: TestApi;
let now = NOW;
let queue: Awaited<ReturnType<typeof testQueue>>;
let producer: Producer;
beforeAll(async () => {
  queue = await testQueue('redis', '');
  producer = createProducer(queue, () => {});
  api = await startTestApi({
    producer,
    providers: [provider('floored', 1800, ['yto', 'sto']), provider('free', 0, ['zto', 'sandbox'])],
    now: () => now,
  });
}, 60_000);
afterAll(async () => {
  await api.close();
  await producer.close();
  await queue.close();
});
beforeEach(() => {
  now = NOW;
});

function provider(name: string, floorSeconds: number, carriers: string[]): Provider {
  return {
    name,
    limits: { batchSize: 40, callsPerSecond: 10, concurrency: 1, floorSeconds },
    serves: (carrier) => carriers.includes(carrier),
  };
}

async function created(body: object = { tracking_number: 'YT8962646785999' }) {
  const account = await api.account();
  const answer = await api.call('POST', '/trackings/create', { key: account.key, body });
  return { ...account, id: answer.body.data.id as string };
}

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;
const checkOf = (trackingId: string) => api.db.check.findUnique({ where: { trackingId } });

/** The carrier says that it was delivered. */
async function delivered(id: string, carrier = 'yto') {
  const time = '2031-04-01T00:00:00Z';
  const scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '已签收', status: 'delivered' };
  const answer = { kind: 'found', scans: [scan] } as Parameters<typeof saveAnswers>[1][number]['answer'];
  await saveAnswers(api.db, [{ trackingId: id, carrier, answer, fingerprint: 'x', finalLook: false }], CADENCE, now);
}

describe('an id in the path', () => {
  const calls = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/explain'],
  ] as const;
  test.each(calls)(
    "%s %s: another account's tracking is not registered here, and stays as it is",
    async (method, sub) => {
      const { id } = await created();
      const { key } = await api.account();
      for (const requested of [id, NONE]) {
        const more = method === 'PATCH' ? { key, body: { title: 'mine', courier_code: 'sto' } } : { key };
        expect(await api.call(method, `/trackings/${requested}${sub}`, more)).toMatchObject({
          status: 404,
          body: { code: 404, meta: 404, message: expect.stringMatching(/^No tracking with this id is registered/) },
        });
      }
      expect(await api.db.tracking.findUnique({ where: { id } })).toMatchObject({ carrier: 'yto', title: null });
    },
  );

  test('take 5 requests a second together', async () => {
    const limited = await startTestApi({ limits: [], limitWindowSeconds: 3600 });
    const answers = await burst(limited);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
    expect(answers[0]?.headers.get('RateLimit-Limit')).toBe('5');
    await limited.close();
  });
});

/** Twenty calls of an account of its own. */
async function burst(limited: TestApi) {
  const { key } = await limited.account();
  return Promise.all(Array.from({ length: 20 }, () => limited.call('GET', `/trackings/${NONE}`, { key })));
}

describe('GET /trackings/{id}', () => {
  test('returns the tracking like get', async () => {
    const { key, id } = await created({ tracking_number: 'YT8962646785999', title: '茶杯', metadata: { a: 'b' } });
    const one = await api.call('GET', `/trackings/${id}`, { key });
    const { body } = await api.call('GET', '/trackings/get?tracking_numbers=YT8962646785999', { key });
    expect(one.status).toBe(200);
    expect(one.body.data).toEqual(body.data.success[0]);
  });
});

describe('PATCH /trackings/{id}', () => {
  const patch = (key: string, id: string, body: unknown) => api.call('PATCH', `/trackings/${id}`, { key, body });

  test('changes the merchant’s fields, and null clears them; the rest stays', async () => {
    const { key, id } = await created({
      tracking_number: 'YT8962646785999',
      title: 'a',
      order_id: '1',
      metadata: { a: 'b' },
    });
    const set = await patch(key, id, { title: '茶杯', metadata: { c: 'd' } });
    expect(set.body.data).toMatchObject({ id, title: '茶杯', order_id: '1', metadata: { c: 'd' }, carrier: 'yto' });
    const { data } = (await patch(key, id, { title: null, order_id: null, metadata: null })).body;
    expect(Object.keys(data)).not.toEqual(expect.arrayContaining(['title']));
    expect([data.title, data.order_id, data.metadata]).toEqual([undefined, undefined, undefined]);
    expect((await api.call('GET', `/trackings/${id}`, { key })).body.data).toEqual(data);
  });

  test.each([
    ['nothing', {}, 4130, 'courier_code'],
    ['only fields it does not know', { colour: 'blue' }, 4130, 'courier_code'],
    ['a title of another type', { title: 5 }, 4130, 'title'],
    ['a phone that is none', { phone: 'call me' }, 4130, 'phone'],
    ['a country of three letters', { destination_country: 'DEU' }, 4130, 'destination_country'],
    ['a control character', { order_id: 'a\u0007' }, 4130, 'order_id'],
    ['metadata that is a list', { metadata: [] }, 4130, 'metadata'],
    ['a metadata value of another type', { metadata: { k: 1 } }, 4130, 'metadata.k'],
    ['a carrier of another type', { courier_code: null }, 4130, 'courier_code'],
    ['the id of another parcel', { id: NONE, title: 'x' }, 4130, 'id'],
    ['an unknown carrier', { courier_code: 'pigeon', title: 'x' }, 4120, 'courier_code'],
    ['a carrier that no provider serves', { courier_code: 'ups', title: 'x' }, 4121, undefined],
  ])('%s is refused, and nothing changed', async (_, body, number, field) => {
    const { key, id } = await created();
    const before = (await api.call('GET', `/trackings/${id}`, { key })).body.data;
    const answer = await patch(key, id, body);
    expect([answer.status, answer.body.code]).toEqual([400, number]);
    expect(answer.body.data.errors?.[0]?.field).toBe(field);
    expect((await api.call('GET', `/trackings/${id}`, { key })).body.data).toEqual(before);
  });

  test('a record can be sent back with its id, or with an empty one', async () => {
    const { key, id } = await created({ tracking_number: 'YT8962646785999', title: 'a' });
    const record = (await api.call('GET', `/trackings/${id}`, { key })).body.data;
    for (const sent of [id, null, '']) {
      const { status, body } = await patch(key, id, { ...record, id: sent, title: 'b' });
      expect([status, body.data.title]).toEqual([200, 'b']);
    }
  });

  test('nothing to change says what can be sent', async () => {
    const { key, id } = await created();
    expect((await patch(key, id, {})).body.message).toMatch(
      /courier_code, phone, postal_code, destination_country, order_id, title or metadata/,
    );
  });

  test('another carrier: the former one’s data is dropped, the new one is queried at once, nothing is charged', async () => {
    const { key, id } = await created();
    await delivered(id);
    now = later(60);
    const { status, body } = await patch(key, id, { courier_code: 'zto' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ carrier: 'zto', status: '查询中', sub_status: 'pending', events: [] });
    expect(body.data).toMatchObject({ last_checked_at: null, next_check_at: '2031-04-05T06:01:00Z' });
    expect(body.data).not.toHaveProperty('detected_carrier');
    const row = await api.db.tracking.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ provider: 'free', seq: 2, latestEvent: null, lastAnswer: null, updatedAt: later(60) });
    expect(await checkOf(id)).toMatchObject({ provider: 'free', carrier: 'zto', fingerprint: null, finalLook: false });
    expect(await used(key)).toBe(1);
  });

  test('a new carrier wakes its provider, a new title wakes none', async () => {
    const { key, id } = await created();
    await queue.forget();
    await patch(key, id, { title: 'x' });
    expect(await queue.waiting(queryQueue('free'))).toBe(0);
    await patch(key, id, { courier_code: 'zto' });
    expect(await queue.waiting(queryQueue('free'))).toBe(1);
  });

  test('a phone that was missing reaches the carrier at once, and is not charged', async () => {
    const { key, id } = await created({ tracking_number: 'YT8962646785999', courier_code: 'zto' });
    await queue.forget();
    const { body } = await patch(key, id, { phone: '5678', postal_code: '', destination_country: 'de' });
    expect(body.data).toMatchObject({
      phone: '5678',
      destination_country: 'DE',
      next_check_at: '2031-04-05T06:00:00Z',
    });
    expect(body.data).not.toHaveProperty('postal_code');
    expect((await checkOf(id))?.hints).toEqual({ phone: '5678', destinationCountry: 'DE' });
    expect(await queue.waiting(queryQueue('free'))).toBe(1);
    expect(await used(key)).toBe(1);
  });

  test('auto detects the carrier again', async () => {
    const { key, id } = await created({ tracking_number: 'YT8962646785999', courier_code: 'zto' });
    const { body } = await patch(key, id, { courier_code: 'auto' });
    expect(body.data).toMatchObject({ carrier: 'yto', detected_carrier: 'yto' });
  });

  test.each(['', ' '])('the empty courier_code %j does not move it to the detected carrier', async (code) => {
    const { key, id } = await created({ tracking_number: 'YT8962646785999', courier_code: 'zto' });
    await delivered(id, 'zto');
    const { body } = await patch(key, id, { courier_code: code, title: 'mine' });
    expect(body.data).toMatchObject({ carrier: 'zto', status: '已签收', title: 'mine' });
    expect((await patch(key, id, { courier_code: code })).body.code).toBe(4130);
  });

  test('naming the current carrier drops nothing', async () => {
    const { key, id } = await created();
    await delivered(id);
    const { body } = await patch(key, id, { courier_code: 'yto' });
    expect(body.data).toMatchObject({ carrier: 'yto', status: '已签收' });
    expect(body.data).not.toHaveProperty('detected_carrier');
  });

  test('a number that is already registered with that carrier: its id is returned, and nothing changes', async () => {
    const { key, id } = await created();
    const other = await api.call('POST', '/trackings/create', {
      key,
      body: { tracking_number: 'YT8962646785999', courier_code: 'zto' },
    });
    const { status, body } = await patch(key, id, { courier_code: 'zto', title: 'x' });
    expect([status, body.code, body.data.errors[0].field]).toEqual([400, 4130, 'courier_code']);
    expect(body.data.errors[0].message).toContain(other.body.data.id);
    expect(await api.db.tracking.findUnique({ where: { id } })).toMatchObject({ carrier: 'yto', title: null });
  });

  test('of two trackings of a number moved to one carrier at once, one gets it', async () => {
    const { key, id } = await created();
    const second = await api.call('POST', '/trackings/create', {
      key,
      body: { tracking_number: 'YT8962646785999', courier_code: 'sto' },
    });
    const ids = [id, second.body.data.id];
    const answers = await Promise.all(ids.map((each) => patch(key, each, { courier_code: 'zto' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const carriers = await api.db.tracking.findMany({ where: { id: { in: ids } }, select: { carrier: true } });
    expect(carriers.filter(({ carrier }) => carrier === 'zto')).toHaveLength(1);
  });
});

describe('DELETE /trackings/{id}', () => {
  test('the parcel is removed, its unit is not refunded, and pending deliveries stay', async () => {
    const { key, id } = await created();
    await delivered(id);
    expect((await api.call('DELETE', `/trackings/${id}`, { key })).body.data).toEqual({ id });
    expect(await checkOf(id)).toBeNull();
    expect(await used(key)).toBe(1);
    expect(await api.db.message.count({ where: { trackingId: id } })).toBe(2);
    for (const method of ['GET', 'DELETE'])
      expect((await api.call(method, `/trackings/${id}`, { key })).status).toBe(404);
  });
});

describe('POST /trackings/restore', () => {
  const restore = (key: string, body: object) => api.call('POST', '/trackings/restore', { key, body });

  test('a removed parcel is back with its history, at no charge; what cannot be restored is named with its reason', async () => {
    const { key, id } = await created();
    await delivered(id);
    await api.call('DELETE', `/trackings/${id}`, { key });
    const unknown = '65a1b2c3d4e5f60718293a4b';
    expect((await restore(key, { ids: [id, unknown] })).body.data).toEqual({
      restored: [id],
      not_restored: [{ id: unknown, reason: 'not_found' }],
      more: false,
    });
    expect((await api.call('GET', `/trackings/${id}`, { key })).body.data.status).toBe('已签收');
    expect(await used(key)).toBe(1);
  });

  test('the number is registered again: the removed parcel stays removed', async () => {
    const { key, id } = await created();
    await api.call('DELETE', `/trackings/${id}`, { key });
    await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'YT8962646785999' } });
    expect((await restore(key, { ids: [id] })).body.data.not_restored).toEqual([{ id, reason: 'registered_again' }]);
  });

  test.each([[{}], [{ ids: ['65a1b2c3d4e5f60718293a4b'], bulk_action_id: '65a1b2c3d4e5f60718293a4b' }]])(
    '%j is refused: either ids or a bulk action',
    async (body) => {
      const { key } = await created();
      expect(await restore(key, body)).toMatchObject({ status: 400, body: { data: { errors: [{ field: 'ids' }] } } });
    },
  );
});
