import { createOutcomes } from '@pts/runtime/outcomes';
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

/** The report of a dispatcher, and what it shows of healthy endpoints. */
function reportOf(hasFree = (): boolean => true, db = given.db) {
  const metrics = createDispatcherMetrics();
  const outcomes = { healthy: createOutcomes(), failing: createOutcomes() };
  const logger = { warn: keep, info: keep } as never;
  const { round, details } = createBacklogReport({ db, logger, metrics, outcomes, hasFree, now });
  const value = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    const [, number] = /health="healthy".*\} (\S+)/.exec(text) ?? [];
    return number === undefined ? 'absent' : Number(number);
  };
  const values = async () => ({
    growing: await value('pts_backlog_growing'),
    endpoints: await value('pts_endpoints_pending'),
    lag: await value('pts_delivery_lag_seconds'),
  });
  const failingSeconds = async () => (await metrics.failingSeconds.get()).values.map(({ value }) => value);
  return { round, details, outcomes, values, failingSeconds };
}

/** Deliveries that became due a minute ago and that no dispatcher sends, and six reports, fifteen seconds apart. */
async function sixReports({ hasFree = (): boolean => true, beforeEach = async (_webhookId: string) => {} } = {}) {
  const merchant = await given.merchant();
  await given.owe(merchant, 3);
  const report = reportOf(hasFree);
  passedMs = 61_000;
  for (let n = 0; n < 6; n++) {
    await beforeEach(merchant.webhook.id);
    await report.round();
    passedMs += 15_000;
  }
  return report;
}

test('an endpoint that no process serves although this one is idle causes one warning', async () => {
  const { values, details } = await sixReports();
  expect(await values()).toEqual({ growing: 1, endpoints: 1, lag: expect.any(Number) });
  expect(lines).toEqual([{ health: 'healthy', finding: 'growing', oldestSeconds: expect.any(Number) }]);
  expect(details()).toEqual({ healthy: expect.stringMatching(/^growing/), failing: 'ok' });
});

test('due deliveries whose attempts to work for their endpoint all end with an internal error cause a warning, until one succeeds', async () => {
  await given.owe(await given.merchant(), 1);
  const { round, outcomes, values, details } = reportOf(() => false);
  passedMs = 1000;
  for (let n = 0; n < 4; n++) {
    expect(lines).toEqual([]);
    outcomes.healthy.failed();
    await round();
  }
  expect(lines).toEqual([{ health: 'healthy', finding: 'failing', oldestSeconds: expect.any(Number) }]);
  expect(details()).toEqual({ healthy: expect.stringMatching(/^failing/), failing: 'ok' });
  outcomes.healthy.succeeded();
  await round();
  expect(await values()).toMatchObject({ growing: 0, endpoints: 1 });
  expect(lines).toHaveLength(2);
});

test('while deliveries are locked, the backlog is unknown at once and an alarm within a minute', async () => {
  await given.owe(await given.merchant(), 1);
  let db = given.db;
  const { round, values, details } = reportOf(undefined, new Proxy(db, { get: (_db, name) => Reflect.get(db, name) }));
  await round();
  expect(await values()).toMatchObject({ growing: 0, endpoints: 1 });
  db = given.db.$within(100);
  await given.db.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE public.deliveries IN ACCESS EXCLUSIVE MODE`;
    for (let n = 0; n < 4; n++) {
      expect(lines).toEqual([]);
      await expect(round()).rejects.toThrow();
      expect(await values()).toEqual({ growing: n < 3 ? 'absent' : 1, endpoints: 'absent', lag: 'absent' });
      expect(details()).toMatchObject({ healthy: expect.stringMatching(/^unknown/) });
    }
  });
  expect(lines).toHaveLength(2);
  db = given.db;
  await round();
  expect(await values()).toMatchObject({ growing: 0, endpoints: 1 });
  expect(lines).toHaveLength(4);
});
