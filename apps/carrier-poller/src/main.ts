import { providersFrom } from '@pts/carriers/providers/configured';
import { openDatabase, pingDatabase } from '@pts/db/client';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import { loadConfig, masked } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { startManagement } from '@pts/runtime/management';
import { boot, onShutdown } from '@pts/runtime/shutdown';
import { cadenceOf, POLLER_SETTINGS } from './config.ts';
import { createPollerMetrics } from './metrics.ts';
import { startPoller } from './poller.ts';

await boot(async () => {
  const config = loadConfig(process.env, POLLER_SETTINGS);
  const logger = createLogger({ app: 'carrier-poller', level: config.logLevel, format: config.logFormat });
  const metrics = createPollerMetrics();
  const db = openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize });
  await pingDatabase(db);
  const queue = await openQueue({
    ...config,
    prefix: config.queuePrefix,
    onError: (err) => logger.warn({ err: err.message }, 'queue trouble'),
    onNotice: (text) => logger.info(`queue: ${text}`),
  });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const signals = openSignals({
    ...config,
    prefix: config.queuePrefix,
    onError: (err) => logger.warn({ err: err.message }, 'signal trouble'),
    onNotice: (text) => logger.info(`signals: ${text}`),
  });
  const providers = providersFrom(config);
  const poller = startPoller({
    queue,
    providers,
    depsFor: (provider) => ({
      db,
      producer,
      signals,
      provider,
      cadence: cadenceOf(config, provider),
      logger,
      metrics,
      now: () => new Date(),
    }),
    sweepIntervalMs: config.sweepIntervalMs,
  });
  let stopping = false;
  const management = await startManagement(
    config.managementPort,
    { live: poller.isLive, ready: () => !stopping },
    metrics.registry,
  );
  logger.info({ store: queue.store, providers: providers.map(({ name }) => name), config: masked(config) }, 'ready');
  onShutdown(logger, config.shutdownTimeoutSeconds, async () => {
    stopping = true;
    db.$hurry();
    await poller.stop();
    await producer.close();
    await Promise.all([queue.close(), signals.close(), db.$disconnect(), management?.close()]);
  });
});
