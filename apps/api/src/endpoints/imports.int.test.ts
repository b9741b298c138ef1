import { knownProviders } from '@pts/carriers/providers/configured';
import { PLAN_QUOTAS } from '@pts/core/account';
import { takeStreamLease } from '@pts/db/accounts/accounts';
import { claimImport, forgetImports } from '@pts/db/imports';
import { DeadlineError } from '@pts/db/pool';
import { dueRuns } from '@pts/db/run-leases';
import { type RunContext, runImport } from '@pts/service/imports';
import { workbook } from '@pts/tabular/testing/workbook';
import { recordingProducer } from '@pts/testing/queue';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

/** Alone in a file, it is recognised as a number. */
const NUMBER = 'PTS1111DELIVERED';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
let api: TestApi;
/** Its clock begins in the middle of a month, and is moved on: quota is counted by month. */
let passedMs = Date.parse('2031-04-05T06:00:00Z') - Date.now();
const now = () => new Date(Date.now() + passedMs);
beforeAll(async () => {
  api = await startTestApi({ now, keyClock: () => Date.now() + passedMs });
}, 60_000);
afterAll(() => api.close());

/** What a poller runs imports with. */
function poller(changed: Partial<RunContext> = {}): RunContext {
  return {
    db: api.db,
    producer: recordingProducer().producer,
    providers: knownProviders({ SANDBOX_URL: 'http://127.0.0.1:9' }),
    sandbox: true,
    quotas: PLAN_QUOTAS,
    now,
    pause: async () => {},
    stopping: new AbortController().signal,
    reading: { holder: null },
    ...changed,
  };
}
const runKey = (id: string) =>
  api.db.import.findUniqueOrThrow({ where: { id }, select: { id: true, accountId: true } });
const due = () => dueRuns(api.db, 'imports', now(), 100);
/** Runs every import that is due. */
async function runDue(changed: Partial<RunContext> = {}) {
  for (let keys = await due(); keys.length > 0; keys = await due())
    for (const key of keys) await runImport(poller(changed), key);
}

type Sent = { query?: string; type?: string; key: string; headers?: Record<string, string> };
const upload = (content: string | Buffer, { query = '', type = 'text/csv', key, headers }: Sent) =>
  api.call('POST', `/imports${query}`, {
    key,
    raw: content as string,
    headers: { 'Content-Type': type, ...headers },
  });
/** Uploads a file, runs it, and reads its end. */
async function imported(content: string | Buffer, sent: Sent) {
  const { status, body } = await upload(content, sent);
  expect([status, body.message]).toEqual([200, expect.any(String)]);
  await runDue();
  return (await api.call('GET', `/imports/${body.data.id}`, { key: sent.key })).body.data;
}
/** With its byte order mark. */
const rejectedOf = async (key: string, id: string) => {
  const response = await fetch(`${api.url}/api/v1/imports/${id}/rejected.csv`, { headers: { 'X-API-Key': key } });
  return Buffer.from(await response.arrayBuffer()).toString();
};
const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;
/** What is stored of an account's parcels. */
const parcels = (accountId: string) =>
  api.db.tracking.findMany({ where: { accountId }, orderBy: { trackingNumber: 'asc' } });
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `PTS${from + n}DELIVERED,A-${from + n}`).join('\n');

test('a file is registered in the background: charged, counted, with its fields, and its file is deleted', async () => {
  const { id: accountId, key } = await api.account();
  const csv = 'Order,Tracking No.,Product,Note\nA-1,PTS1DELIVERED,蓝色夹克,x\nA-2,PTS2DELIVERED,"Shoes, 42",y\n';
  const { status, body } = await upload(csv, { key, query: '?file_name=orders.csv' });
  expect([status, body.data]).toMatchObject([
    200,
    { state: 'queued', file_name: 'orders.csv', format: 'csv', encoding: 'utf-8', file_bytes: Buffer.byteLength(csv) },
  ]);
  await runDue();
  const done = (await api.call('GET', `/imports/${body.data.id}`, { key })).body.data;
  expect(done).toMatchObject({
    state: 'done',
    progress: 100,
    columns: [
      { header: 'Order', field: 'order_id' },
      { header: 'Tracking No.', field: 'tracking_number' },
      { header: 'Product', field: 'title' },
      { header: 'Note', field: null },
    ],
    rows: { total: 2, read: 2, registered: 2, known: 0, updated: 0, rejected: 0 },
    units: 2,
    faults: [],
    error: null,
    finished_at: expect.any(String),
  });
  expect(await parcels(accountId)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ trackingNumber: 'PTS1DELIVERED', orderId: 'A-1', title: '蓝色夹克' }),
      expect.objectContaining({ trackingNumber: 'PTS2DELIVERED', title: 'Shoes, 42' }),
    ]),
  );
  expect([await used(key), await api.db.importChunk.count({ where: { importId: body.data.id } })]).toEqual([2, 0]);
});

test('an edited export updates what is known, charges nothing again, and leaves out nothing', async () => {
  const { id: accountId, key } = await api.account();
  await imported('number,order id,title,phone\nPTS1DELIVERED,A-1,Shoes,5678\nPTS2DELIVERED,A-2,Hat,', {
    key,
    query: '?tracking_number_column=number',
  });
  const edited = 'number,order id,title,phone\nPTS1DELIVERED,A-9,,9999\nPTS2DELIVERED,A-2,Hat,\nPTS3DELIVERED,,,';
  const again = await imported(edited, { key, query: '?tracking_number_column=1' });
  expect(again).toMatchObject({ rows: { registered: 1, updated: 1, known: 1, rejected: 0 }, units: 1 });
  const [first] = await parcels(accountId);
  expect(first).toMatchObject({ orderId: 'A-9', title: 'Shoes', phone: '9999' });
  const check = await api.db.check.findUnique({ where: { trackingId: String(first?.id) } });
  expect([check?.hints, await used(key)]).toEqual([{ phone: '9999' }, 3]);
});

describe('rows that cannot be registered', () => {
  const TABLE = [
    'tracking_number,courier_code,order_id',
    `PTS1DELIVERED,,A-1`,
    `${'X'.repeat(51)},,A-2`,
    `1.23E+15,,A-3`,
    `${'Y'.repeat(60)},,"A, 4"`,
    `,,A-5`,
    `PTS6DELIVERED,nobody,A-6`,
    `PTS7DELIVERED,,${'7'.repeat(101)}`,
    `PTS8DELIVERED,Sandbox Carrier,A-8`,
  ].join('\n');

  test('are grouped by what repairs them, and come back as a file with the reasons', async () => {
    const { key } = await api.account();
    const done = await imported(TABLE, { key });
    expect(done.rows).toMatchObject({ registered: 2, rejected: 6 });
    expect(done.faults).toEqual([
      {
        ...{ field: 'tracking_number', code: 'number_too_long', message: 'has 51 or more characters: shorten it' },
        ...{ rows: 2, sample_rows: [3, 5] },
      },
      expect.objectContaining({ field: 'tracking_number', message: expect.stringContaining('1.23E+15'), rows: 1 }),
      expect.objectContaining({ field: 'tracking_number', message: 'is missing', sample_rows: [6] }),
      expect.objectContaining({ field: 'courier_code', message: expect.stringContaining('not a known carrier') }),
      expect.objectContaining({ field: 'order_id', message: 'has more than 100 characters: shorten it' }),
    ]);
    const lines = (await rejectedOf(key, done.id)).split('\r\n');
    expect([lines[0], lines.length]).toEqual(['\ufefftracking_number,courier_code,order_id,rejected_because', 8]);
    expect(lines[3]).toBe(`${'Y'.repeat(60)},,"A, 4",tracking_number has 51 or more characters: shorten it`);
  });

  test('can be corrected in that file, and uploaded as it is', async () => {
    const { key } = await api.account();
    const first = await imported(TABLE, { key });
    const rejected = await rejectedOf(key, first.id);
    const corrected = rejected.replaceAll('X'.repeat(51), 'PTS2DELIVERED').replace('nobody', '');
    const second = await imported(corrected, { key });
    expect(second.rows).toMatchObject({ read: 6, registered: 2, rejected: 4 });
    expect((await rejectedOf(key, second.id)).split('\r\n')[0]).toBe(
      '\ufefftracking_number,courier_code,order_id,rejected_because',
    );
    expect(await used(key)).toBe(4);
  });

  test('keep their digits when a spreadsheet opens and saves that file, and run no formulas in it', async () => {
    const { id: accountId, key } = await api.account();
    const number = '00340434161094000001';
    const csv = `=1+1,tracking_number,courier_code,order_id,note\nx,${number},nobody,0007,=HYPERLINK(A1)\nx,12,,'0008,'-1`;
    const first = await imported(csv, { key });
    const rejected = await rejectedOf(key, first.id);
    const [header, ...rows] = rejected.split('\r\n').map((line) => line.split(','));
    expect(header).toEqual(["\ufeff'=1+1", 'tracking_number', 'courier_code', 'order_id', 'note', 'rejected_because']);
    expect(rows[0]?.slice(0, 5)).toEqual(['x', `'${number}`, 'nobody', "'0007", "'=HYPERLINK(A1)"]);
    expect(rows[1]?.slice(0, 5)).toEqual(['x', '12', '', "'0008", "'-1"]);
    const second = await imported(rejected.replace('nobody', 'sandbox'), { key });
    expect(second.rows).toMatchObject({ read: 2, registered: 1, rejected: 1 });
    expect(await parcels(accountId)).toMatchObject([{ trackingNumber: number, orderId: '0007' }]);
    expect((await rejectedOf(key, second.id)).split('\r\n')[1]).toMatch(/^x,12,,'0008,'-1,/);
  });

  test('over the quota are rejected, while known ones are updated; nothing is charged beyond it', async () => {
    const { key } = await api.account({ quota: 2 });
    const done = await imported(`number,order\n${rows(5)}\nPTS0DELIVERED,B-0`, {
      key,
      query: '?tracking_number_column=number',
    });
    expect(done).toMatchObject({ state: 'done', rows: { registered: 2, updated: 1, rejected: 3 } });
    expect(done.faults).toEqual([
      {
        ...{ field: null, code: 'quota_exhausted', message: expect.stringContaining('exceeds the monthly quota') },
        ...{ rows: 3, sample_rows: [4, 5, 6] },
      },
    ]);
    expect(await used(key)).toBe(2);
  });
});

test('a dry run reports cost and faults, stores and charges nothing, and says what is left', async () => {
  const { id: accountId, key } = await api.account({ quota: 10 });
  await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'PTS0DELIVERED' } });
  const csv = `tracking_number,order_id\n${rows(500)}\nPTS3DELIVERED,again\n123,short`;
  const done = await imported(csv, { key, query: '?dry_run=true' });
  expect(done).toMatchObject({
    state: 'done',
    dry_run: true,
    rows: { total: 502, read: 502, registered: 499, known: 2, rejected: 1 },
    units: 499,
    quota_remaining: 9,
    faults: [{ field: 'tracking_number', rows: 1, sample_rows: [503] }],
  });
  expect(await rejectedOf(key, done.id)).toContain('123,short,');
  expect([await used(key), (await parcels(accountId)).length]).toEqual([1, 1]);
});

describe('after a kill', () => {
  /** The process ends after some transactions: nothing of it runs any more. */
  const dyingAfter = (fatal: number) => {
    let seen = 0;
    return new Proxy(api.db, {
      get: (db, name) => {
        if (name !== '$transaction' && name !== '$hotTransaction' && name !== '$hot') return Reflect.get(db, name);
        return async (...given: unknown[]) => {
          const result = await (Reflect.get(db, name) as (...all: unknown[]) => Promise<unknown>).apply(db, given);
          if (++seen >= fatal) throw new Error('killed');
          return result;
        };
      },
    });
  };

  test.each([1, 2, 3, 4, 5, 6, 7])('at statement %i of its run, the next run goes on: nothing twice', async (fatal) => {
    const { id: accountId, key } = await api.account();
    const { body } = await upload(`tracking_number,order_id\n${rows(450)}\n12,short`, { key });
    await runImport(poller({ db: dyingAfter(2 * fatal) }), await runKey(body.data.id)).catch(() => {});
    expect(await due()).not.toContain(body.data.id);
    passedMs += 16_000;
    await runDue();
    const done = (await api.call('GET', `/imports/${body.data.id}`, { key })).body.data;
    expect([done.state, done.rows]).toEqual([
      'done',
      { total: 451, read: 451, registered: 450, known: 0, updated: 0, rejected: 1 },
    ]);
    expect([await used(key), await api.db.tracking.count({ where: { accountId } })]).toEqual([450, 450]);
    expect((await rejectedOf(key, body.data.id)).split('\r\n')).toHaveLength(3);
  });

  test.each([1, 2, 3])('behind batch %i of a dry run, the next run goes on: nothing counts twice', async (batch) => {
    const { key } = await api.account();
    // Each number twice, in different batches: it would cost one unit.
    const csv = `tracking_number,order_id\n${rows(225)}\n12,short\n${rows(225)}\n12,short`;
    const { body } = await upload(csv, { key, query: '?dry_run=true' });
    await runImport(poller({ db: dyingAfter(batch) }), await runKey(body.data.id)).catch(() => {});
    passedMs += 16_000;
    await runDue();
    const done = (await api.call('GET', `/imports/${body.data.id}`, { key })).body.data;
    expect(done).toMatchObject({
      state: 'done',
      rows: { total: 452, read: 452, registered: 225, known: 225, rejected: 2 },
      units: 225,
      faults: [{ rows: 2 }],
    });
    expect((await rejectedOf(key, body.data.id)).split('\r\n')).toHaveLength(4);
  });

  test('a run that has lost its lease to another one stores nothing more', async () => {
    const { key } = await api.account();
    const { body } = await upload(`tracking_number,order_id\n${rows(450)}`, { key });
    let taken = false;
    const pause = async () => {
      if (taken) return;
      taken = true;
      passedMs += 16_000;
      await api.db.import.update({ where: { id: body.data.id }, data: { leasedUntil: new Date(0) } });
      await claimImport(api.db, await runKey(body.data.id), now());
    };
    await runImport(poller({ pause }), await runKey(body.data.id));
    const left = (await api.call('GET', `/imports/${body.data.id}`, { key })).body.data;
    expect([left.state, left.rows.read]).toEqual(['running', 200]);
    passedMs += 16_000;
    await runDue();
    expect(await used(key)).toBe(450);
  });
});

test('a process that stops leaves its import to the next one, at once', async () => {
  const { key } = await api.account();
  const { body } = await upload(`tracking_number,order_id\n${rows(450)}`, { key });
  const stopping = new AbortController();
  await runImport(
    poller({ pause: async () => stopping.abort(), stopping: stopping.signal }),
    await runKey(body.data.id),
  );
  expect((await api.call('GET', `/imports/${body.data.id}`, { key })).body.data.rows.read).toBe(200);
  // While it waits, another way registers one of its numbers, which it does not count as its own.
  passedMs += 1000;
  await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'PTS300DELIVERED' } });
  await runDue();
  expect((await api.call('GET', `/imports/${body.data.id}`, { key })).body.data).toMatchObject({
    state: 'done',
    rows: { read: 450, registered: 449, updated: 1 },
  });
  // Also where it has found no rows yet.
  const { id } = (await upload('tracking_number\n\n', { key })).body.data;
  await runImport(poller({ stopping: stopping.signal }), await runKey(id));
  expect((await api.call('GET', `/imports/${id}`, { key })).body.data.error).toBeNull();
  await runDue();
  expect((await api.call('GET', `/imports/${id}`, { key })).body.data.error).toMatch(/no rows/);
});

test('an import can be cancelled while it runs; what is registered stays so', async () => {
  const { key } = await api.account();
  const { body } = await upload(`tracking_number,order_id\n${rows(450)}`, { key });
  const cancel = () => api.call('DELETE', `/imports/${body.data.id}`, { key });
  const pause = async () => void (await cancel());
  await runImport(poller({ pause }), await runKey(body.data.id));
  const { data } = (await cancel()).body;
  expect(data).toMatchObject({ state: 'cancelled', rows: { read: 200, registered: 200 } });
  expect([await used(key), await api.db.importChunk.count({ where: { importId: body.data.id } })]).toEqual([200, 0]);
  await runDue();
  expect(await used(key)).toBe(200);
});

test('an import that fails for a reason of ours is repeated for an hour; then the next one of its account runs', async () => {
  const { key } = await api.account();
  const id: string = (await upload(`tracking_number\n${rows(3)}`, { key })).body.data.id;
  const next = (await upload(NUMBER, { key })).body.data.id;
  // As after an incomplete restore.
  await api.db.importChunk.deleteMany({ where: { importId: id } });
  const run = async () => runImport(poller(), await runKey(id));
  const read = async () => (await api.call('GET', `/imports/${id}`, { key })).body.data;
  for (const seconds of [16, 3600]) {
    await expect(run()).rejects.toThrow('a part of the file');
    expect(await read()).toMatchObject({ state: 'running', error: null });
    expect((await due()).map((each) => each.id)).not.toContain(next);
    passedMs += seconds * 1000;
  }
  await expect(run()).rejects.toThrow('a part of the file');
  expect(await read()).toMatchObject({ state: 'failed', error: expect.stringContaining('internal error') });
  expect((await due()).map((each) => each.id)).toEqual([next]);
  await runDue();
});

test('an outage of the database is no kill: an import goes on after any number of them', async () => {
  const { key } = await api.account();
  const id: string = (await upload(`tracking_number\n${rows(3)}`, { key })).body.data.id;
  const db = new Proxy(api.db, {
    get(target, name) {
      if (name === '$transaction') throw new DeadlineError(8000);
      return Reflect.get(target, name);
    },
  });
  for (let n = 0; n < 11; n++) {
    await expect(runImport(poller({ db }), await runKey(id))).rejects.toThrow(DeadlineError);
    passedMs += 16_000;
  }
  await runDue();
  expect((await api.call('GET', `/imports/${id}`, { key })).body.data).toMatchObject({ state: 'done' });
});

test('an import whose file kills its process fails after ten kills at the same place; then the next one of its account runs', async () => {
  const { key } = await api.account();
  const id: string = (await upload(`tracking_number,order_id\n${rows(450)}`, { key })).body.data.id;
  const next = (await upload(NUMBER, { key })).body.data.id;
  const kill = async () => {
    expect(await claimImport(api.db, await runKey(id), now())).not.toBeNull();
    passedMs += 16_000;
  };
  const run = async (changed: Partial<RunContext> = {}) => runImport(poller(changed), await runKey(id));
  const read = async () => (await api.call('GET', `/imports/${id}`, { key })).body.data;
  for (let n = 0; n < 9; n++) await kill();
  // One gets further, and is stopped: the count begins again.
  const stopping = new AbortController();
  await run({ pause: async () => stopping.abort(), stopping: stopping.signal });
  expect(await read()).toMatchObject({ state: 'running', rows: { read: 200 } });
  for (let n = 0; n < 10; n++) await kill();
  await expect(run()).rejects.toThrow('10 processes');
  expect(await read()).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/^The import stopped repeatedly/),
  });
  expect((await due()).map((each) => each.id)).toEqual([next]);
  await runDue();
});

test('an import that is cancelled while its file is read is no fault', async () => {
  const { key } = await api.account();
  const id: string = (await upload(`tracking_number\n${rows(3)}`, { key })).body.data.id;
  const cancelling = new Proxy(api.db, {
    get: (db, name) => {
      if (name !== '$hot') return Reflect.get(db, name);
      return async (...given: unknown[]) => {
        await api.call('DELETE', `/imports/${id}`, { key });
        return (Reflect.get(db, name) as (...all: unknown[]) => Promise<unknown>).apply(db, given);
      };
    },
  });
  await runImport(poller({ db: cancelling }), await runKey(id));
  expect((await api.call('GET', `/imports/${id}`, { key })).body.data).toMatchObject({ state: 'cancelled' });
});

test('imports of an account run one after another, in their order; those of others do not wait', async () => {
  const [one, other] = [await api.account(), await api.account()];
  const ids: string[] = [];
  for (const { key } of [one, one, other]) {
    ids.push((await upload(`tracking_number\n${'PTS1DELIVERED'}`, { key })).body.data.id);
    passedMs += 1;
  }
  const [first = '', second = '', third = ''] = ids;
  expect((await due()).map(({ id }) => id)).toEqual([first, third]);
  expect(await claimImport(api.db, await runKey(second), now())).toBeNull();
  await runDue();
  expect((await api.call('GET', '/imports', { key: one.key })).body.data).toMatchObject({
    count: 2,
    imports: [{ id: second, state: 'done' }, { id: first }],
  });
});

describe('a long workbook', () => {
  const text = (value: string) => `<row><c t="str"><v>${value}</v></c></row>`;
  const sheet = `<worksheet>${text('Waybill')}${'<row/>'.repeat(50_000)}${text(NUMBER)}</worksheet>`;
  const LONG = workbook({ rows: [], files: { 'xl/worksheets/sheet1.xml': sheet } });
  const columns = [{ header: 'Waybill', field: 'tracking_number' }];
  /** Seconds pass on this poller between two slices of its work. @param look called when it renews its lease. */
  const slowPoller = (look: () => Promise<void>, changed: Partial<RunContext> = {}) => {
    const renew = async (...given: [TemplateStringsArray]) => {
      await look();
      return api.db.$executeRaw(...given);
    };
    const db = new Proxy(api.db, { get: (all, name) => (name === '$executeRaw' ? renew : Reflect.get(all, name)) });
    const slowNow = () => {
      passedMs += 1000;
      return now();
    };
    return poller({ db, now: slowNow, ...changed });
  };
  const started = async (data = {}) => {
    const { id: accountId, key } = await api.account();
    const { id } = (await upload(LONG, { key, type: XLSX })).body.data;
    await api.db.import.update({ where: { id }, data });
    const read = async () => (await api.call('GET', `/imports/${id}`, { key })).body.data;
    return { id, accountId, read, cancel: () => api.call('DELETE', `/imports/${id}`, { key }) };
  };

  test.each([
    ['looked through', {}],
    ['read up to its place', { rowsTotal: 1, columns, position: 50_001 }],
  ])('is left as soon as it is cancelled, or another process has it, while it is %s', async (_phase, data) => {
    for (const isCancelled of [true, false]) {
      const { id, accountId, read, cancel } = await started(data);
      let looks = 0;
      const look = async () => {
        if (++looks !== 40) return;
        if (isCancelled) return void (await cancel());
        await api.db.import.update({ where: { id }, data: { leasedUntil: new Date(0) } });
        await claimImport(api.db, { id, accountId }, now());
      };
      await runImport(slowPoller(look), { id, accountId });
      expect(looks).toBe(40);
      passedMs += 16_000;
      await runDue();
      expect((await read()).state).toBe(isCancelled ? 'cancelled' : 'done');
    }
  });

  test('makes way while it is read, unless it is the one of its process that may read to the end', async () => {
    const { id, accountId, read } = await started();
    passedMs += 1;
    const other = (await upload(NUMBER, { key: (await api.account()).key })).body.data.id;
    const run = (holder: string | null) =>
      runImport(
        slowPoller(async () => {}, { reading: { holder } }),
        { id, accountId },
      );
    await run('another run');
    expect(await read()).toMatchObject({ state: 'running', rows: { total: null } });
    expect((await due()).map((each) => each.id)).toEqual([other, id]);
    await run(null);
    expect((await read()).rows.total).toBe(1);
    await runDue();
    expect(await read()).toMatchObject({ state: 'done' });
  });
});

test('a batch has at most 256 KiB of text, so that it does not hold the thread', async () => {
  const { key } = await api.account();
  const csv = `tracking_number,title\n${`12,${'x'.repeat(30_000)}\n`.repeat(20)}`;
  const { id } = (await upload(csv, { key })).body.data;
  const stopping = new AbortController();
  await runImport(poller({ pause: async () => stopping.abort(), stopping: stopping.signal }), await runKey(id));
  expect((await api.call('GET', `/imports/${id}`, { key })).body.data.rows.read).toBe(9);
  await runDue();
});

describe('workbooks', () => {
  test('keep leading zeros, and say where digits are lost', async () => {
    const { id: accountId, key } = await api.account();
    const file = workbook({
      rows: [
        ['运单号', '订单号', '快递公司'],
        [{ n: '12345678', style: 1 }, { n: '42' }, '沙盒物流'],
        [{ n: '1.2345678901234567E+19' }, '43', 'sandbox'],
        ['PTS1DELIVERED', { n: '1.2345678901234567E+17' }, ''],
      ],
      formats: ['000000000000'],
    });
    const done = await imported(file, { key, type: XLSX });
    expect(done).toMatchObject({
      format: 'xlsx',
      encoding: null,
      columns: [{ field: 'tracking_number' }, { field: 'order_id' }, { field: 'courier_code' }],
      rows: { total: 3, registered: 1, rejected: 2 },
    });
    expect(done.faults.map(({ field, message }: { field: string; message: string }) => [field, message])).toEqual([
      ['tracking_number', expect.stringContaining('more than 15 digits')],
      ['order_id', expect.stringContaining('more than 15 digits')],
    ]);
    expect(await parcels(accountId)).toMatchObject([{ trackingNumber: '000012345678', orderId: '42' }]);
  });

  test('that cannot be read fail, and register nothing', async () => {
    const { key } = await api.account();
    const file = workbook({ rows: [['Order', 'City']] });
    expect(await imported(file, { key, type: XLSX })).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^tracking_number_column is required.*"Order", "City"\.$/),
    });
    expect(await used(key)).toBe(0);
  });
});

test('NDJSON, with objects and texts, and lines that cannot be read', async () => {
  const { id: accountId, key } = await api.account();
  const lines = [
    '{"tracking_number":"PTS1DELIVERED","metadata":{"shop":"hangzhou"}}',
    '"PTS2DELIVERED"',
    '{"tracking',
    '7',
  ];
  const done = await imported(lines.join('\n'), { key, type: 'application/x-ndjson' });
  expect(done).toMatchObject({
    rows: { read: 4, registered: 2, rejected: 2 },
    faults: [{ field: null, sample_rows: [3, 4] }],
  });
  expect(await parcels(accountId)).toContainEqual(expect.objectContaining({ metadata: { shop: 'hangzhou' } }));
});

test.each([
  ['with empty cells behind them', "'PTS4444DELIVERED,,\n'PTS5555DELIVERED,,\n", ''],
  ['in full width', 'ＰＴＳ４４４４ＤＥＬＩＶＥＲＥＤ\nPTS5555DELIVERED\n', ''],
  [
    'beside others, with columns named by number',
    'A-1,PTS4444DELIVERED,x\nA-2,PTS5555DELIVERED,y',
    '2&order_id_column=1',
  ],
  [
    'beside others, with columns named by the first line',
    'A-1,PTS4444DELIVERED\nA-2,PTS5555DELIVERED',
    'PTS4444DELIVERED',
  ],
])('the first number of a list without a header is registered: numbers %s', async (_what, list, column) => {
  const { id: accountId, key } = await api.account();
  const query = column && `?tracking_number_column=${column}`;
  const done = await imported(list, { key, query, type: 'text/plain' });
  expect(done.rows).toMatchObject({ total: 2, registered: 2 });
  const orders = column.includes('order_id') ? ['A-1', 'A-2'] : [null, null];
  expect((await parcels(accountId)).map(({ orderId }) => orderId)).toEqual(orders);
});

describe('a file is refused at once, and leaves nothing behind:', () => {
  const big = Buffer.alloc(50 * 1024 * 1024 + 1, 'a');
  test.each<[string, string | Buffer, Partial<Sent>, number, RegExp]>([
    ['an empty one', Buffer.alloc(0), {}, 400, /The file is empty/],
    ['one of 50 MiB and a byte', big, {}, 413, /larger than 50 MiB/],
    ['a picture', Buffer.from('ffd8ffe0c1c2c3f1f2f3', 'hex'), {}, 400, /not recognised as UTF-8, UTF-16/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), { type: XLSX }, 400, /old Excel.*Save it as \.xlsx/],
    ['text as a workbook', 'a,b\n', { type: XLSX }, 400, /not an Excel workbook/],
    ['a workbook as text', workbook({ rows: [['a']] }), {}, 400, /archive, not text\. Save the table as \.xlsx or CSV/],
    ['JSON', '{}', { type: 'application/json' }, 415, /Content-Type text\/csv/],
    ['another charset', 'a', { type: 'text/csv; charset=big5' }, 415, /charset must be/],
    ['one that is packed', 'a', { headers: { 'Content-Encoding': 'gzip' } }, 415, /without Content-Encoding/],
    ['no column for numbers', 'Order,City\n1,Rome', {}, 400, /tracking_number_column is required.*"Order", "City"/],
    [
      'a title above an unusual header, which is no number',
      'Orders 2026,,\nOrder,Sendung,Name\n10012345,PTS4444DELIVERED,x',
      {},
      400,
      /tracking_number_column is required.*"Order", "Sendung", "Name"/,
    ],
    [
      'a quote that has swallowed a row',
      'tracking_number,title\nPTS1DELIVERED,"wheel 16""\n"PTS2DELIVERED","x"',
      {},
      400,
      /^Row 2 has a quote that is not closed.*: PTS1DELIVERED,"wheel 16""\. Correct it/,
    ],
    [
      'a column that is not there',
      'number\n1',
      { query: '?order_id_column=Order' },
      400,
      /order_id_column names a column that the file does not have/,
    ],
    ['another value for dry_run', 'number\n1', { query: '?dry_run=yes' }, 400, /dry_run must be one of true, false/],
    ['an unclosed quote', '"tracking_number\nPTS1DELIVERED', {}, 400, /quote in or after row 1 is not closed/],
  ])('%s', async (_what, content, sent, status, message) => {
    const { id: accountId, key } = await api.account();
    const answer = await upload(content, { key, ...sent });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
    expect(await api.db.import.count({ where: { accountId } })).toBe(0);
  });
});

test('a file with more than 200,000 rows registers none of them', async () => {
  const { key } = await api.account();
  const done = await imported(`tracking_number\n${'PTS1DELIVERED\n'.repeat(200_001)}`, { key });
  expect(done).toMatchObject({ state: 'failed', error: expect.stringContaining('more than 200,000 rows') });
  expect(await used(key)).toBe(0);
});

test('an account has five imports that wait, and twenty that are kept', async () => {
  const { id: accountId, key } = await api.account();
  for (let n = 0; n < 5; n++) expect((await upload(NUMBER, { key })).status).toBe(200);
  const refused = await upload(NUMBER, { key });
  expect([refused.status, refused.body.message]).toEqual([
    429,
    expect.stringContaining('5 imports waiting or running'),
  ]);
  await runDue();
  for (let n = 0; n < 17; n++) await imported(NUMBER, { key });
  expect(await api.db.import.count({ where: { accountId } })).toBe(20);
});

test('with an Idempotency-Key, the same file is imported once, and another one is refused', async () => {
  const { id: accountId, key } = await api.account();
  const headers = { 'Idempotency-Key': 'nightly' };
  const first = await upload(NUMBER, { key, headers });
  const second = await upload(NUMBER, { key, headers });
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect((await upload('PTS2222DELIVERED', { key, headers })).status).toBe(409);
  expect(await api.db.import.count({ where: { accountId } })).toBe(1);
  await runDue();
});

test('an account has at most two files of rejected rows open, which it may not read', async () => {
  const { id: accountId, key } = await api.account();
  const { id } = await imported('tracking_number\n12', { key });
  const lease = { accountId, kind: 'export', max: 2, now: now() } as const;
  for (let n = 0; n < 2; n++) await takeStreamLease(api.db, lease);
  const refused = await api.call('GET', `/imports/${id}/rejected.csv`, { key });
  expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining('2 open streams of exports')]);
});

test('imports of another account are not found', async () => {
  const [owner, stranger] = [await api.account(), await api.account()];
  const { id } = await imported(NUMBER, { key: owner.key });
  for (const [method, path] of [
    ['GET', `/imports/${id}`],
    ['DELETE', `/imports/${id}`],
    ['GET', `/imports/${id}/rejected.csv`],
  ] as const)
    expect((await api.call(method, path, { key: stranger.key })).status).toBe(404);
  expect((await api.call('GET', '/imports/nothing', { key: owner.key })).body.code).toBe(4112);
});

test('imports are forgotten 30 days after their end, and uploads that never ended after an hour', async () => {
  const { id: accountId, key } = await api.account();
  const { id } = await imported('tracking_number\n12\nPTS1DELIVERED', { key });
  await api.db.import.create({
    data: { id: 'c00000000000000000000001', accountId, dryRun: false, format: 'csv', wanted: {}, createdAt: now() },
  });
  const forget = async () => {
    await forgetImports(api.db, { now: now(), batch: 100 });
    return api.db.import.findMany({ where: { accountId }, select: { id: true } });
  };
  expect(await forget()).toHaveLength(2);
  passedMs += 3_600_001;
  expect(await forget()).toEqual([{ id }]);
  passedMs += 30 * 24 * 3_600_000;
  expect([await forget(), await api.db.importReject.count({ where: { importId: id } })]).toEqual([[], 0]);
});

describe('several numbers in one field are refused alike by every way in, and nothing is charged:', () => {
  test.each([
    '123456789012\n123456789013',
    '123456789012 123456789013',
    '123456789012\t123456789013',
    '123456789012,123456789013',
    '1Z 999 AA1 01 2345 6784 + 1Z 999 AA1 01 2345 6785',
    '123456789012 - 123456789013',
    '123456789012 und 123456789013',
  ])('%j', async (tracking_number) => {
    const { id: accountId, key } = await api.account();
    const item = { tracking_number, courier_code: 'sandbox' };
    const post = async (path: string, body: unknown) => (await api.call('POST', path, { key, body })).body;
    const v4 = async (path: string, body: unknown) =>
      (
        await fetch(`${api.url}/v4${path}`, {
          method: 'POST',
          headers: { 'Tracking-Api-Key': key, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).text();
    const mcp = async () => {
      const call = { name: 'register_parcels', arguments: { parcels: [item] } };
      const response = await fetch(`${api.url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'X-API-Key': key,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      });
      return response.text();
    };
    const stream = await fetch(`${api.url}/api/v1/track/batch-stream`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', 'X-API-Key': key },
      body: JSON.stringify(item),
    });
    const file = await imported(`number,Carrier\n"${tracking_number}",sandbox\n`, {
      key,
      query: '?tracking_number_column=number',
    });
    const answers = [
      await post('/trackings/create', item),
      await post('/trackings/batch', [item]),
      await post('/track/async', [item]),
      await stream.text(),
      await v4('/trackings/create', item),
      await v4('/trackings/batch', [item]),
      await mcp(),
      file.faults,
    ];
    for (const answer of answers) expect(JSON.stringify(answer)).toMatch(/several numbers|has several: send each/);
    expect(await parcels(accountId)).toEqual([]);
    expect(await used(key)).toBe(0);
  });
});
