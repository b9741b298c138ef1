import type { ConnectedProvider } from '@pts/carriers/provider';
import type { ProviderContext } from '@pts/carriers/providers/manifest';
import { tokenStore } from '@pts/db/providers';
import { keyRefusal } from '@pts/db/readiness';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { createPageTokens, installationTokenKeys } from '@pts/runtime/encryption/tokens';
import type { Logger } from '@pts/runtime/logger';
import { graceMs, type Work } from '@pts/runtime/process/boot';
import { type Config, storeOptions } from '@pts/runtime/settings/config';
import type { POLLER_SETTINGS } from '@pts/runtime/settings/settings';
import { hasSandbox } from '@pts/service/accounts';
import { createEstimator } from '@pts/service/estimates';
import { pageAddresses } from '@pts/service/pages';
import { openProcessDatabase } from '@pts/service/process';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { cadenceOf, callbackOf } from './config.ts';
import { type PollerMetrics, startFaultsAtZero } from './metrics.ts';
import { type Poller, startPoller } from './poller.ts';
import { paceOf } from './provider/pace.ts';
import { createProviderMemory } from './provider/provider-memory.ts';

/** How long work waits for a queue that does not answer, once. */
const WAKE_UP_MS = 500;

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
  const queue = await openQueue({ ...storeOptions(config, logger, 'queue'), patienceMs: WAKE_UP_MS, takesWork });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const signals = openSignals({ ...storeOptions(config, logger, 'signals'), breaker: queue.breaker });
  const estimator = createEstimator(db);
  const floors = Object.fromEntries(providers.map(({ name, limits }) => [name, limits.floorSeconds]));
  const memory = createProviderMemory();
  const keyring = createKeyring(config.encryptionKeys);
  const tokenKeys = installationTokenKeys(keyring);
  const pageOf = pageAddresses(createPageTokens(tokenKeys), config.publicBaseUrl);
  const shared = { db, producer, signals, logger, metrics, memory, estimator, pageOf, now: clock.now };
  let poller: Poller | undefined;
  return {
    about: { store: queue.store, providers: providers.map(({ name }) => name), off: configured.off },
    details: () => ({
      providers: Object.fromEntries(providers.map(({ name }) => [name, memory.pauses.get(name) ?? 'ok'])),
      queues: poller?.queues() ?? {},
      backlogs: poller?.backlogs() ?? {},
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
        providers,
        depsFor: (provider) => ({
          ...shared,
          provider,
          cadence: { ...cadenceOf(config, provider), floors },
          pace: paceOf(provider, db),
          callback: callbackOf(config, provider),
        }),
        runs: {
          ...shared,
          providers,
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
