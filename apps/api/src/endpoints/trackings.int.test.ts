import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;

describe('POST /trackings/create', () => {
  test('returns id, status and the detected carrier, and charges a unit', async () => {
    const { key } = await api.account();
    const { status, body, headers } = await api.call('POST', '/trackings/create', {
      key,
      body: { tracking_number: 'yt89626-4678 5999' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ code: 200, meta: 200, message: '请求响应成功。' });
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      tracking_number: 'YT8962646785999',
      carrier: 'yto',
      status: '查询中',
      detected_carrier: 'yto',
      created: true,
      charged: 1,
    });
    expect(headers.get('X-Request-Id')).toBeTruthy();
    expect(await used(key)).toBe(1);
  });

  test('get returns all optional inputs', async () => {
    const { key } = await api.account();
    const inputs = {
      phone: '1234',
      postal_code: '100000',
      destination_country: 'US',
      order_id: 'A-1',
      title: '茶杯',
      metadata: { colour: 'blue' },
    };
    const created = await api.call('POST', '/trackings/create', {
      key,
      body: { tracking_number: 'ORDER12345', courier_code: 'sto', ...inputs },
    });
    expect(created.body.data).not.toHaveProperty('detected_carrier');
    const { body } = await api.call('GET', '/trackings/get?tracking_numbers=ORDER12345', { key });
    expect(body.data.success[0]).toMatchObject({
      carrier: 'sto',
      status: '查询中',
      sub_status: 'pending',
      events: [],
      ...inputs,
    });
  });

  test('the same number again is the same tracking and costs nothing', async () => {
    const { key } = await api.account();
    const body = { tracking_number: 'SF1385628716001' };
    const [first, second] = [
      await api.call('POST', '/trackings/create', { key, body }),
      await api.call('POST', '/trackings/create', { key, body }),
    ];
    expect(second.body.data).toEqual({ ...first.body.data, created: false, charged: 0 });
    expect(await used(key)).toBe(1);
  });

  test('auto detects as if the courier were left out, and an unknown number goes to the sandbox', async () => {
    const { key } = await api.account();
    const { body } = await api.call('POST', '/trackings/create', {
      key,
      body: { tracking_number: 'QQ999', courier_code: 'auto' },
    });
    expect(body.data).toMatchObject({ carrier: 'sandbox', detected_carrier: 'sandbox' });
  });

  test.each([
    ['a number that is missing', {}, 4111, 'tracking_number'],
    ['a number that is too short', { tracking_number: 'A1' }, 4110, 'tracking_number'],
    ['a number of another type', { tracking_number: 12345 }, 4110, 'tracking_number'],
    ['an unknown courier', { tracking_number: 'YT8962646785999', courier_code: 'pigeon' }, 4120, 'courier_code'],
    ['a title of another type', { tracking_number: 'YT8962646785999', title: 5 }, 4130, 'title'],
    ['a NUL byte', { tracking_number: 'YT8962646785999', title: 'a\u0000b' }, 4130, 'title'],
    [
      'too much metadata',
      {
        tracking_number: 'YT8962646785999',
        metadata: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v'])),
      },
      4130,
      'metadata',
    ],
    [
      'a metadata value of another type',
      { tracking_number: 'YT8962646785999', metadata: { k: 1 } },
      4130,
      'metadata.k',
    ],
    [
      'an invalid country',
      { tracking_number: 'YT8962646785999', destination_country: 'USA' },
      4130,
      'destination_country',
    ],
  ])('%s is refused with the field named, nothing stored and nothing charged', async (_, body, number, field) => {
    const { id, key } = await api.account();
    const answer = await api.call('POST', '/trackings/create', { key, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: number, meta: number });
    expect(answer.body.data.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(await used(key)).toBe(0);
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(0);
  });

  test('a quota that is used up refuses with 4190 and stores nothing; known numbers still answer', async () => {
    const { id, key } = await api.account({ quota: 1 });
    const known = { tracking_number: 'YT8962646785999' };
    expect((await api.call('POST', '/trackings/create', { key, body: known })).status).toBe(200);
    const refused = await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'YT8962646785998' } });
    expect(refused).toMatchObject({ status: 400, body: { code: 4190 } });
    expect((await api.call('POST', '/trackings/create', { key, body: known })).status).toBe(200);
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(1);
  });
});

describe('GET /trackings/get', () => {
  const many = Array.from({ length: 41 }, (_, n) => `MANY${n + 10}`).join(',');
  test.each([
    ['no number', '', 4111, /^Invalid: tracking_numbers is missing\.$/],
    ['a list in brackets', '?tracking_numbers[]=A12345', 4111, /under this name, not as tracking_numbers\[\]\.$/],
    ['a repeated name', '?tracking_numbers=A12345&tracking_numbers=B12345', 4110, /separated by commas/],
    ['an empty text', '?tracking_numbers=', 4111, /^Invalid: tracking_numbers must not be empty\.$/],
    ['only commas', '?tracking_numbers=%2C,', 4111, /^Invalid: tracking_numbers must not be empty\.$/],
    ['the name of a single number', '?tracking_number=GETA1', 4111, /under this name, not as tracking_number\.$/],
    ['another spelling', '?trackingNumbers=GETA1', 4111, /under this name, not as trackingNumbers\.$/],
    ['another separator', '?tracking_numbers=A12345;B12345', 4102, /several are separated by commas/],
    ['41 numbers', `?tracking_numbers=${many}`, 4103, /^A call takes at most 40 tracking numbers\.(?!.*quota)/],
  ])('%s: the message names the parameter, and no quota that a read does not use', async (_, query, code, message) => {
    const { key } = await api.account();
    const answer = await api.call('GET', `/trackings/get${query}`, { key });
    expect(answer.body).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('answers in the order requested, and reports the numbers that are not registered', async () => {
    const { key } = await api.account();
    for (const tracking_number of ['GETA1', 'GETB1'])
      await api.call('POST', '/trackings/create', { key, body: { tracking_number } });
    const { body } = await api.call('GET', '/trackings/get?tracking_numbers=getb1,NOPE1,GETA1', { key });
    expect(body.data.success.map((tracking: { tracking_number: string }) => tracking.tracking_number)).toEqual([
      'GETB1',
      'GETA1',
    ]);
    expect(body.data.rejected).toEqual([
      {
        index: 1,
        field: 'tracking_numbers',
        tracking_number: 'NOPE1',
        rejectedCode: 4102,
        rejectedMessage: expect.any(String),
        docs_url: `${api.url}/docs/errors/4102`,
      },
    ]);
  });

  test.each([
    ['none registered', 'tracking_numbers=NOPE1', 4102],
    ['no parameter', '', 4111],
    ['an empty list', 'tracking_numbers=,', 4111],
    ['41 numbers', `tracking_numbers=${Array.from({ length: 41 }, (_, i) => `N${10000 + i}`).join(',')}`, 4103],
    ['the parameter twice', 'tracking_numbers=GETA1&tracking_numbers=GETB1', 4110],
  ])('%s is refused', async (_, query, number) => {
    const { key } = await api.account();
    const answer = await api.call('GET', `/trackings/get?${query}`, { key });
    expect(answer).toMatchObject({ status: 400, body: { code: number, meta: number } });
  });

  test('answers the trackings of orders, and names the orders that have none', async () => {
    const { key } = await api.account();
    const orders = [
      ['ORDER11', 'A-1'],
      ['ORDER22', 'B 2'],
      ['ORDER33', 'A-1'],
    ];
    for (const [tracking_number, order_id] of orders)
      await api.call('POST', '/trackings/create', { key, body: { tracking_number, order_id } });
    const get = async (query: string) => (await api.call('GET', `/trackings/get?${query}`, { key })).body;
    const { data } = await get('order_ids=B%202,a-1,%20A-1,A-1');
    expect(data.success.map((each: { tracking_number: string }) => each.tracking_number)).toEqual([
      'ORDER22',
      expect.stringMatching(/ORDER(11|33)/),
      expect.stringMatching(/ORDER(11|33)/),
    ]);
    expect(data.unknown_order_ids).toEqual(['a-1']);
    expect(await get('order_ids=A-2')).toMatchObject({ code: 4102, message: expect.stringContaining('order ids') });
    expect(await get(`order_ids=${Array.from({ length: 41 }, (_, n) => n)}`)).toMatchObject({ code: 4103 });
    expect(await get('order_ids=A-1&tracking_numbers=ORDER22')).toMatchObject({
      code: 4130,
      data: { errors: [{ field: 'order_ids' }] },
    });
    expect(await get('order_ids=')).toMatchObject({ code: 4111 });
    expect((await get('order_ids=&tracking_numbers=ORDER22')).data.success).toHaveLength(1);
    const v4 = (await api.call('GET', `${api.url}/v4/trackings/get?order_numbers=A-1,B%202`, { key })).body.data;
    expect(v4.map((each: { order_number: string }) => each.order_number).sort()).toEqual(['A-1', 'A-1', 'B 2']);
  });

  test("another account's tracking is not registered here", async () => {
    const [mine, other] = [await api.account(), await api.account()];
    await api.call('POST', '/trackings/create', { key: other.key, body: { tracking_number: 'SECRET1' } });
    expect((await api.call('GET', '/trackings/get?tracking_numbers=SECRET1', { key: mine.key })).body.code).toBe(4102);
  });
});

describe('retrack', () => {
  test('of twenty at once exactly one is granted, the others get the time to wait', async () => {
    const { key } = await api.account();
    const { body } = await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'RETRACK1' } });
    const path = `/trackings/retrack/${body.data.id}`;
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', path, { key })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter((answer) => answer.body.code === 4113);
    expect(refused).toHaveLength(19);
    const passedSeconds = (performance.now() - startedAt) / 1000;
    const waits = refused.map(({ headers }) => Number(headers.get('Retry-After')));
    expect(Math.min(...waits)).toBeGreaterThan(3599 - passedSeconds);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3600);
  });

  test('takes a number as well', async () => {
    const { key } = await api.account();
    await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'RETRACK2' } });
    const answer = await api.call('POST', '/trackings/retrack', { key, body: { tracking_number: 'retrack-2' } });
    expect(answer.body.data).toEqual({
      id: expect.any(String),
      status: '查询中',
      retracked_at: expect.stringMatching(/Z$/),
    });
  });

  test.each([
    ['a malformed id', '/trackings/retrack/xyz', undefined, 4112],
    ["an id that is not the account's", '/trackings/retrack/0123456789abcdef01234567', undefined, 404],
    ['a number that is not registered', '/trackings/retrack', { tracking_number: 'NOPE1' }, 4102],
    ['neither id nor number', '/trackings/retrack', {}, 4111],
  ])('%s is refused', async (_, path, body, number) => {
    const { key } = await api.account();
    const status = number === 404 ? 404 : 400;
    expect(await api.call('POST', path, { key, body })).toMatchObject({ status, body: { code: number } });
  });

  test('an id and a number of two parcels retrack neither', async () => {
    const { key } = await api.account();
    const ids: string[] = [];
    for (const tracking_number of ['RETRACK3', 'RETRACK4'])
      ids.push((await api.call('POST', '/trackings/create', { key, body: { tracking_number } })).body.data.id);
    const retrack = (id: string | undefined) =>
      api.call('POST', '/trackings/retrack', { key, body: { id, tracking_number: 'RETRACK4' } });
    expect(await retrack(ids[0])).toMatchObject({
      status: 400,
      body: { code: 4130, data: { errors: [{ field: 'id', message: expect.stringContaining('send only the id') }] } },
    });
    expect(await api.call('POST', `/trackings/retrack/${ids[0]}`, { key })).toMatchObject({ status: 200 });
    expect(await retrack(ids[1])).toMatchObject({ status: 200, body: { data: { id: ids[1] } } });
  });

  test('a number that is registered with two carriers requires the carrier', async () => {
    const { key } = await api.account();
    for (const courier_code of ['sto', 'yto'])
      await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'TWICE1', courier_code } });
    expect((await api.call('POST', '/trackings/retrack', { key, body: { tracking_number: 'TWICE1' } })).body.code).toBe(
      4122,
    );
    const body = { tracking_number: 'TWICE1', courier_code: 'yto' };
    expect((await api.call('POST', '/trackings/retrack', { key, body })).status).toBe(200);
  });
});
