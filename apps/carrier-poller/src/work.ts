import type { ConnectedProvider } from '@pts/carriers/provider';
import { openDatabase } from '@pts/db/connection/client';
import { readClock } from '@pts/db/connection/clock';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import type { Work } from '@pts/runtime/boot';
import { createSharedClock } from '@pts/runtime/clock';
import type { Config } from '@pts/runtime/config';
import type { Logger } from '@pts/runtime/logger';
import { cadenceOf, type POLLER_SETTINGS } from './config.ts';
import type { PollerMetrics } from './metrics.ts';
import { type Poller, startPoller } from './poller.ts';
import { createTroubleMemory } from './trouble-memory.ts';

/** The part of the shutdown timeout that is reserved for releasing checks and closing the stores. */
const CLOSING_MS = 5000;
/** How long work waits for a queue that does not answer, once. */
const WAKE_UP_MS = 500;

/** Creates the poller's dependencies, and the poller once it can start. */
export async function openPoller(
  config: Config<(typeof POLLER_SETTINGS)[number]>,
  providers: readonly ConnectedProvider[],
  logger: Logger,
  metrics: PollerMetrics,
): Promise<Work> {
  const db = openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize });
  const clock = createSharedClock({ read: () => readClock(db), logger });
  const trouble = (what: string) => (err: Error) => logger.warn({ err: err.message }, what);
  const stores = { ...config, prefix: config.queuePrefix };
  const notice = (what: string) => (text: string) => logger.info(`${what}: ${text}`);
  const queue = await openQueue({
    ...stores,
    patienceMs: WAKE_UP_MS,
    onError: trouble('queue trouble'),
    onNotice: notice('queue'),
  });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const signals = openSignals({
    ...stores,
    breaker: queue.breaker,
    onError: trouble('signal trouble'),
    onNotice: notice('signals'),
  });
  const shared = { db, producer, signals, logger, metrics, memory: createTroubleMemory(), now: clock.now };
  let poller: Poller | undefined;
  return {
    about: { store: queue.store, providers: providers.map(({ name }) => name) },
    refusal: async () => {
      await clock.sync();
      return null;
    },
    isLive: () => poller?.isLive() ?? true,
    begin: () => {
      poller = startPoller({
        queue,
        clock,
        providers,
        depsFor: (provider) => ({ ...shared, provider, cadence: cadenceOf(config, provider) }),
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
