import { parseAllowList } from '@pts/core/webhook/address-policy';
import { WIDEST_WINDOW } from '@pts/core/webhook/flow';
import { openDatabase, pingDatabase } from '@pts/db/client';
import { createSender } from '@pts/egress/send';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { loadConfig, masked } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { startManagement } from '@pts/runtime/management';
import { createSecretBox } from '@pts/runtime/secret-box';
import { COMMON_SETTINGS, STORE_SETTINGS, WEBHOOK_SETTINGS } from '@pts/runtime/settings';
import { boot, onShutdown } from '@pts/runtime/shutdown';
import { startDispatcher } from './dispatcher.ts';
import { createDispatcherMetrics } from './metrics.ts';

const SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  'webhookConcurrency',
  'ladderTimeScale',
  'sweepIntervalMs',
] as const;

await boot(async () => {
  const config = loadConfig(process.env, SETTINGS);
  const logger = createLogger({ app: 'webhook-dispatcher', level: config.logLevel, format: config.logFormat });
  const metrics = createDispatcherMetrics();
  const db = openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize });
  await pingDatabase(db);
  const queue = await openQueue({
    ...config,
    prefix: config.queuePrefix,
    onError: (err) => logger.warn({ err: err.message }, 'queue trouble'),
    onNotice: (text) => logger.info(`queue: ${text}`),
  });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const policy = { allowHttp: config.webhookAllowHttp, allowed: parseAllowList(config.webhookAllowedTargets) };
  const { send, close } = createSender({
    ...{ policy, timeoutMs: config.webhookTimeoutMs, proxyUrl: config.webhookProxyUrl },
    connectionsPerReceiver: WIDEST_WINDOW,
  });
  const secretBox = createSecretBox(config.encryptionKey);
  const deps = {
    db,
    producer,
    send,
    secretBox,
    logger,
    metrics,
    ladderTimeScale: config.ladderTimeScale,
    retentionDays: config.webhookRetentionDays,
    now: () => new Date(),
  };
  const dispatcher = startDispatcher({
    queue,
    deps,
    concurrency: config.webhookConcurrency,
    sweepIntervalMs: config.sweepIntervalMs,
  });
  let stopping = false;
  const management = await startManagement(
    config.managementPort,
    { live: dispatcher.isLive, ready: () => !stopping },
    metrics.registry,
  );
  logger.info({ store: queue.store, config: masked(config) }, 'ready');
  onShutdown(logger, config.shutdownTimeoutSeconds, async () => {
    stopping = true;
    db.$hurry();
    await dispatcher.stop();
    await Promise.all([producer.close(), close()]);
    await Promise.all([queue.close(), db.$disconnect(), management?.close()]);
  });
});
