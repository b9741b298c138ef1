import { parseAllowList } from '@pts/core/url-policy';
import { WIDEST_WINDOW } from '@pts/core/webhook/endpoint';
import { keyRefusal } from '@pts/db/readiness';
import { createSender } from '@pts/egress/send';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import type { Logger } from '@pts/runtime/logger';
import { graceMs, type Work } from '@pts/runtime/process/boot';
import { type Config, storeOptions } from '@pts/runtime/settings/config';
import type { DISPATCHER_SETTINGS } from '@pts/runtime/settings/settings';
import { openProcessDatabase } from '@pts/service/process';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** How long work waits for a queue that does not answer, once. */
const WAKE_UP_MS = 500;

/** Creates the dispatcher's dependencies, and the dispatcher once it can start. */
export async function openDispatcher(
  config: Config<(typeof DISPATCHER_SETTINGS)[number]>,
  logger: Logger,
  metrics: DispatcherMetrics,
): Promise<Work> {
  const { databaseUrl: url, databasePoolSize: poolSize } = config;
  const { db, clock, databaseFaults } = openProcessDatabase({ url, poolSize }, logger, metrics);
  const takesWork = clock.isRight;
  const queue = await openQueue({ ...storeOptions(config, logger, 'queue'), patienceMs: WAKE_UP_MS, takesWork });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const policy = {
    allowHttp: config.webhookAllowHttp,
    allowed: parseAllowList(config.webhookAllowedTargets),
    allowedPorts: config.webhookAllowedPorts,
  };
  const sender = createSender({
    policy,
    timeoutMs: config.tuning.webhookTimeoutMs,
    proxyUrl: config.webhookProxyUrl,
    connectionsPerReceiver: WIDEST_WINDOW,
  });
  const secretCipher = createKeyring(config.encryptionKeys);
  const { webhookRetentionDays: retentionDays, webhookConcurrency: concurrency } = config;
  const { retryTimeScale, sweepIntervalMs } = config.tuning;
  const deps = { db, producer, send: sender.send, secretCipher, logger, metrics, retryTimeScale, retentionDays };
  let dispatcher: Dispatcher | undefined;
  return {
    about: { store: queue.store },
    clock,
    databaseFaults,
    refusal: () => keyRefusal(db, secretCipher),
    details: () => ({ queues: dispatcher?.queues() ?? {}, backlogs: dispatcher?.backlogs() ?? {} }),
    isLive: () => dispatcher?.isLive() ?? true,
    begin: () => {
      dispatcher = startDispatcher({
        queue,
        takesWork,
        took: databaseFaults.took,
        deps: { ...deps, now: clock.now },
        concurrency,
        sweepIntervalMs,
        sendGraceMs: graceMs(config),
      });
    },
    stop: async () => {
      db.$hurry();
      await dispatcher?.stop();
      await Promise.all([producer.close(), sender.close()]);
      await Promise.all([queue.close(), db.$disconnect()]);
    },
  };
}
