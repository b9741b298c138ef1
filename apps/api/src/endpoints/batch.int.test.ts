import { carriers } from '@pts/carriers/registry/registry';
import { type TestDatabase, testDatabase, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import pg from 'pg';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;
const numbers = (count: number, prefix = 'BULK') => Array.from({ length: count }, (_, i) => `${prefix}${1000 + i}`);

describe('POST /trackings/batch', () => {
  test.each([
    ['a bare array', (list: string[]) => list.map((tracking_number) => ({ tracking_number }))],
    ['trackings', (list: string[]) => ({ trackings: list.map((tracking_number) => ({ tracking_number })) })],
    ['tracking_numbers', (list: string[]) => ({ tracking_numbers: list })],
  ])('takes %s', async (_, bodyOf) => {
    const { key } = await api.account();
    const { status, body } = await api.call('POST', '/trackings/batch', { key, body: bodyOf(numbers(40)) });
    expect(status).toBe(200);
    expect(body.data.success.map((t: { tracking_number: string }) => t.tracking_number)).toEqual(numbers(40));
    expect(body.data.error).toEqual([]);
    expect(await used(key)).toBe(40);
  });

  test('an invalid item is reported, the others are registered', async () => {
    const { key } = await api.account();
    const items = [
      'GOOD1',
      { tracking_number: 'x' },
      { tracking_number: 'GOOD2', courier_code: 'pigeon' },
      7,
      { title: 'none' },
      'GOOD1',
      null,
      ['GOOD3'],
    ];
    const { body } = await api.call('POST', '/trackings/batch', { key, body: items });
    expect(body.data.success).toHaveLength(2);
    type Refused = { index: number; field: string; tracking_number: string; errorCode: number };
    const refused = body.data.error.map((error: Refused) => [
      error.index,
      error.field,
      error.tracking_number,
      error.errorCode,
    ]);
    expect(refused).toEqual([
      [1, 'tracking_number', 'x', 4110],
      [2, 'courier_code', 'GOOD2', 4120],
      [3, 'tracking_number', '7', 4110],
      [4, 'tracking_number', null, 4111],
      [6, 'tracking_number', null, 4110],
      [7, 'tracking_number', null, 4110],
    ]);
    for (const { errorCode, docs_url } of body.data.error) expect(docs_url).toBe(`${api.url}/docs/errors/${errorCode}`);
    expect(await used(key)).toBe(1);
  });

  test('a refused number is repeated in whole characters, which every JSON parser reads', async () => {
    const { key } = await api.account();
    const cut = `a${'📦'.repeat(60)}`;
    const { body } = await api.call('POST', '/trackings/batch', { key, body: [cut, 'ABCDE\ud800'] });
    expect(body.data.error.map((error: { tracking_number: string }) => error.tracking_number)).toEqual([
      `a${'📦'.repeat(49)}\ufffd`,
      'ABCDE\ufffd',
    ]);
  });

  test('a number that is not a string is refused, because it may have lost digits', async () => {
    const { key } = await api.account();
    const body = { trackings: [{ tracking_number: 123456789012 }, 123456789012] };
    const { data } = (await api.call('POST', '/trackings/batch', { key, body })).body;
    const message = /^Invalid: tracking_number must be a string, in quotes: a JSON number loses leading zeros/;
    const refused = { field: 'tracking_number', errorCode: 4110, errorMessage: expect.stringMatching(message) };
    expect(data).toMatchObject({
      success: [],
      error: [
        { index: 0, ...refused },
        { index: 1, ...refused },
      ],
    });
  });

  test.each([
    ['41 numbers', { tracking_numbers: numbers(41) }, 4103, /this one has 41\. .*no quota was used\.$/],
    ['no numbers', [], 4111, /^Invalid: tracking_numbers must not be empty\.$/],
    ['no trackings', { trackings: [] }, 4111, /^Invalid: trackings must not be empty\.$/],
    ['nothing', {}, 4111, /^Invalid: tracking_numbers is missing: send .* or an array of trackings\.$/],
    ['another name', { numbers: ['A12345'] }, 4111, /or an array of trackings, not numbers\.$/],
    ['the name of a single number', { tracking_number: 'A12345' }, 4111, /, not tracking_number\.$/],
    [
      'a text',
      { tracking_numbers: 'A12345' },
      4130,
      /^Invalid: tracking_numbers must be an array, such as \["...", "..."\], even for one\.$/,
    ],
    [
      'a tracking',
      { trackings: { tracking_number: 'A12345' } },
      4130,
      /^Invalid: trackings must be an array, such as \[\{.*\}\]/,
    ],
    [
      'two lists',
      { tracking_numbers: ['A12345'], trackings: [{ tracking_number: 'A12346' }] },
      4130,
      /^Invalid: tracking_numbers must not be sent together/,
    ],
    [
      'a dry run in another spelling',
      { tracking_numbers: ['A12345'], dryRun: true },
      4130,
      /^Invalid: dryRun is unknown: send it as dry_run\.$/,
    ],
  ])('%s are refused, nothing charged, and the message names the field', async (_, body, number, message) => {
    const { key } = await api.account();
    for (const path of ['/trackings/batch', '/track/async'])
      expect(await api.call('POST', path, { key, body })).toMatchObject({
        status: 400,
        body: { code: number, message: expect.stringMatching(message) },
      });
    expect(await used(key)).toBe(0);
  });

  test('a number that asks for a dry run of its own is not registered', async () => {
    const { key } = await api.account();
    const body = [
      { tracking_number: 'A12345', dry_run: true },
      { tracking_number: 'A12346', dryRun: true },
      { tracking_number: 'A12347', dry_run: false, colour: 'red' },
    ];
    const { data } = (await api.call('POST', '/trackings/batch', { key, body })).body;
    expect(data).toMatchObject({
      success: [{ tracking_number: 'A12347' }],
      error: [
        { index: 0, field: 'dry_run', errorCode: 4130, errorMessage: expect.stringContaining('for the whole call') },
        { index: 1, field: 'dryRun', errorMessage: 'Invalid: dryRun is unknown: send it as dry_run.' },
      ],
    });
    expect(await used(key)).toBe(1);
  });

  test('if the quota is too small for all new ones, all are refused', async () => {
    const { id, key } = await api.account({ quota: 5 });
    const { body } = await api.call('POST', '/trackings/batch', { key, body: numbers(6) });
    expect(body).toMatchObject({ code: 4190, message: expect.stringContaining('no more new numbers than') });
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(0);
    expect(await used(key)).toBe(0);
    expect((await api.call('POST', '/trackings/batch', { key, body: numbers(5) })).status).toBe(200);
    expect((await api.call('POST', '/trackings/batch', { key, body: numbers(5) })).status).toBe(200);
    expect(await used(key)).toBe(5);
  });
});

test('POST /track/async returns a poll_url that lists exactly these', async () => {
  const { key } = await api.account();
  await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'ANOTHER1' } });
  const { body } = await api.call('POST', '/track/async', { key, body: { tracking_numbers: numbers(3, 'ASYNC') } });
  expect(body.data).toMatchObject({ accepted: 3, error: [] });
  const polled = await api.call('GET', body.data.poll_url, { key });
  expect(polled.body.data.shipments.map((s: { tracking_number: string }) => s.tracking_number).sort()).toEqual(
    numbers(3, 'ASYNC'),
  );
});

describe('GET /shipments', () => {
  test('the cursor walks all shipments, newest change first, without gap or repeat, ties included', async () => {
    const { id, key } = await api.account();
    for (let i = 0; i < 3; i++) await api.call('POST', '/trackings/batch', { key, body: numbers(40, `WALK${i}`) });
    // Ties across the borders of pages.
    await api.db.tracking.updateMany({
      where: { accountId: id },
      data: { updatedAt: new Date('2026-01-02T03:04:05.678Z') },
    });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await api.call('GET', `/shipments?limit=50&cursor=${cursor}`, { key });
      seen.push(...body.data.shipments.map((s: { id: string }) => s.id));
      cursor = body.data.next_cursor;
    }
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
  });

  test('filters by status and by sub-status', async () => {
    const { id, key } = await api.account();
    await api.call('POST', '/trackings/batch', { key, body: numbers(2) });
    await api.db.tracking.updateMany({
      where: { accountId: id, trackingNumber: 'BULK1000' },
      data: { status: '已签收', subStatus: 'delivered' },
    });
    const list = async (status: string) =>
      (await api.call('GET', `/shipments?status=${encodeURIComponent(status)}`, { key })).body.data.shipments;
    expect(await list('已签收')).toEqual([expect.objectContaining({ tracking_number: 'BULK1000' })]);
    expect(await list('pending')).toEqual([
      expect.objectContaining({ tracking_number: 'BULK1001', latest_event: null }),
    ]);
    expect(await list('异常')).toEqual([]);
  });

  test.each(['status=lost', 'limit=0', 'limit=201', 'limit=ten', 'cursor=%00', 'cursor=Z2FyYmFnZQ'])(
    '%s is refused',
    async (query) => {
      const { key } = await api.account();
      expect(await api.call('GET', `/shipments?${query}`, { key })).toMatchObject({
        status: 400,
        body: { code: 4130 },
      });
    },
  );
});

describe('carriers', () => {
  test('detect names the carrier and its candidates, and registers nothing', async () => {
    const { id, key } = await api.account();
    for (const path of ['/carrier/detect', '/couriers/detect']) {
      const { body } = await api.call('POST', path, { key, body: { tracking_number: 'YT8962646785999' } });
      expect(body.data).toMatchObject({
        carrier: 'yto',
        candidates: [{ courier_code: 'yto', trackable: true, confidence: 90 }],
      });
    }
    expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(0);
  });

  test('the list carries an ETag and is not sent twice', async () => {
    const { key } = await api.account();
    const first = await api.call('GET', '/couriers/all', { key });
    expect(first.body.data.count).toBe(carriers({ sandbox: true }).length);
    const again = await fetch(`${api.url}/api/v1/couriers/all`, {
      // What a browser's cache sends; fetch would add no-cache, which requests the whole response.
      headers: { 'X-API-Key': key, 'If-None-Match': first.headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
  });
});

type Answer = Awaited<ReturnType<TestApi['call']>>;

describe('an account whose bulk calls hang in the database', () => {
  let database: TestDatabase;
  let api: TestApi;
  beforeAll(async () => {
    database = await testDatabase();
    api = await startTestApi({ databaseUrl: database.url });
  }, 60_000);
  afterAll(async () => {
    await api.close();
    await database.close();
  });

  /** Holds the row that its registrations charge, until released. */
  async function hang() {
    const { id, key } = await api.account();
    await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'HANG0000' } });
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM quota_usage WHERE account_id = $1 FOR UPDATE', [id]);
    const held = async () => (await waitingForLocks(database.url)).length;
    const release = async () => {
      await holder.query('ROLLBACK');
      await holder.end();
    };
    return { key, held, release };
  }
  const PATHS = ['/api/v1/trackings/batch', '/api/v1/track/async', '/v4/trackings/batch'];
  const send = (key: string, n: number) =>
    api.call('POST', `${api.url}${PATHS[n % PATHS.length]}`, { key, body: [{ tracking_number: `HANG${1000 + n}` }] });

  test('takes at most two connections from the others, and is served in full once the lock is released', async () => {
    const [{ key, held, release }, other] = [await hang(), await api.account()];
    const sent = Array.from({ length: 30 }, (_, n) => send(key, n));
    // Two while it is alone.
    await eventually(async () => expect([1, 2]).toContain(await held()));
    for (let n = 0; n < 3; n++) expect((await send(other.key, n)).status).toBe(200);
    expect([1, 2]).toContain(await held());
    await release();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(30).fill(200));
  });

  test('may have a hundred waiting calls; more are refused at once', async () => {
    const { key, release } = await hang();
    const refused: Answer[] = [];
    const sent = Array.from({ length: 110 }, async (_, n) => {
      const answer = await send(key, n);
      if (answer.status === 429) refused.push(answer);
      return answer.status;
    });
    // One that runs, and a hundred that wait.
    await eventually(() => expect(refused).toHaveLength(9));
    for (const { body } of refused) expect(JSON.stringify(body)).toMatch(/too many bulk calls/);
    await release();
    const statuses = await Promise.all(sent);
    expect(statuses.filter((status) => status === 200)).toHaveLength(101);
  });
});
