import type { Server } from 'node:http';
import { providersFrom } from '@pts/carriers/providers/configured';
import { parseAllowList } from '@pts/core/webhook/address-policy';
import { findKeyHolder } from '@pts/db/accounts';
import { openDatabase, pingDatabase } from '@pts/db/client';
import { createSender } from '@pts/egress/send';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import { loadConfig, masked } from '@pts/runtime/config';
import { createLogger } from '@pts/runtime/logger';
import { startManagement } from '@pts/runtime/management';
import { createSecretBox } from '@pts/runtime/secret-box';
import { COMMON_SETTINGS, PROVIDER_SETTINGS, STORE_SETTINGS, WEBHOOK_SETTINGS } from '@pts/runtime/settings';
import { onShutdown } from '@pts/runtime/shutdown';
import { createApp } from './app.ts';
import { createAuthenticate } from './authenticate.ts';
import { createLimiter } from './limits.ts';
import { createApiMetrics } from './metrics.ts';
import { createApiServer } from './server.ts';
import { createAnswerHub } from './streaming/hub.ts';
import { STREAM_TIMES } from './streaming/times.ts';

const SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...(['host', 'port', 'publicBaseUrl', 'trustProxy', 'rateLimits', 'checkIntervalSeconds', 'compatV4'] as const),
  ...(['idleCheckIntervalSeconds', 'quotaFree', 'quotaPro', 'quotaEnterprise'] as const),
] as const;

/** Starts the API: config, logger, what the endpoints work with, the server, the signals. */
export async function startApi(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env, SETTINGS);
  const logger = createLogger({ app: 'api', level: config.logLevel, format: config.logFormat });
  const metrics = createApiMetrics();
  const db = openDatabase({ url: config.databaseUrl, poolSize: config.databasePoolSize });
  const queue = await openQueue({
    ...config,
    prefix: config.queuePrefix,
    onError: (err) => logger.warn({ err: err.message }, 'queue trouble'),
    onNotice: (text) => logger.info(`queue: ${text}`),
  });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const limiter = createLimiter({ ...config, prefix: config.queuePrefix, changes: config.rateLimits, logger });
  const urlPolicy = { allowHttp: config.webhookAllowHttp, allowed: parseAllowList(config.webhookAllowedTargets) };
  const sender = createSender({
    ...{ policy: urlPolicy, timeoutMs: config.webhookTimeoutMs },
    proxyUrl: config.webhookProxyUrl,
  });
  const signals = openSignals({
    ...config,
    prefix: config.queuePrefix,
    onError: (err) => logger.warn({ err: err.message }, 'signal trouble'),
    onNotice: (text) => logger.info(`signals: ${text}`),
  });
  const stoppingStreams = new AbortController();
  const deps = {
    db,
    producer,
    providers: providersFrom(config),
    sandbox: config.sandboxUrl !== undefined,
    send: sender.send,
    secretBox: createSecretBox(config.encryptionKey),
    urlPolicy,
    quotas: { free: config.quotaFree, pro: config.quotaPro, enterprise: config.quotaEnterprise },
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    retentionDays: config.webhookRetentionDays,
    streams: { hub: createAnswerHub(signals), ...STREAM_TIMES, stopping: stoppingStreams.signal },
    now: () => new Date(),
  };
  const authenticate = createAuthenticate((key) => findKeyHolder(db, key), limiter, Date.now);
  const app = createApp({
    deps,
    authenticate,
    limiter,
    publicBaseUrl: config.publicBaseUrl,
    checkResponses: false,
    logger,
    metrics,
    trustProxy: config.trustProxy,
    compatV4: config.compatV4,
  });
  const server = await listen(createApiServer(app, logger), config.port, config.host);
  let stopping = false;
  const isReady = () =>
    !stopping &&
    pingDatabase(db).then(
      () => true,
      () => false,
    );
  const management = await startManagement(
    config.managementPort,
    { live: () => true, ready: isReady },
    metrics.registry,
  );
  logger.info({ store: queue.store, port: config.port, config: masked(config) }, 'ready');
  onShutdown(logger, config.shutdownTimeoutSeconds, async () => {
    stopping = true;
    db.$hurry();
    stoppingStreams.abort();
    await close(server);
    await producer.close();
    await Promise.all([
      queue.close(),
      signals.close(),
      limiter.close(),
      sender.close(),
      db.$disconnect(),
      management?.close(),
    ]);
  });
}

/** @throws an Error in plain words when the port is taken. */
async function listen(server: Server, port: number, host: string): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text = error.code === 'EADDRINUSE' ? `Port ${port} is in use. Set PORT to a free one.` : error.message;
      reject(Object.assign(new Error(text), { code: error.code }));
    });
    server.listen(port, host, resolve);
  });
  return server;
}

/** Requests under way are answered; keep-alive connections are closed as soon as they are idle. */
async function close(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
}
