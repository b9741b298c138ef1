import { setMaxListeners } from 'node:events';
import type { CallbackAddress, ConnectedProvider } from '@pts/carriers/provider';
import { callbackAddress } from '@pts/carriers/providers/configured';
import type { ProviderContext } from '@pts/carriers/providers/manifest';
import { type Cadence, giveBackChecks } from '@pts/db/checks/schedule';
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
import { hasSandbox } from '@pts/service/accounts';
import { createEstimator } from '@pts/service/estimates';
import { pageAddresses } from '@pts/service/pages';
import { openProcessDatabase } from '@pts/service/process';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { createSave } from './answers.ts';
import { query } from './ask.ts';
import { apartFor, startCallbackSweeps, subscribe } from './callbacks.ts';
import type { AskLoop, Installation, PollerDeps, ProviderWork, Rounds } from './deps.ts';
import { breakerOf, createProviderMemory } from './memory.ts';
import { type PollerMetrics, startFaultsAtZero } from './metrics.ts';
import { paceOf } from './pace.ts';
import { createRuns, type RunDeps } from './runs.ts';
import { startProviderSweeps, startSweeps } from './sweeps.ts';

/** Without a round of a sweep for this long, the process counts as stuck: no sweep pauses for over a minute. */
const STALE_MS = 120_000;

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
  const rounds = { isOff, sweepIntervalMs, took, start: workLoops(logger, takesWork, took) };
  const parts = providers.map((provider) => {
    const deps = { ...installation, ...given.settingsOf(provider), provider, breaker: breakerOf(provider) };
    return startProvider({ ...deps, save: createSave(deps) }, queue, rounds);
  });
  const receivers = parts.map(({ receiver }) => receiver);
  const loops: Loop[] = [
    ...parts.flatMap((part) => part.loops),
    ...startSweeps(
      parts.map(({ deps }) => deps),
      rounds,
    ),
  ];
  if (runs) {
    receivers.push(receiveWakeUps<'run'>(queue, BACKGROUND_QUEUE, { run: runs.start }, dropped(logger)));
    loops.push(
      rounds.start('runs', sweepIntervalMs, async () =>
        (await isOff(BACKGROUND_QUEUE)) ? { more: false } : runs.sweep(),
      ),
    );
  }
  loops.push(startLoop('queues', lookEveryMs(sweepIntervalMs), logger, queues.report, took));
  return {
    isLive: () => loops.every((loop) => loop.isAlive(STALE_MS)),
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

const dropped = (logger: Logger) => (err: Error) => logger.error({ err }, 'wake-up dropped');

/** Starts the calls of a provider, and its sweeps. */
function startProvider(deps: PollerDeps, queue: QueueConnection, rounds: Rounds) {
  const subscribing = apartFor(deps, 'subscribe');
  const loop = createAskLoop(deps, subscribing, rounds.took);
  const wake = (parcels: ParcelsJob) => void loop.start(parcels);
  // A retrack is a query that the merchant requested: its check became due when it was granted.
  const receiver: Receiver = receiveWakeUps<'query' | 'retrack'>(
    queue,
    queryQueue(deps.provider.name),
    { query: wake, retrack: wake },
    dropped(deps.logger),
  );
  const loops = [...startProviderSweeps(deps, loop, rounds), ...startCallbackSweeps(deps, subscribing, loop, rounds)];
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

type PollerConfig = Config<(typeof POLLER_SETTINGS)[number]>;

/** How long a call to the queue may take. */
const QUEUE_PATIENCE_MS = 500;

/** Creates the poller's dependencies, and the poller once it can start. */
export async function openPoller(
  config: PollerConfig,
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

/** The check intervals for a provider: those of the service, but never below the provider's floor. */
function cadenceOf(config: PollerConfig, { limits: { floorSeconds }, callbacks }: ConnectedProvider): Cadence {
  const hasSafetyNet = callbacks && config.callbackBaseUrl !== undefined;
  return {
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    floorSeconds,
    ...(hasSafetyNet && { safetyNetSeconds: config.callbackSafetyNetSeconds }),
  };
}

/** Where a provider sends callbacks to; null if callbacks cannot reach this installation. */
function callbackOf(
  { callbackBaseUrl: baseUrl, callbackSecret: secret }: PollerConfig,
  { name, callbacks }: ConnectedProvider,
): CallbackAddress | null {
  return callbacks && baseUrl !== undefined && secret !== undefined ? callbackAddress(name, { baseUrl, secret }) : null;
}
