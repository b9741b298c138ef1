import { PLAN_QUOTAS } from '@pts/core/account';
import { insertBulkAction } from '@pts/db/bulk-actions';
import { findImport } from '@pts/db/imports';
import { createLogger } from '@pts/runtime/logger';
import { receiveFile, startImport } from '@pts/service/imports';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { createPollerMetrics } from '../metrics.ts';
import { openPollerTest, type PollerTest } from '../testing/test-poller.ts';
import { type Runs, startRuns } from './runs.ts';

let poller: PollerTest;
let runs: Runs;
/** An import whose file is not read further before this resolves. */
let held: { id: string; until: Promise<void> } | null = null;
beforeAll(async () => {
  poller = await openPollerTest();
  const send = async (text: string, values: readonly unknown[]) => {
    if (held && values.includes(held.id)) await held.until;
    return poller.db.$hot(text, values);
  };
  runs = startRuns(poller.queue, {
    db: new Proxy(poller.db, { get: (db, name) => (name === '$hot' ? send : Reflect.get(db, name)) }),
    producer: poller.producer,
    providers: [],
    sandbox: false,
    quotas: PLAN_QUOTAS,
    now: poller.clock.now,
    logger: createLogger({ app: 'test', level: 'silent', format: 'json' }),
    metrics: createPollerMetrics(),
  });
});
afterAll(async () => {
  await runs.stop();
  await poller.close();
});

/** An account with a parcel, whose polling is to be stopped. @returns the ids of its bulk action and of the parcel. */
async function stopOfOne() {
  const accountId = await poller.account();
  const parcel = await poller.watch(accountId, freshNumber());
  const now = poller.clock.now();
  const wanted = { accountId, action: 'stop', filter: {}, matched: 1, isLowerBound: false, ceiling: null } as const;
  const started = await insertBulkAction(poller.db, { ...wanted, dryRun: false, asOf: now, now });
  if (!started) throw new Error('another one runs');
  return { id: started.id, accountId, parcel };
}
const isDone = (id: string) =>
  eventually(async () => {
    expect(await poller.db.bulkAction.findUnique({ where: { id } })).toMatchObject({ state: 'done', done: 1 });
  });

test('a bulk action runs when its job comes', async () => {
  const { id, accountId, parcel } = await stopOfOne();
  expect(await poller.producer.startRun({ kind: 'bulk-action', id, accountId })).toBe(true);
  await isDone(id);
  expect(await poller.check(parcel)).toBeNull();
});

test('one whose job was lost is found by the sweep', async () => {
  const { id } = await stopOfOne();
  await eventually(async () => {
    await runs.sweep();
    expect(await poller.db.bulkAction.findUnique({ where: { id } })).toMatchObject({ state: 'done' });
  });
});

test("another account's import goes through while a long file is read", async () => {
  const { db, producer, clock } = poller;
  const upload = async (wake: typeof producer) => {
    const bytes = (async function* () {
      yield Buffer.from(`tracking_number\n${freshNumber()}`);
    })();
    const given = { dryRun: false, fileName: null, wanted: {}, format: 'csv', encoding: null, bytes } as const;
    const file = await receiveFile({ db, now: clock.now }, { accountId: await poller.account(), ...given });
    return startImport({ db, producer: wake }, file);
  };
  const stateOf = async (of: Awaited<ReturnType<typeof upload>>) => (await findImport(db, of.accountId, of.id))?.state;
  const long = await upload({ ...producer, startRun: async () => true });
  let readOn = () => {};
  held = { id: long.id, until: new Promise((resolve) => (readOn = resolve)) };
  await producer.startRun({ kind: 'import', ...long });
  await eventually(async () => expect(await stateOf(long)).toBe('running'));
  const short = await upload(producer);
  await eventually(async () => expect(await stateOf(short)).toBe('done'));
  expect(await stateOf(long)).toBe('running');
  readOn();
  await eventually(async () => expect(await stateOf(long)).toBe('done'));
});
