import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;
const stored = (accountId: string) => api.db.tracking.count({ where: { accountId } });
const create = (key: string, body: object) => api.call('POST', '/trackings/create', { key, body });
const batch = (key: string, body: unknown, query = '') => api.call('POST', `/trackings/batch${query}`, { key, body });

describe('POST /trackings/create with dry_run', () => {
  test('says what it would do, and does nothing', async () => {
    const { id, key } = await api.account();
    const { status, body } = await create(key, { tracking_number: 'yt 8962646785999', dry_run: true });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      dry_run: true,
      id: null,
      tracking_number: 'YT8962646785999',
      carrier: 'yto',
      detected_carrier: 'yto',
      status: '查询中',
      would_charge: 1,
    });
    expect([await stored(id), await used(key)]).toEqual([0, 0]);
    expect(await api.db.check.count({ where: { accountId: id } })).toBe(0);
  });

  test('a registered number returns its id and costs nothing', async () => {
    const { key } = await api.account({ quota: 1 });
    const first = await create(key, { tracking_number: 'YT8962646785999', dry_run: false });
    const { body } = await create(key, { tracking_number: 'YT8962646785999', dry_run: true });
    expect(body.data).toMatchObject({ id: first.body.data.id, would_charge: 0 });
    const other = await api.account();
    expect((await create(other.key, { tracking_number: 'YT8962646785999', dry_run: true })).body.data.id).toBeNull();
  });

  test.each([
    ['a number that is invalid', { tracking_number: 'x' }, 4110, 'tracking_number'],
    ['an unknown courier', { tracking_number: 'YT8962646785999', courier_code: 'pigeon' }, 4120, 'courier_code'],
    ['a title of another type', { tracking_number: 'YT8962646785999', title: 1 }, 4130, 'title'],
  ])('%s is refused as usual', async (_, body, number, field) => {
    const { key } = await api.account();
    const answer = await create(key, { ...body, dry_run: true });
    expect([answer.status, answer.body.code, answer.body.data.errors[0].field]).toEqual([400, number, field]);
  });

  test.each([
    ['?dry_run=true', {}, 'dry_run', /address: send it in the body/],
    ['', { dryRun: true }, 'dryRun', /send it as dry_run/],
  ])('%s %j: one that would be ignored is refused, and nothing stored', async (query, more, field, message) => {
    const { id, key } = await api.account();
    const body = { tracking_number: 'YT8962646785999', ...more };
    const answer = await api.call('POST', `/trackings/create${query}`, { key, body });
    expect(answer.body).toMatchObject({
      code: 4130,
      data: { errors: [{ field, message: expect.stringMatching(message) }] },
    });
    expect(await stored(id)).toBe(0);
  });

  test.each(['true', 1, null, []])('dry_run %j is refused, and nothing stored', async (dry_run) => {
    const { id, key } = await api.account();
    const answer = await create(key, { tracking_number: 'YT8962646785999', dry_run });
    expect([answer.status, answer.body.code, answer.body.data.errors[0].field]).toEqual([400, 4130, 'dry_run']);
    expect(await stored(id)).toBe(0);
  });

  test('a quota that is too small is 4190', async () => {
    const { key } = await api.account({ quota: 1 });
    await create(key, { tracking_number: 'YT8962646785999' });
    expect((await create(key, { tracking_number: 'YT8962646785998', dry_run: true })).body.code).toBe(4190);
  });
});

describe('POST /trackings/batch with dry_run', () => {
  const numbers = ['DRYRUN1', 'DRYRUN2', 'DRYRUN1'];
  test.each<[string, unknown, string]>([
    ['in trackings', { dry_run: true, trackings: numbers.map((tracking_number) => ({ tracking_number })) }, ''],
    ['in tracking_numbers', { dry_run: true, tracking_numbers: numbers }, ''],
    ['as query parameter of a bare array', numbers.map((tracking_number) => ({ tracking_number })), '?dry_run=true'],
  ])('%s: what each would cost, and all together', async (_, body, query) => {
    const { id, key } = await api.account();
    const { data } = (await batch(key, body, query)).body;
    expect(data).toMatchObject({ dry_run: true, would_charge: 2, error: [] });
    expect(data.success.map((entry: { would_charge: number }) => entry.would_charge)).toEqual([1, 1, 0]);
    expect([await stored(id), await used(key)]).toEqual([0, 0]);
  });

  test('invalid items are reported, known ones have their id', async () => {
    const { key } = await api.account();
    const known = await create(key, { tracking_number: 'DRYRUN1' });
    const { data } = (await batch(key, { dry_run: true, tracking_numbers: ['DRYRUN1', 'x', 'DRYRUN2'] })).body;
    expect(data.success.map((entry: { id: string | null }) => entry.id)).toEqual([known.body.data.id, null]);
    expect(data.error.map((entry: { errorCode: number }) => entry.errorCode)).toEqual([4110]);
    expect(data.would_charge).toBe(1);
  });

  test('a quota that is too small for all new ones is 4190', async () => {
    const { key } = await api.account({ quota: 1 });
    expect((await batch(key, { dry_run: true, tracking_numbers: numbers })).body.code).toBe(4190);
    expect((await batch(key, { dry_run: true, tracking_numbers: ['DRYRUN1'] })).status).toBe(200);
  });

  test.each<[unknown, string]>([
    [{ dry_run: 'true', tracking_numbers: numbers }, ''],
    [{ dry_run: null, tracking_numbers: numbers }, ''],
    [numbers, '?dry_run=yes'],
    [numbers, '?dry_run=true&dry_run=false'],
  ])('%j%s: dry_run must be boolean', async (body, query) => {
    const { id, key } = await api.account();
    const answer = await batch(key, body, query);
    expect([answer.status, answer.body.code, answer.body.data.errors[0].field]).toEqual([400, 4130, 'dry_run']);
    expect(await stored(id)).toBe(0);
  });

  test('without it, and with false, the numbers are registered', async () => {
    const { id, key } = await api.account();
    expect((await batch(key, numbers, '?dry_run=false')).body.data).not.toHaveProperty('dry_run');
    expect(await stored(id)).toBe(2);
  });
});

test.each([
  ['/track/async', { dry_run: true }],
  ['/track/async?dry_run=true', {}],
  ['/track/batch-stream', { dry_run: true }],
  ['/track/batch-stream?dry_run=true', {}],
])('%s has no dry run: requesting one with %j is refused, and nothing is charged', async (path, more) => {
  const { id, key } = await api.account();
  const body = { tracking_numbers: ['YT8962646785999'], ...more };
  const answer = await api.call('POST', path, { key, body });
  expect(answer.body).toMatchObject({ code: 4130, data: { errors: [{ field: 'dry_run' }] } });
  expect(await stored(id)).toBe(0);
});
