import { takeTurns } from '@pts/db/deliveries/turns';
import { createDispatcherMetrics } from '../process/metrics.ts';
import { startTestDispatch, type TestDispatch } from '../testing/test-dispatcher.ts';
import { createBacklogReport } from './backlog.ts';

const lines: object[] = [];
const keep = (fields: object) => void lines.push(fields);
let given: TestDispatch;
let passedMs = 0;
const now = () => new Date(Date.now() + passedMs);
beforeEach(async () => {
  lines.length = 0;
  passedMs = 0;
  given = await startTestDispatch('redis');
}, 30_000);
afterEach(() => given.close(), 30_000);

/** Deliveries that became due a minute ago and that no dispatcher sends, and six reports, fifteen seconds apart. */
async function sixReports({ hasFree = (): boolean => true, beforeEach = async (_webhookId: string) => {} } = {}) {
  const merchant = await given.merchant();
  await given.owe(merchant, 3);
  const metrics = createDispatcherMetrics();
  const report = createBacklogReport({
    db: given.db,
    logger: { warn: keep, info: keep } as never,
    metrics,
    hasFree,
    now,
  });
  passedMs = 61_000;
  for (let n = 0; n < 6; n++) {
    await beforeEach(merchant.webhook.id);
    await report();
    passedMs += 15_000;
  }
  return metrics.registry.getSingleMetricAsString('pts_backlog_growing');
}

test('an endpoint that no process serves although this one is idle causes one warning', async () => {
  expect(await sixReports()).toContain('pts_backlog_growing{health="well",app="webhook-dispatcher"} 1');
  expect(lines).toEqual([{ health: 'well', due: 1, oldestSeconds: expect.any(Number) }]);
});

test('no alarm while a process serves it, however long its deliveries take', async () => {
  await sixReports({ beforeEach: async (id) => void (await takeTurns(given.db, 'another process', [id])) });
  expect(lines).toEqual([]);
});

test('no alarm while this process has no free place', async () => {
  await sixReports({ hasFree: () => false });
  expect(lines).toEqual([]);
});
