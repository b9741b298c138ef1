import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectedProvider } from '@pts/carriers/provider';
import { connectedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { playedProviders } from '@pts/carriers/providers/overrides';
import { tokensInMemory } from '@pts/carriers/testing/tokens';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { storeRegistrations } from '@pts/db/trackings/register';
import { createLogger } from '@pts/runtime/logger';
import { createAccount } from '@pts/service/accounts/create';
import { createEstimator } from '@pts/service/estimates/estimator';
import { testDatabase } from '@pts/testing/database';
import { type OutageKind, startOutageSwitch } from '@pts/testing/outage-switch';
import { createPollerMetrics } from '../apps/carrier-poller/src/metrics.ts';
import { startPoller } from '../apps/carrier-poller/src/poller.ts';
import { paceOf } from '../apps/carrier-poller/src/provider/pace.ts';
import { createProviderMemory } from '../apps/carrier-poller/src/provider/provider-memory.ts';
import { createSandboxApp } from '../apps/sandbox-carrier/src/app.ts';
import { rememberInMemory } from '../apps/sandbox-carrier/src/first-requests.ts';
import { listen, stop, urlOf } from '../apps/sandbox-carrier/src/server.ts';
import type { BenchOptions } from './options.ts';
import type { Figure } from './parts/figure.ts';
import { measureLags } from './parts/lags.ts';
import { openBenchQueue } from './parts/queue.ts';

const FAILING: Record<string, OutageKind> = {
  'la-poste': '429',
  postnord: '500',
  'canada-post': 'hang',
  'royal-mail': 'garbage',
};
const HEALTHY = ['australia-post', 'dhl-unified', 'kdniao', 'sf-express'];
const NUMBERS_EACH = 60;
const INTERVAL_SECONDS = 20;
const BASELINE_SECONDS = 60;
/** The longest pause of a provider. */
const LONGEST_PAUSE_SECONDS = 900;

/**
 * How late the checks of healthy providers are while four others have an outage for some minutes, each in its own way, against
 * the same before; and how long after it the checks of those four resume.
 */
export async function benchProviderOutage({ minutes }: Pick<BenchOptions, 'minutes'>): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 16 });
  const sandbox = await startSandbox();
  const outage = await startOutageSwitch(() => urlOf(sandbox));
  const lags = measureLags(db);
  const providers = connect(outage.url).map(lags.measured);
  for (const provider of providers) await register(db, provider.name);
  const poller = await startMeasured(db, providers, database.url);
  const looking = new AbortController();
  const looks = lookUntil(lags.look, looking.signal);
  await delay(2 * INTERVAL_SECONDS * 1000);
  lags.take();
  await delay(BASELINE_SECONDS * 1000);
  const before = lags.take();
  for (const [name, kind] of Object.entries(FAILING)) outage.set(name, kind);
  await delay(minutes * 60_000);
  const during = lags.take();
  const callsInOutage = Object.fromEntries(Object.keys(FAILING).map((name) => [name, outage.calls(name).failed]));
  const passed = Object.fromEntries(Object.keys(FAILING).map((name) => [name, outage.calls(name).passed]));
  for (const name of Object.keys(FAILING)) outage.set(name, null);
  const resumed = await resumption((name) => outage.calls(name).passed - (passed[name] ?? 0));
  looking.abort();
  await looks;
  await poller.stop();
  await outage.close();
  await stop(sandbox);
  await db.$disconnect();
  await database.close();
  return [
    ...HEALTHY.flatMap((name) => figuresOf(name, before.get(name) ?? [], during.get(name) ?? [])),
    ...Object.entries(FAILING).flatMap(([name, kind]) => [
      figureOf(
        `${kind}: calls during the outage`,
        callsInOutage[name] ?? 0,
        NUMBERS_EACH * (60 / INTERVAL_SECONDS) * minutes,
        'calls',
      ),
      figureOf(`${kind}: resumed after`, resumed[name] ?? Number.NaN, LONGEST_PAUSE_SECONDS, 's'),
    ]),
  ];
}

function startSandbox() {
  const kuaidi100 = { customer: 'sandbox-customer', key: 'sandbox-key' };
  const deps = { speed: 0.001, now: () => new Date(), state: rememberInMemory(), kuaidi100, rateLimits: false };
  return listen(createSandboxApp(deps), '127.0.0.1', 0);
}

function connect(url: string): ConnectedProvider[] {
  const names = [...HEALTHY, ...Object.keys(FAILING)];
  const played = PROVIDERS.filter(({ name }) => names.includes(name));
  return connectedProviders(
    { ...playedProviders(played, url), PROVIDERS: names.join(',') },
    { tokens: tokensInMemory() },
  ).map((provider) => {
    const { dailyBudget: _, ...limits } = provider.limits;
    return { ...provider, limits: { ...limits, callsPerSecond: 20, concurrency: 4, floorSeconds: 0 } };
  });
}

async function register(db: Db, provider: string): Promise<void> {
  const { account } = await createAccount({ db, now: () => new Date() }, { name: provider, plan: 'enterprise' });
  const carrier = Object.keys(PROVIDERS.find(({ name }) => name === provider)?.carriers ?? {})[0] ?? '';
  const registrations = Array.from({ length: NUMBERS_EACH }, (_, n) => ({
    trackingNumber: `SBXORDINARY${n}`,
    ...{ carrier, provider, detected: false, phone: '1234' },
  }));
  await storeRegistrations(db, { accountId: account.id, quotaLimit: 1_000_000, registrations, now: new Date() });
}

async function startMeasured(db: Db, providers: readonly ConnectedProvider[], databaseUrl: string) {
  const { queue, producer, close } = await openBenchQueue('redis', databaseUrl);
  const shared = {
    ...{ db, producer, signals: { publish: async () => {} }, callback: null, now: () => new Date() },
    logger: createLogger({ app: 'bench', level: 'silent', format: 'json' }),
    metrics: createPollerMetrics(),
    memory: createProviderMemory(),
    estimator: createEstimator(db),
  };
  const cadence = { monitoredSeconds: INTERVAL_SECONDS, idleSeconds: INTERVAL_SECONDS, floorSeconds: 0 };
  const poller = startPoller({
    ...{ queue, providers, sweepIntervalMs: 1000, callGraceMs: 0 },
    depsFor: (provider) => ({ ...shared, provider, cadence, pace: paceOf(provider, db) }),
  });
  return {
    stop: async () => {
      await poller.stop();
      await close();
    },
  };
}

async function lookUntil(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // If a look fails on a busy machine, the next one makes up for it.
    await look().catch(() => {});
    await delay(1000, undefined, { signal }).catch(() => {});
  }
}

/** Seconds after which each provider with an outage had as many calls answered as it has numbers in a batch. */
async function resumption(answeredOf: (name: string) => number): Promise<Record<string, number>> {
  const startedAt = performance.now();
  const seconds: Record<string, number> = {};
  const names = Object.keys(FAILING);
  while (Object.keys(seconds).length < names.length) {
    const passedSeconds = (performance.now() - startedAt) / 1000;
    if (passedSeconds > 2 * LONGEST_PAUSE_SECONDS) break;
    for (const name of names.filter((each) => seconds[each] === undefined && answeredOf(each) > 1))
      seconds[name] = passedSeconds;
    await delay(500);
  }
  return seconds;
}

function figuresOf(name: string, before: readonly number[], during: readonly number[]): Figure[] {
  return [
    figureOf(`${name} lag p50`, quantile(during, 0.5), quantile(before, 0.5), 'ms'),
    figureOf(`${name} lag p99`, quantile(during, 0.99), quantile(before, 0.99), 'ms'),
    figureOf(`${name} checks`, during.length, before.length, 'checks'),
  ];
}

function figureOf(name: string, ours: number, bare: number, unit: string): Figure {
  const ratio = Math.round((ours / bare) * 100) / 100;
  return { name, ours: Math.round(ours), bare: Math.round(bare), ratio, unit, store: 'redis' };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}
