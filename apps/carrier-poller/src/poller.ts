import { setMaxListeners } from 'node:events';
import type { ConnectedProvider } from '@pts/carriers/provider';
import type { ProviderContext } from '@pts/carriers/providers/manifest';
import { giveBackChecks } from '@pts/db/checks/schedule';
import { tokenStore } from '@pts/db/providers';
import { keyRefusal } from '@pts/db/readiness';
import { BACKGROUND_QUEUE, type ParcelsJob, queryQueue } from '@pts/queue/catalog';
import { openQueue, type QueueConnection, type Receiver } from '@pts/queue/connection';
import { createWorkLoop } from '@pts/queue/loop';
import { watchQueues } from '@pts/queue/operate';
import { openSignals } from '@pts/queue/signals';
import { createProducer, receiveWakeUps } from '@pts/queue/wake';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { createPageTokens, installationTokenKeys } from '@pts/runtime/encryption/tokens';
import type { Logger } from '@pts/runtime/logger';
import { graceMs, type Work } from '@pts/runtime/process/boot';
import { type Loop, lookEveryMs, startLoop, type Took, workLoops } from '@pts/runtime/process/loop';
import { type Config, storeOptions } from '@pts/runtime/settings/config';
import type { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { hasSandbox, isLive } from '@pts/service/accounts';
import { createEstimator } from '@pts/service/estimates';
import { pageAddresses } from '@pts/service/pages';
import { openProcessDatabase } from '@pts/service/process';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { createForgetting, createSave } from './answers.ts';
import { query } from './ask.ts';
import {
  apartFor,
  createWatcherSweep,
  reportOverdue,
  subscribe,
  subscribes,
  sweepForgotten,
  sweepReleases,
  sweepRenewals,
  sweepSubscriptions,
} from './callbacks.ts';
import { cadenceOf, callbackOf } from './config.ts';
import type { AskLoop, Installation, PollerDeps, ProviderWork } from './deps.ts';
import { breakerOf, createProviderMemory } from './memory.ts';
import { type PollerMetrics, startFaultsAtZero } from './metrics.ts';
import { paceOf } from './pace.ts';
import { createRuns, type RunDeps } from './runs.ts';
import {
  ATTENTION_EVERY_MS,
  createCadenceSweep,
  createRouteSweep,
  createSweepRounds,
  NOTICES_EVERY_MS,
  reportDue,
  sweepAttention,
  sweepDelivered,
  sweepDue,
  sweepExpired,
  sweepGrown,
  sweepMonitored,
  sweepNotices,
  sweepStats,
} from './sweeps.ts';

/** How long an unfinished round of a sweep may take before the process counts as stuck. */
const STALE_MS = 60_000;
const EXPIRE_EVERY_MS = 60_000;
const CADENCE_EVERY_MS = 60_000;
const ROUTES_EVERY_MS = 30_000;
const LEARN_EVERY_MS = 60_000;
const RELEASE_EVERY_MS = 10_000;
const STATS_EVERY_MS = 5000;
/** In this time, an import adds some ten thousand rows. */
const ANALYZE_EVERY_MS = 2000;

export type Poller = {
  isLive(): boolean;
  /** The states that `/readyz` shows, by queue. */
  queues(): Record<string, string>;
  stop(): Promise<void>;
};

/** The dependencies that the work for one provider does not share with others. */
type OfProvider = Pick<PollerDeps, 'cadence' | 'pace' | 'callback'>;

type Options = {
  queue: QueueConnection;
  /** Whether this process may take work at the moment: while it may not, its sweeps do nothing. Default: always. */
  takesWork?: () => boolean;
  installation: Omit<Installation, 'stopCalls'>;
  settingsOf(provider: ConnectedProvider): OfProvider;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
  /** Absent: this process runs no imports and bulk actions. */
  runs?: RunDeps;
  sweepIntervalMs: number;
  /** How long calls in flight may take once the poller stops. */
  callGraceMs: number;
};

/**
 * Starts the calls and the sweeps of every provider, each with places of its own, so that a slow one delays only
 * itself.
 */
export function startPoller(given: Options): Poller {
  const { queue, takesWork = () => true, took = () => false, sweepIntervalMs, callGraceMs } = given;
  const calls = new AbortController();
  // Every call in flight and every wait for a permit listens: their number is bounded by the limits of the providers.
  setMaxListeners(0, calls.signal);
  const installation: Installation = { ...given.installation, stopCalls: calls.signal };
  const { providers, logger, metrics, now } = installation;
  const runs = given.runs && createRuns({ ...given.runs, took });
  const names = [...providers.map(({ name }) => queryQueue(name)), ...(runs ? [BACKGROUND_QUEUE] : [])];
  const queues = watchQueues({ connection: queue, queues: names, logger, metrics, now });
  const isOff = async (name: string) => (await queues.isPaused(name)) || !takesWork();
  const worker = { queue, isOff, sweepIntervalMs, took, start: workLoops(logger, takesWork, took) };
  const parts = providers.map((provider) =>
    startProvider({ ...installation, ...given.settingsOf(provider), provider, breaker: breakerOf(provider) }, worker),
  );
  const receivers = parts.map(({ receiver }) => receiver);
  const loops: Loop[] = parts.flatMap((part) => part.loops);
  if (runs) {
    receivers.push(receiveWakeUps<'run'>(queue, BACKGROUND_QUEUE, { run: runs.start }, dropped(logger)));
    loops.push(
      worker.start('runs', sweepIntervalMs, async () => ((await isOff(BACKGROUND_QUEUE)) ? IDLE : runs.sweep())),
    );
  }
  const [first] = parts;
  if (first)
    loops.push(
      ...sweepsOfAll(
        first.deps,
        parts.map(({ deps }) => deps),
        worker,
      ),
    );
  loops.push(startLoop('queues', lookEveryMs(sweepIntervalMs), logger, queues.report, took));
  return {
    isLive: () => loops.every((loop) => loop.isAlive(EXPIRE_EVERY_MS + STALE_MS)),
    queues: queues.details,
    stop: async () => {
      const grace = setTimeout(() => calls.abort(), callGraceMs);
      await Promise.all([
        ...loops.map((loop) => loop.stop()),
        ...receivers.map((receiver) => receiver.close()),
        ...parts.map(({ loop }) => loop.close()),
        runs?.stop(),
      ]);
      await queues.close();
      clearTimeout(grace);
    },
  };
}

const IDLE = { more: false } as const;
const dropped = (logger: Logger) => (err: Error) => logger.error({ err }, 'wake-up dropped');

/** How work is received and repeated. */
type Worker = {
  queue: QueueConnection;
  /** Whether the work of a queue must not start: an operator has paused it, or the clock is wrong. */
  isOff(queue: string): Promise<boolean>;
  sweepIntervalMs: number;
  took: Took;
  start: ReturnType<typeof workLoops>;
};

/** The sweeps over the checks of all providers, with the dependencies of any of them. */
function sweepsOfAll(deps: PollerDeps, parts: readonly PollerDeps[], { start, sweepIntervalMs, took }: Worker): Loop[] {
  const { providers, logger } = deps;
  return [
    start('expire', EXPIRE_EVERY_MS, () => sweepExpired(deps)),
    start('attention', ATTENTION_EVERY_MS, () => sweepAttention(deps)),
    start('notices', NOTICES_EVERY_MS, () => sweepNotices(deps)),
    start('monitored', sweepIntervalMs, () => sweepMonitored(deps)),
    start('statistics', ANALYZE_EVERY_MS, () => sweepGrown(deps)),
    start('routes', ROUTES_EVERY_MS, createRouteSweep(deps, providers.filter(isLive))),
    start('lanes', LEARN_EVERY_MS, () => sweepDelivered(deps)),
    start('stats', STATS_EVERY_MS, () => sweepStats(deps)),
    start('forget', EXPIRE_EVERY_MS, () => sweepForgotten(deps)),
    start('forget learned', EXPIRE_EVERY_MS, createForgetting(deps)),
    ...(providers.some(({ callbacks }) => callbacks)
      ? [start('watchers', RELEASE_EVERY_MS, createWatcherSweep(deps))]
      : []),
    startLoop('due', lookEveryMs(sweepIntervalMs), logger, () => reportDue({ ...deps, parts }), took),
  ];
}

/** Starts the calls of a provider, and its sweeps. */
function startProvider(given: Omit<PollerDeps, 'save'>, worker: Worker) {
  const deps: PollerDeps = { ...given, save: createSave(given) };
  const { queue, isOff, sweepIntervalMs, start } = worker;
  const { name, callbacks } = deps.provider;
  const subscribing = apartFor(deps, 'subscribe');
  const loop = createAskLoop(deps, subscribing, worker.took);
  const wake = (parcels: ParcelsJob) => void loop.start(parcels);
  // A retrack is a query that the merchant requested: its check became due when it was granted.
  const receiver: Receiver = receiveWakeUps<'query' | 'retrack'>(
    queue,
    queryQueue(name),
    { query: wake, retrack: wake },
    dropped(deps.logger),
  );
  const rounds = createSweepRounds(sweepIntervalMs, async (spreadMs) =>
    (await isOff(queryQueue(name))) ? IDLE : sweepDue(deps, loop, spreadMs),
  );
  const loops = [
    start(`cadence ${name}`, CADENCE_EVERY_MS, createCadenceSweep(deps)),
    start(`sweep ${name}`, sweepIntervalMs, rounds),
  ];
  if (callbacks) {
    const releasing = apartFor(deps, 'release');
    loops.push(start(`release ${name}`, RELEASE_EVERY_MS, () => sweepReleases(releasing)));
  }
  if (subscribes(deps))
    loops.push(
      start(`subscribe ${name}`, sweepIntervalMs, async () =>
        (await isOff(queryQueue(name))) ? IDLE : sweepSubscriptions(subscribing, loop),
      ),
      start(`renew ${name}`, EXPIRE_EVERY_MS, () => sweepRenewals(deps)),
      start(`overdue ${name}`, lookEveryMs(sweepIntervalMs), () => reportOverdue(deps)),
    );
  return { deps, loop, receiver, loops };
}

/** More wake-ups than these are left to the sweep. */
const MAX_WAITING = 1000;

/**
 * The calls to a provider: as many at once as it allows. What waits when the process stops becomes due for another one.
 */
export function createAskLoop(deps: PollerDeps, subscribing: PollerDeps, took: Took): AskLoop {
  const { db, provider, logger, metrics, now } = deps;
  return createWorkLoop<ProviderWork>({
    places: provider.limits.concurrency,
    maxWaiting: MAX_WAITING,
    run: (ask) => ('numbers' in ask ? subscribe(subscribing, ask.numbers) : query(deps, ask)),
    onError: (err, ask) => {
      if (took(err)) return;
      const job = 'numbers' in ask ? 'subscribe' : 'query';
      metrics.jobFaults.inc({ job });
      logger.error({ err, provider: provider.name, job }, 'job failed');
    },
    onDropped: async (ask) => {
      if ('claimed' in ask) await giveBackChecks(db, provider.name, ask.claimed, now());
    },
  });
}

/** How long a call to the queue may take. */
const QUEUE_PATIENCE_MS = 500;

/** Creates the poller's dependencies, and the poller once it can start. */
export async function openPoller(
  config: Config<(typeof POLLER_SETTINGS)[number]>,
  configured: { connect(context: ProviderContext): ConnectedProvider[]; off: readonly string[] },
  logger: Logger,
  metrics: PollerMetrics,
): Promise<Work> {
  const { databaseUrl: url, databasePoolSize: poolSize } = config;
  const { db, clock, databaseFaults } = openProcessDatabase({ url, poolSize }, logger, metrics);
  const providers = configured.connect({ tokens: tokenStore(db) });
  const takesWork = clock.isRight;
  const patienceMs = QUEUE_PATIENCE_MS;
  const queue = await openQueue({ ...storeOptions(config, logger, 'queue'), patienceMs, takesWork });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const signals = openSignals({ ...storeOptions(config, logger, 'signals'), breaker: queue.breaker });
  const estimator = createEstimator(db);
  const floors = Object.fromEntries(providers.map(({ name, limits }) => [name, limits.floorSeconds]));
  const memory = createProviderMemory();
  const keyring = createKeyring(config.encryptionKeys);
  const tokenKeys = installationTokenKeys(keyring);
  const pages = pageAddresses(createPageTokens(tokenKeys), config.publicBaseUrl);
  const shared = { db, producer, providers, signals, logger, metrics, memory, estimator, pages, now: clock.now };
  let poller: Poller | undefined;
  return {
    about: { store: queue.store, providers: providers.map(({ name }) => name), off: configured.off },
    details: () => ({
      providers: Object.fromEntries(providers.map(({ name }) => [name, memory.pauses.get(name) ?? 'ok'])),
      queues: poller?.queues() ?? {},
    }),
    clock,
    databaseFaults,
    // It encrypts nothing; but a key of another installation means that its settings are those of another one.
    refusal: () => keyRefusal(db, keyring, tokenKeys.learn),
    isLive: () => poller?.isLive() ?? true,
    begin: () => {
      const titles = providers.flatMap(({ callbacks }) => callbacks?.title ?? []);
      if (titles.length > 0 && config.callbackBaseUrl === undefined)
        logger.info(
          { providers: titles },
          'CALLBACK_BASE_URL is not set: everything is polled, there are no callbacks',
        );
      startFaultsAtZero(
        metrics,
        providers.map(({ name }) => name),
      );
      poller = startPoller({
        queue,
        takesWork,
        took: databaseFaults.took,
        installation: shared,
        settingsOf: (provider) => ({
          cadence: { ...cadenceOf(config, provider), floors },
          pace: paceOf(provider, db),
          callback: callbackOf(config, provider),
        }),
        runs: {
          ...shared,
          sandbox: hasSandbox(providers),
          learned: createLearnedPrefixes({ db, now: clock.now }),
          quotas: { free: config.quotaFree, pro: config.quotaPro, enterprise: config.quotaEnterprise },
        },
        sweepIntervalMs: config.tuning.sweepIntervalMs,
        callGraceMs: graceMs(config),
      });
    },
    stop: async () => {
      db.$hurry();
      await poller?.stop();
      await producer.close();
      await Promise.all([queue.close(), signals.close(), db.$disconnect()]);
    },
  };
}
