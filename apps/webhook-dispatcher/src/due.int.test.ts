import { createDispatcherMetrics } from './metrics.ts';
import { reportPending } from './sweeps.ts';
import { startTestDispatch, type TestDispatch } from './testing/test-dispatcher.ts';

let given: TestDispatch;
let passedMs = 0;
const now = () => new Date(Date.now() + passedMs);
beforeEach(async () => {
  passedMs = 0;
  given = await startTestDispatch('redis');
}, 30_000);
afterEach(() => given.close(), 30_000);

/** The report of a dispatcher, and what it shows of healthy endpoints. */
function reportOf(hasFree = (): boolean => true, db = () => given.db) {
  const metrics = createDispatcherMetrics();
  const round = () =>
    reportPending({ db: db(), metrics, hasFree, now, retentionDays: 30, wake: () => {}, wakeAt: () => {} });
  const value = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    const [, number] = /(?:health|work)="healthy".*\} (\S+)/.exec(text) ?? [];
    return number === undefined ? 'absent' : Number(number);
  };
  /** A busy machine takes a moment. */
  const minutes = (seconds: number | 'absent') => (seconds === 'absent' ? seconds : Math.floor(seconds / 60));
  const values = async () => ({
    signal: minutes(await value('pts_work_oldest_due_seconds')),
    endpoints: await value('pts_endpoints_pending'),
    lag: minutes(await value('pts_delivery_lag_seconds')),
  });
  const failingSeconds = async () => (await metrics.failingSeconds.get()).values.map(({ value }) => value);
  return { round, values, failingSeconds };
}

async function oweForAnHour() {
  const merchant = await given.merchant();
  await given.owe(merchant, 3);
  passedMs = 3_600_000;
  return merchant;
}
const AN_HOUR = 60;

test('due deliveries of an endpoint that no process serves are reported with the age of the oldest', async () => {
  const { round, values } = reportOf();
  await oweForAnHour();
  await round();
  expect(await values()).toEqual({ signal: AN_HOUR, endpoints: 1, lag: AN_HOUR });
});

test('an endpoint that a process serves is late, and no fault; nor is one that waits for a place', async () => {
  const [idle, full] = [reportOf(), reportOf(() => false)];
  const { webhook } = await oweForAnHour();
  await full.round();
  expect(await full.values()).toEqual({ signal: 0, endpoints: 1, lag: AN_HOUR });
  const lease = { webhookId: webhook.id, holder: 'another process', expiresAt: new Date(Date.now() + 60_000) };
  await given.db.endpointLease.create({ data: lease });
  await idle.round();
  expect(await idle.values()).toEqual({ signal: 0, endpoints: 1, lag: AN_HOUR });
});

test('an endpoint that fails is shown with the time since its first failure', async () => {
  const { round, failingSeconds } = reportOf();
  const { webhook } = await oweForAnHour();
  await given.db.webhook.update({
    where: { id: webhook.id },
    data: { failingSince: new Date(now().getTime() - 60_000) },
  });
  await round();
  expect((await failingSeconds()).map(Math.round)).toEqual([60]);
});

test('while deliveries are locked, nothing is shown', async () => {
  await given.owe(await given.merchant(), 1);
  let { db } = given;
  const { round, values } = reportOf(undefined, () => db);
  await round();
  expect(await values()).toMatchObject({ endpoints: 1 });
  db = given.db.$within(100);
  await given.db.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE public.deliveries IN ACCESS EXCLUSIVE MODE`;
    await expect(round()).rejects.toThrow();
    expect(await values()).toEqual({ signal: 'absent', endpoints: 'absent', lag: 'absent' });
  });
  db = given.db;
  await round();
  expect(await values()).toMatchObject({ endpoints: 1 });
});
