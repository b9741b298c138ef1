import { PLAN_QUOTAS } from '@pts/core/account/plan';
import { insertBulkAction } from '@pts/db/bulk-actions/bulk-actions';
import { createLogger } from '@pts/runtime/logger';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { createPollerMetrics } from '../metrics.ts';
import { openPollerTest, type PollerTest } from '../testing/test-poller.ts';
import { type Runs, startRuns } from './runs.ts';

let poller: PollerTest;
let runs: Runs;
beforeAll(async () => {
  poller = await openPollerTest();
  runs = startRuns(poller.queue, {
    db: poller.db,
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
