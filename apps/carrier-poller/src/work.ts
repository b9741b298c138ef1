import type { ConnectedProvider } from '@pts/carriers/provider';
import type { ProviderContext } from '@pts/carriers/providers/manifest';
import { openDatabase } from '@pts/db/connection/client';
import { tokenStore } from '@pts/db/providers/tokens';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import type { Work } from '@pts/runtime/boot';
import type { Config } from '@pts/runtime/config';
import type { Logger } from '@pts/runtime/logger';
import { cadenceOf, callbackOf, type POLLER_SETTINGS } from './config.ts';
import type { PollerMetrics } from './metrics.ts';
import { paceOf } from './pace.ts';
import { type Poller, startPoller } from './poller.ts';
import { createTroubleMemory } from './trouble-memory.ts';

/** The part of the shutdown timeout that is reserved for releasing checks and closing the stores. */
const CLOSING_MS = 5000;

/** Creates the poller's dependencies, and the poller once it can start. */
export async function openPoller(
  config: Config<(typeof POLLER_SETTINGS)[number]>,
  configured: { connect(context: ProviderContext): ConnectedProvider[]; off: readonly string[] },
  logger: Logger,
  metrics: PollerMetrics,
): Promise<Work> {
  const db = openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize });
  const providers = configured.connect({ tokens: tokenStore(db) });
  if (configured.off.length > 0) logger.info({ off: configured.off }, 'providers without settings are off');
  const trouble = (what: string) => (err: Error) => logger.warn({ err: err.message }, what);
  const stores = { ...config, prefix: config.queuePrefix };
  const notice = (what: string) => (text: string) => logger.info(`${what}: ${text}`);
  const queue = await openQueue({ ...stores, onError: trouble('queue trouble'), onNotice: notice('queue') });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const signals = openSignals({ ...stores, onError: trouble('signal trouble'), onNotice: notice('signals') });
  const memory = createTroubleMemory();
  const shared = { db, producer, signals, logger, metrics, memory, now: () => new Date() };
  let poller: Poller | undefined;
  return {
    about: { store: queue.store, providers: providers.map(({ name }) => name) },
    details: () => ({
      providers: Object.fromEntries(providers.map(({ name }) => [name, memory.pauses.get(name) ?? 'ok'])),
      off: configured.off,
    }),
    isLive: () => poller?.isLive() ?? true,
    begin: () => {
      const pushing = providers.flatMap(({ push }) => push?.title ?? []);
      if (pushing.length > 0 && config.pushBaseUrl === undefined)
        logger.info({ providers: pushing }, 'PUSH_BASE_URL is not set: everything is polled, nothing is pushed');
      poller = startPoller({
        queue,
        providers,
        depsFor: (provider) => ({
          ...shared,
          provider,
          cadence: cadenceOf(config, provider),
          pace: paceOf(provider, db),
          callback: callbackOf(config, provider),
        }),
        sweepIntervalMs: config.sweepIntervalMs,
        callGraceMs: Math.max(0, config.shutdownTimeoutSeconds * 1000 - CLOSING_MS),
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
