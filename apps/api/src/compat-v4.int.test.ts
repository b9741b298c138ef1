import { createRequire } from 'node:module';
import { ERRORS } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { startTestApi, type TestApi } from './testing/test-api.ts';

type Reply = { meta: { code: number; message: string }; data: never };
type Vendor = {
  trackings: {
    createTracking(params: object): Promise<Reply>;
    batchCreateTrackings(params: object[]): Promise<Reply>;
    getTrackingResults(params: object): Promise<Reply>;
    updateTrackingByID(id: string, params: object): Promise<Reply>;
    deleteTrackingByID(id: string): Promise<Reply>;
    retrackTrackingByID(id: string): Promise<Reply>;
  };
  couriers: { getAllCouriers(): Promise<Reply>; detect?(params: object): Promise<Reply> };
};

const load = createRequire(import.meta.url);

/** Node's own agent, which all tests of this process share: it is restored. */
const http = load('node:http');
const { request } = http;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const { port } = new URL(api.url);
  // The vendors' clients connect to port 80 only.
  http.request = (first: { port?: unknown }, ...rest: unknown[]) =>
    first.port === 80 ? request(Object.assign(first, { port }), ...rest) : request(first, ...rest);
}, 60_000);
afterAll(async () => {
  http.request = request;
  await api.close();
});

/** A vendor's own published client. Its address is fixed and is turned to the test's API; nothing else is touched. */
function vendorClient(name: string, key: string): Vendor {
  const Request = load(`${name}/src/lib/request`);
  Request.prototype.getBaseUrl = (path: string) => `http://127.0.0.1/v4/${path}`;
  const Client = load(name);
  return new Client(key) as Vendor;
}

const hoursAgo = (hours: number) => toUtcSeconds(new Date(Date.now() - hours * 3_600_000));
const PICKED_UP = hoursAgo(30);
const ARRIVED = hoursAgo(4);

/** Has the carrier say that a parcel was delivered. */
async function delivered(id: string): Promise<void> {
  const scan = (time: string, status: 'in_transit' | 'delivered', description: string) => ({
    time,
    timeRaw: time,
    zoneSource: 'carrier' as const,
    location: '云溪市',
    description,
    status,
  });
  const scans = [scan(PICKED_UP, 'in_transit', '已揽收'), scan(ARRIVED, 'delivered', '已签收')];
  const answer = { kind: 'found' as const, scans };
  const cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
  const changed = { trackingId: id, answer, fingerprint: 'f', finalLook: false, latencyMs: 5 };
  await saveAnswers(api.db, [changed], cadence, new Date());
}

describe.each(['trackingmore-sdk-nodejs', '51tracking'])("the vendor's client %s", (name) => {
  let vendor: Vendor;
  let accountId: string;
  beforeEach(async () => {
    const account = await api.account();
    accountId = account.id;
    vendor = vendorClient(name, account.key);
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the operation answers
  const data = async (reply: Promise<Reply>): Promise<any> => {
    const { meta, data } = await reply;
    expect(meta).toEqual({ code: 200, message: expect.any(String) });
    return data;
  };

  test('creates, reads, changes, deletes', async () => {
    const created = await data(
      vendor.trackings.createTracking({
        tracking_number: 'YT8812345678901',
        courier_code: 'auto',
        order_number: 'A-1',
        title: 'shoes',
        customer_name: 'Li Lei',
        note: '',
        language: 'en',
      }),
    );
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      tracking_number: 'YT8812345678901',
      courier_code: 'yto',
      order_number: 'A-1',
      created_at: expect.any(String),
      delivery_status: 'pending',
    });
    await delivered(created.id);
    const [record, ...others] = await data(
      vendor.trackings.getTrackingResults({ tracking_numbers: 'YT8812345678901' }),
    );
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      id: created.id,
      delivery_status: 'delivered',
      title: 'shoes',
      customer_name: 'Li Lei',
      note: null,
      latest_event: `已签收,云溪市,${ARRIVED}`,
      origin_info: {
        courier_code: 'yto',
        trackinfo: [
          { checkpoint_delivery_status: 'delivered', tracking_detail: '已签收' },
          { checkpoint_delivery_status: 'transit', location: '云溪市', checkpoint_date: PICKED_UP },
        ],
      },
    });
    const changed = await data(vendor.trackings.updateTrackingByID(created.id, { title: 'boots', note: 'fragile' }));
    expect(changed).toMatchObject({ title: 'boots', note: 'fragile', customer_name: 'Li Lei', order_number: 'A-1' });
    expect(await data(vendor.trackings.deleteTrackingByID(created.id))).toMatchObject({ id: created.id });
    expect(await data(vendor.trackings.getTrackingResults({}))).toEqual([]);
    expect(await api.db.check.count({ where: { accountId } })).toBe(0);
    expect((await vendor.trackings.deleteTrackingByID(created.id)).meta.code).toBe(4102);
  });

  test('creates many at once; invalid ones are reported separately', async () => {
    const result = await data(
      vendor.trackings.batchCreateTrackings([
        { tracking_number: 'YT8812345678902', courier_code: 'yto' },
        { tracking_number: 'YT8812345678903', courier_code: 'nobody' },
      ]),
    );
    expect(result.success).toMatchObject([{ tracking_number: 'YT8812345678902', delivery_status: 'pending' }]);
    expect(result.error).toMatchObject([
      {
        index: 1,
        field: 'courier_code',
        tracking_number: 'YT8812345678903',
        errorCode: 4120,
        docs_url: `${api.url}/docs/errors/4120`,
      },
    ]);
  });

  test('retracks, and refuses a retrack that is too soon', async () => {
    const params = { tracking_number: 'YT8812345678904', courier_code: 'yto' };
    const { id } = await data(vendor.trackings.createTracking(params));
    expect(await data(vendor.trackings.retrackTrackingByID(id))).toMatchObject({ id, courier_code: 'yto' });
    expect((await vendor.trackings.retrackTrackingByID(id)).meta).toMatchObject({ code: 4113 });
  });

  test('lists and detects couriers', async () => {
    const couriers = await data(vendor.couriers.getAllCouriers());
    expect(couriers).toContainEqual(expect.objectContaining({ courier_code: 'yto', courier_name: 'YTO Express' }));
    if (vendor.couriers.detect) {
      const [best] = await data(vendor.couriers.detect({ tracking_number: 'YT8812345678901' }));
      expect(best).toMatchObject({ courier_code: 'yto' });
    }
  });

  test('always gets JSON: it crashes on anything else', async () => {
    const stranger = vendorClient(name, `tk_${'0'.repeat(48)}`);
    expect((await stranger.couriers.getAllCouriers()).meta.code).toBe(401);
    const { meta } = await vendor.trackings.createTracking({ tracking_number: '??', courier_code: 'yto' });
    expect(meta).toEqual({ code: 4110, message: expect.stringContaining('5 to 50') });
    expect((await vendor.trackings.updateTrackingByID('nonsense', { title: 'x' })).meta.code).toBe(4112);
    expect((await vendor.trackings.retrackTrackingByID('a/b/c')).meta.code).toBe(404);
  });
});

test('numbers are answered in the order in which they were sent', async () => {
  const { key } = await api.account();
  const sent = ['YT8812345678909', 'YT8812345678906', 'YT8812345678909', 'YT8812345678908'];
  const numbersOf = (records: { tracking_number: string }[]) => records.map((each) => each.tracking_number);
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, `${api.url}/v4${path}`, { key, body })).body.data;
  await call('POST', '/trackings/create', { tracking_number: 'YT8812345678908' });
  const { success } = await call(
    'POST',
    '/trackings/batch',
    sent.map((tracking_number) => ({ tracking_number })),
  );
  expect(numbersOf(success)).toEqual(sent);
  const found = await call('GET', `/trackings/get?tracking_numbers=${sent.join()}`);
  expect(numbersOf(found)).toEqual([...new Set(sent)]);
});

test('the newest trackings of a carrier are found, however many newer ones others have', async () => {
  const { key } = await api.account();
  for (const [tracking_number, courier_code] of [
    ['YT8812345678901', 'yto'],
    ['ZT8812345678902', 'zto'],
  ])
    await api.call('POST', '/trackings/create', { key, body: { tracking_number, courier_code } });
  const newest = async (query: string) =>
    (await api.call('GET', `${api.url}/v4/trackings/get?items_amount=1${query}`, { key })).body.data;
  expect(await newest('&courier_code=')).toMatchObject([{ courier_code: 'zto' }]);
  expect(await newest('&courier_code=YTO')).toMatchObject([{ courier_code: 'yto' }]);
  const refused = await api.call('GET', `${api.url}/v4/trackings/get?courier_code=nobody`, { key });
  expect([refused.status, refused.body.meta]).toMatchObject([400, { code: 4120 }]);
  expect(await newest('&courier_code=yto&tracking_numbers=ZT8812345678902')).toEqual([]);
  expect(await newest('&pages_amount=1')).toMatchObject([{ courier_code: 'zto' }]);
  const second = await api.call('GET', `${api.url}/v4/trackings/get?items_amount=1&pages_amount=2`, { key });
  expect([second.status, second.body.meta]).toMatchObject([
    400,
    { code: 4130, message: expect.stringContaining('pages_amount must be 1: GET /api/v1/shipments') },
  ]);
});

test('a filter that is not offered is refused, instead of listing everything', async () => {
  const { key } = await api.account();
  const list = (query: string) => api.call('GET', `${api.url}/v4/trackings/get?${query}`, { key });
  const { status, body } = await list('archived_status=true&delivery_status=delivered&created_date_min=');
  expect([status, body.meta]).toMatchObject([400, { code: 4130 }]);
  expect(body.data.errors.map(({ field }: { field: string }) => field)).toEqual(['delivery_status', 'archived_status']);
  expect((await list('created_date_min=&lang=en')).status).toBe(200);
  // As in the examples of the vendors' clients.
  const named = await list('tracking_numbers=YT8812345678901&created_date_min=2023-08-23T06:00:00Z');
  expect(named.body.meta).toMatchObject({ code: 4102 });
});

test('a list without numbers, with too many, or with none that is registered is refused with the reason', async () => {
  const { key } = await api.account();
  const refusal = async (numbers: string) => {
    const path = `${api.url}/v4/trackings/get?tracking_numbers=${encodeURIComponent(numbers)}`;
    return (await api.call('GET', path, { key })).body.meta;
  };
  expect(await refusal(' , ')).toMatchObject({ code: 4111, message: expect.stringContaining('tracking_numbers') });
  expect(await refusal('?,'.repeat(41))).toMatchObject({ code: 4103 });
  const message = expect.stringContaining('separated by commas');
  expect(await refusal('YT8812345678901;YT8812345678902')).toMatchObject({ code: 4102, message });
});

test('a change does not add more metadata than a tracking can have', async () => {
  const { key } = await api.account();
  const metadata = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`name${n}`, 'value']));
  const created = await api.call('POST', '/trackings/create', {
    key,
    body: { tracking_number: 'YT8812345678901', metadata },
  });
  const { id } = created.body.data;
  const change = (body: object) => api.call('PUT', `${api.url}/v4/trackings/update/${id}`, { key, body });
  const refused = await change({ note: 'fragile', customer_name: 'Li Lei' });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { meta: { code: 4130, message: expect.stringContaining('at most 10 entries') } },
  ]);
  expect((await change({ note: 'fragile' })).body.data).toMatchObject({ note: 'fragile', customer_name: null });
  expect((await api.call('GET', `/trackings/${id}`, { key })).body.data.metadata).toEqual({
    ...metadata,
    note: 'fragile',
  });
});

test('changes at once keep the fields of each other', async () => {
  const { key } = await api.account();
  const body = { tracking_number: 'YT8812345678901' };
  const { id } = (await api.call('POST', `${api.url}/v4/trackings/create`, { key, body })).body.data;
  const sent = { customer_name: 'Li Lei', customer_email: 'li@shop.example', note: 'fragile', language: 'en' };
  const change = (body: object) => api.call('PUT', `${api.url}/v4/trackings/update/${id}`, { key, body });
  await Promise.all(Object.entries(sent).map(([name, value]) => change({ [name]: value })));
  expect((await change({})).body.data).toMatchObject(sent);
});

test('a change of the carrier moves the tracking; auto and the same one do not', async () => {
  const { key } = await api.account();
  const body = { tracking_number: 'YT8812345678901', courier_code: 'yto' };
  const { id } = (await api.call('POST', `${api.url}/v4/trackings/create`, { key, body })).body.data;
  await delivered(id);
  const change = async (courier_code: string) =>
    (await api.call('PUT', `${api.url}/v4/trackings/update/${id}`, { key, body: { courier_code } })).body;
  for (const same of ['auto', 'yto', ''])
    expect((await change(same)).data).toMatchObject({ courier_code: 'yto', delivery_status: 'delivered' });
  expect((await change('nobody')).meta).toMatchObject({ code: 4120 });
  expect((await change('zto')).data).toMatchObject({ courier_code: 'zto', delivery_status: 'pending' });
});

test('the scheduled day is the one at the destination', async () => {
  const { id, key } = await api.account();
  const body = { tracking_number: 'YT8812345678901', tracking_destination_country: 'CN' };
  await api.call('POST', `${api.url}/v4/trackings/create`, { key, body });
  const [from, to] = ['2031-04-07T14:00:00Z', '2031-04-07T17:00:00Z'];
  await api.db.tracking.updateMany({
    where: { accountId: id },
    data: { annotations: { estimate: { from, to, source: 'carrier' } } },
  });
  const found = await api.call('GET', `${api.url}/v4/trackings/get?tracking_numbers=YT8812345678901`, { key });
  expect(found.body.data).toMatchObject([{ scheduled_delivery_date: '2031-04-08' }]);
});

test('every refusal has the envelope of version 4, its number and its HTTP status', async () => {
  const { key } = await api.account({ quota: 0 });
  const create = (body: string, headers = {}) =>
    fetch(`${api.url}/v4/trackings/create`, {
      method: 'POST',
      headers: { 'Tracking-Api-Key': key, 'Content-Type': 'application/json', ...headers },
      body,
    });
  const expectations: [Promise<Response>, keyof typeof ERRORS][] = [
    [create('{'), 'bad_request'],
    [create('{}'), 'number_missing'],
    [create('[]'), 'bad_request'],
    [create('{"tracking_number":"YT8812345678901"}', { 'Content-Type': 'text/plain' }), 'unsupported_media_type'],
    [create('{"tracking_number":"YT8812345678901","courier_code":"yto"}'), 'quota_exhausted'],
    [create('{"tracking_number":"YT8812345678901","courier_code":"yto","title":7}'), 'invalid_field'],
    [fetch(`${api.url}/v4/nothing`), 'not_found'],
    [fetch(`${api.url}/v4/trackings/create`), 'method_not_allowed'],
  ];
  for (const [reply, error] of expectations) {
    const response = await reply;
    expect(await response.json()).toMatchObject({ meta: { code: ERRORS[error].number, message: expect.any(String) } });
    expect(response.status).toBe(ERRORS[error].http);
  }
});

describe('messages use the names of the family', () => {
  const create = async (path: string, body: unknown) => {
    const { key } = await api.account();
    const headers = { 'Tracking-Api-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(`${api.url}/v4${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as {
      meta: { message: string };
      data: { error: object[]; errors: { field: string }[] };
    };
  };
  const long = { tracking_number: 'YT8812345678901', order_number: 'x'.repeat(101) };

  test('of a single number', async () => {
    expect((await create('/trackings/create', long)).meta.message).toMatch(/^Invalid: order_number must have at most/);
    expect((await create('/trackings/create', { trackingNumber: 'YT8812345678901' })).meta.message).toBe(
      'Invalid: tracking_number is missing: send it under this name, not as trackingNumber.',
    );
  });

  test('of a detection', async () => {
    const { data } = await create('/couriers/detect', { tracking_number: 'no' });
    expect(data.errors).toMatchObject([{ field: 'tracking_number' }]);
  });

  test('of a batch', async () => {
    expect((await create('/trackings/batch', [{ tracking_number: 'no' }, long])).data.error).toMatchObject([
      { index: 0, field: 'tracking_number' },
      {
        index: 1,
        field: 'order_number',
        errorMessage: expect.stringMatching(/^Invalid: order_number must have at most/),
      },
    ]);
  });
});

describe('bodies of other forms', () => {
  const call = async (method: string, path: string, key: string, body: string) => {
    const headers = { 'Tracking-Api-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(`${api.url}/v4${path}`, { method, headers, body });
    return (await response.json()) as { meta: { code: number }; data: { id: string } };
  };

  test('a dry run of a batch answers what is registered already, and registers nothing', async () => {
    const { id: accountId, key } = await api.account();
    const numbers = (...list: string[]) => JSON.stringify(list.map((tracking_number) => ({ tracking_number })));
    await call('POST', '/trackings/batch', key, numbers('YT8812345678905'));
    const both = numbers('YT8812345678905', 'YT8812345678906', 'no');
    expect((await call('POST', '/trackings/batch?dry_run=true', key, both)).data).toMatchObject({
      success: [{ tracking_number: 'YT8812345678905' }],
      error: [{ tracking_number: 'no', errorCode: 4110 }],
    });
    expect(await api.db.tracking.count({ where: { accountId } })).toBe(1);
  });

  test.each([
    ['of a single number', '/trackings/create', { dry_run: true }],
    ['in another spelling', '/trackings/create', { dryRun: true }],
    ['in the address', '/trackings/create?dry_run=true', {}],
    ['of one number of a batch', '/trackings/batch', { dry_run: true }],
  ])('a dry run %s is refused, not charged', async (_what, path, asked) => {
    const { id: accountId, key } = await api.account();
    const item = { tracking_number: 'YT8812345678905', ...asked };
    const body = JSON.stringify(path === '/trackings/batch' ? [item] : item);
    expect(JSON.stringify(await call('POST', path, key, body))).toContain('4130');
    expect(await api.db.tracking.count({ where: { accountId } })).toBe(0);
  });

  test('a change with a list as its body names no id', async () => {
    const { key } = await api.account();
    const { id } = (await call('POST', '/trackings/create', key, '{"tracking_number":"YT8812345678907"}')).data;
    expect((await call('PUT', `/trackings/update/${id}`, key, '[]')).meta.code).toBe(400);
  });
});
