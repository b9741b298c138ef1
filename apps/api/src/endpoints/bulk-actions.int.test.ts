import { overallStatus, type SubStatus } from '@pts/core/tracking/status';
import { forgetBulkActions } from '@pts/db/bulk-actions';
import { runBulkAction } from '@pts/service/bulk-actions';
import { type BulkTest, startBulkTest } from '../testing/test-bulk.ts';

let on: BulkTest;
beforeAll(async () => {
  on = await startBulkTest();
}, 60_000);
afterAll(() => on.api.close());

/** A merchant with parcels. */
async function merchant(count: number) {
  const { id, key } = await on.api.account();
  return { id, key, parcels: await on.parcels(id, count) };
}
/** Starts a bulk action, runs it, and reads its end. */
async function done(key: string, action: string, body: object = {}) {
  const { status, body: answer } = await on.start(key, action, body);
  expect([status, answer.message]).toEqual([202, expect.any(String)]);
  await on.runDue();
  return on.read(key, answer.data.id);
}
const state = (id: string, subStatus: SubStatus, updatedAt = on.now()) =>
  on.api.db.tracking.update({ where: { id }, data: { status: overallStatus(subStatus), subStatus, updatedAt } });
const left = (accountId: string) => on.api.db.tracking.count({ where: { accountId } });
const watch = async (key: string, id: string) =>
  (await on.api.call('GET', `/trackings/${id}/explain`, { key })).body.data.watch;

describe('delete', () => {
  test('deletes what the filter matches, nothing else, and nothing of others', async () => {
    const [one, other] = [await merchant(3), await merchant(2)];
    const [first = '', second = ''] = one.parcels;
    for (const id of [first, second]) await state(id, 'delivered');
    const { status, body } = await on.start(one.key, 'delete', { filter: { status: '已签收' } });
    expect([status, body.data]).toMatchObject([
      202,
      { action: 'delete', state: 'queued', filter: { status: '已签收' }, matched: 2, matched_is_lower_bound: false },
    ]);
    await on.runDue();
    expect(await on.read(one.key, body.data.id)).toMatchObject({ state: 'done', done: 2, skipped: 0, progress: 100 });
    expect([await left(one.id), await left(other.id)]).toEqual([1, 2]);
    expect((await on.api.call('GET', '/bulk', { key: one.key })).body.data).toMatchObject({
      count: 1,
      bulk_actions: [{ id: body.data.id }],
    });
    expect((await on.api.call('GET', `/bulk/${body.data.id}`, { key: other.key })).status).toBe(404);
  });

  test('of everything has to be said', async () => {
    const { id, key } = await merchant(2);
    for (const filter of [undefined, {}, { q: '', status: '' }]) {
      const { body } = await on.start(key, 'delete', { filter });
      expect(body).toMatchObject({
        code: 4130,
        data: { errors: [{ field: 'all', message: expect.stringMatching(/must be true/) }] },
      });
    }
    await on.runDue();
    expect(await left(id)).toBe(2);
    expect(await done(key, 'delete', { all: true })).toMatchObject({ state: 'done', matched: 2, done: 2 });
    expect(await left(id)).toBe(0);
  });

  test('leaves what is registered, or has news, after the request', async () => {
    const { id, key, parcels } = await merchant(3);
    for (const parcel of parcels) await state(parcel, 'out_for_delivery');
    on.pass(1);
    const { body } = await on.start(key, 'delete', { filter: { status: '派送中' } });
    on.pass(1);
    const [later = ''] = await on.parcels(id, 1);
    const [changed = ''] = parcels;
    for (const parcel of [later, changed]) await state(parcel, 'out_for_delivery');
    await on.runDue();
    expect(await on.read(key, body.data.id)).toMatchObject({
      state: 'done',
      matched: 3,
      done: 2,
      skipped: 1,
      reasons: [{ reason: 'changed', outcome: 'skipped', count: 1, sample_ids: [changed] }],
    });
    expect(await left(id)).toBe(2);
  });
});

test('stop ends the polling of what matches; explain says so, and a retrack resumes it', async () => {
  const { key, parcels } = await merchant(3);
  const [first = '', second = '', third = ''] = parcels;
  const stopped = await on.api.call('POST', `/trackings/${first}/stop`, { key });
  expect([stopped.status, stopped.body.data]).toMatchObject([
    200,
    { id: first, watch: { mode: 'stopped' }, next_check_at: null },
  ]);
  expect(await done(key, 'stop', { filter: { carrier: 'yto' } })).toMatchObject({
    done: 2,
    skipped: 1,
    reasons: [{ reason: 'stopped', count: 1, sample_ids: [first] }],
  });
  expect(await on.api.db.check.count({ where: { trackingId: { in: parcels } } })).toBe(0);
  expect(await watch(key, second)).toMatchObject({ mode: 'stopped', reason: 'stopped' });
  expect((await on.api.call('POST', `/trackings/retrack/${third}`, { key })).status).toBe(200);
  expect(await on.api.db.tracking.findUnique({ where: { id: third } })).toMatchObject({ stoppedAt: null });
  expect(await on.api.db.check.count({ where: { trackingId: third } })).toBe(1);
});

test('retrack makes checks due at once, at most once an hour for each parcel', async () => {
  const { key, parcels } = await merchant(3);
  const [first = ''] = parcels;
  await on.api.call('POST', `/trackings/retrack/${first}`, { key });
  on.pass(60);
  const at = on.now();
  expect(await done(key, 'retrack')).toMatchObject({
    done: 2,
    skipped: 1,
    reasons: [{ reason: 'retracked', sample_ids: [first] }],
  });
  const due = await on.api.db.check.findMany({ where: { trackingId: { in: parcels }, nextCheckAt: { gte: at } } });
  expect(due).toHaveLength(2);
  on.pass(3600);
  expect(await done(key, 'retrack')).toMatchObject({ done: 3, skipped: 0 });
});

describe('a dry run', () => {
  const dryRun = async (key: string, filter: object) => {
    const { status, body } = await on.start(key, 'retrack', { filter, dry_run: true });
    expect([status, body.message]).toEqual([202, expect.any(String)]);
    return body.data;
  };

  test('only counts, and what is started with it is for what it has counted', async () => {
    const { id, key } = await merchant(3);
    const filter = { carrier: 'yto' };
    const counted = await dryRun(key, filter);
    expect(counted).toMatchObject({ dry_run: true, state: 'done', matched: 3, matched_is_lower_bound: false });
    on.pass(1);
    const [later] = await on.parcels(id, 1);
    for (const [body, reason, data] of [
      [{ expected_count: 3 }, /expect 3, but 4 match/, { expected_count: 3, matched: 4 }],
      [{ expected_count: 4, dry_run_id: counted.id }, /expect 4, but 3 match/, { expected_count: 4, matched: 3 }],
    ] as const) {
      const { status, body: refused } = await on.start(key, 'delete', { filter, ...body });
      expect([status, refused.message, refused.data]).toMatchObject([409, expect.stringMatching(reason), data]);
    }
    for (const body of [
      { filter, dry_run_id: later },
      { filter: { q: 'YT0' }, dry_run_id: counted.id },
    ])
      expect((await on.start(key, 'delete', body)).body).toMatchObject({
        code: 4130,
        data: { errors: [{ field: 'dry_run_id' }] },
      });
    await on.runDue();
    expect(await left(id)).toBe(4);
    const asked = { filter, expected_count: 3, dry_run_id: counted.id };
    expect(await done(key, 'delete', asked)).toMatchObject({ as_of: counted.as_of, matched: 3, done: 3, skipped: 0 });
    expect(await on.api.db.tracking.findMany({ where: { accountId: id } })).toMatchObject([{ id: later }]);
    expect((await on.api.call('GET', '/bulk', { key })).body.data.count).toBe(2);
  });

  test('is never exceeded, whatever matches by the time of the run', async () => {
    const { id, key, parcels } = await merchant(3);
    const rename = (parcel: string) => on.api.db.tracking.update({ where: { id: parcel }, data: { title: 'scarf' } });
    await rename(parcels[2] ?? '');
    const counted = await dryRun(key, { q: 'scarf' });
    for (const parcel of parcels) await rename(parcel);
    const ended = await done(key, 'delete', { filter: { q: 'scarf' }, dry_run_id: counted.id });
    expect([ended, await left(id)]).toMatchObject([{ matched: 1, done: 1 }, 2]);
  });

  test('of more than a request counts is counted in the background, also after a kill', async () => {
    const { key } = await merchant(10_001);
    const few = await on.start(key, 'stop', { expected_count: 10_000 });
    expect([few.status, few.body.message]).toEqual([409, expect.stringMatching(/expect 10,000, but 10,000 or more/)]);
    const { id } = await dryRun(key, {});
    const asked = { dry_run_id: id, expected_count: 10_001 };
    const early = await on.start(key, 'stop', asked);
    expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('is queued')]);
    const dying = async () => {
      throw new Error('killed');
    };
    await expect(on.runDue({ pause: dying })).rejects.toThrow('killed');
    expect(await on.read(key, id)).toMatchObject({ state: 'running', matched: 10_000, matched_is_lower_bound: true });
    on.pass(16);
    await on.runDue();
    expect(await on.read(key, id)).toMatchObject({
      ...{ state: 'done', progress: 100, done: 0 },
      ...{ matched: 10_001, matched_is_lower_bound: false },
    });
    const { data: started } = (await on.start(key, 'stop', asked)).body;
    expect(started).toMatchObject({ matched: 10_001, matched_is_lower_bound: false, progress: 0 });
    await on.api.call('DELETE', `/bulk/${started.id}`, { key });
  });
});

test.each([
  ['a filter with a misspelled name', { filter: { carier: 'yto' } }, 'filter.carier'],
  ['a filter beside its field', { status: '派送中' }, 'status'],
  ['an unknown status', { filter: { status: 'gone' } }, 'filter.status'],
  ['a time that is none', { filter: { created_after: 'today' } }, 'filter.created_after'],
  [
    'a range that ends before it begins',
    { filter: { updated_after: '2026-03-02T00:00:00Z', updated_before: '2026-03-01T00:00:00Z' } },
    'filter.updated_after',
  ],
  ['a filter that is a text', { filter: 'x' }, 'filter'],
])('%s is refused, and nothing is done', async (_what, body, field) => {
  const { id, key } = await merchant(1);
  for (const action of ['stop', 'delete'])
    expect((await on.start(key, action, { ...body, ...(action === 'delete' && { all: true }) })).body).toMatchObject({
      code: 4130,
      data: { errors: expect.arrayContaining([{ field, message: expect.any(String) }]) },
    });
  await on.runDue();
  expect(await on.api.db.check.count({ where: { accountId: id } })).toBe(1);
});

test('an account has one at a time; others do not wait, and once it is cancelled, the next may start', async () => {
  const [one, other] = [await merchant(1), await merchant(1)];
  const first = (await on.start(one.key, 'retrack')).body.data;
  const second = await on.start(one.key, 'delete', { filter: { carrier: 'yto' } });
  expect([second.status, second.body.message]).toEqual([409, expect.stringContaining(`retrack, id ${first.id}`)]);
  expect((await on.start(other.key, 'retrack')).status).toBe(202);
  const cancelled = await on.api.call('DELETE', `/bulk/${first.id}`, { key: one.key });
  expect(cancelled.body.data).toMatchObject({ state: 'cancelled', done: 0 });
  expect(await done(one.key, 'stop')).toMatchObject({ done: 1 });
  expect(await on.read(one.key, first.id)).toMatchObject({ state: 'cancelled', done: 0 });
});

test('a key can start and cancel what its scopes allow', async () => {
  const { id, key } = await merchant(1);
  const { apiKey: webhooks } = await on.api.key(id, { scopes: ['webhooks'] });
  expect((await on.start(webhooks, 'stop')).status).toBe(403);
  const { body } = await on.start(key, 'stop');
  expect((await on.api.call('DELETE', `/bulk/${body.data.id}`, { key: webhooks })).status).toBe(403);
  await on.runDue();
  expect((await on.start(webhooks, 'redeliver')).status).toBe(202);
});

test('one that fails for a reason of ours is repeated for an hour, and then fails: another one can be started', async () => {
  const { id: accountId, key } = await merchant(1);
  const { id } = (await on.start(key, 'stop')).body.data;
  // As after a return to a release that does not know it.
  await on.api.db.bulkAction.update({ where: { id }, data: { action: 'unknown' } });
  for (const seconds of [16, 3600]) {
    await expect(on.runDue()).rejects.toThrow(TypeError);
    expect(await on.api.db.bulkAction.findUnique({ where: { id } })).toMatchObject({ state: 'running', error: null });
    on.pass(seconds);
  }
  await expect(on.runDue()).rejects.toThrow(TypeError);
  expect(await on.api.db.bulkAction.findUnique({ where: { id } })).toMatchObject({
    state: 'failed',
    error: '["bulk.internal"]',
    finishedAt: expect.any(Date),
  });
  expect((await on.start(key, 'stop')).status).toBe(202);
  await on.runDue();
  expect(await on.api.db.check.count({ where: { accountId } })).toBe(0);
});

describe('after a kill', () => {
  test.each([1, 2, 3, 4, 5, 6, 8, 11])(
    'at transaction %i of its run, the next run goes on: nothing is done twice',
    async (fatal) => {
      const { id: accountId, key, parcels } = await merchant(5);
      const [skipped = ''] = parcels;
      await on.api.call('POST', `/trackings/${skipped}/stop`, { key });
      on.pass(1);
      const { id } = (await on.start(key, 'stop')).body.data;
      let seen = 0;
      const dying = new Proxy(on.api.db, {
        get: (db, name) => {
          if (name !== '$transaction' && name !== '$queryRaw') return Reflect.get(db, name);
          return async (...given: unknown[]) => {
            const result = await (Reflect.get(db, name) as (...all: unknown[]) => Promise<unknown>).apply(db, given);
            if (++seen >= fatal) throw new Error('killed');
            return result;
          };
        },
      });
      await runBulkAction(on.context({ db: dying }), id).catch(() => {});
      on.pass(16);
      await on.runDue();
      expect(await on.read(key, id)).toMatchObject({ state: 'done', done: 4, skipped: 1, failed: 0 });
      expect(await on.api.db.check.count({ where: { accountId } })).toBe(0);
    },
  );

  test('a process that stops leaves the rest to the next one; one that is cancelled stays so', async () => {
    const { id: accountId, key } = await merchant(150);
    const { id } = (await on.start(key, 'delete', { all: true })).body.data;
    const stopping = new AbortController();
    await on.runDue({ pause: async () => stopping.abort(), stopping: stopping.signal });
    expect(await on.read(key, id)).toMatchObject({ state: 'running', done: 100, progress: 66 });
    const cancel = async () => void (await on.api.call('DELETE', `/bulk/${id}`, { key }));
    await on.runDue({ pause: cancel });
    expect(await on.read(key, id)).toMatchObject({ state: 'done', done: 150 });
    expect(await left(accountId)).toBe(0);
  });

  test('a long one makes way for another that waits, and goes on behind it', async () => {
    const [long, short] = [await merchant(150), await merchant(1)];
    const { id } = (await on.start(long.key, 'delete', { all: true })).body.data;
    on.pass(1);
    const { id: other } = (await on.start(short.key, 'delete', { all: true })).body.data;
    await on.runDue({ pause: async () => on.pass(5) });
    expect(await on.read(short.key, other)).toMatchObject({ state: 'done' });
    expect(await on.read(long.key, id)).toMatchObject({ state: 'running', done: 100 });
    await on.runDue();
    expect(await on.read(long.key, id)).toMatchObject({ state: 'done', done: 150 });
  });

  test('one that is cancelled while it runs ends behind its batch, and what it has done stays', async () => {
    const { id: accountId, key } = await merchant(150);
    const { id } = (await on.start(key, 'delete', { all: true })).body.data;
    await on.runDue({ pause: async () => void (await on.api.call('DELETE', `/bulk/${id}`, { key })) });
    await on.runDue();
    expect(await on.read(key, id)).toMatchObject({ state: 'cancelled', done: 100, progress: 66 });
    expect(await left(accountId)).toBe(50);
  });
});

test('a disabled account ends its bulk action', async () => {
  const { id: accountId, key } = await merchant(1);
  const { id } = (await on.start(key, 'delete', { all: true })).body.data;
  await on.api.db.account.update({ where: { id: accountId }, data: { disabledAt: on.now() } });
  await on.runDue();
  expect(await on.api.db.bulkAction.findUnique({ where: { id } })).toMatchObject({
    state: 'failed',
    error: 'The account is disabled.',
  });
  expect(await left(accountId)).toBe(1);
});

test('a bulk action is forgotten 30 days after its end', async () => {
  const { id: accountId, key } = await merchant(1);
  await done(key, 'stop');
  const forget = async () => {
    await forgetBulkActions(on.api.db, { before: new Date(on.now().getTime() - 30 * 86_400_000), batch: 100 });
    return on.api.db.bulkAction.count({ where: { accountId } });
  };
  expect(await forget()).toBe(1);
  on.pass(31 * 86_400);
  expect(await forget()).toBe(0);
});
