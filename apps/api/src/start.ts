import type { Server } from 'node:http';
import type { Provider } from '@pts/carriers/provider';
import { SANDBOX } from '@pts/carriers/registry';
import { parseAllowList } from '@pts/core/webhook/address-policy';
import { findKeyHolder } from '@pts/db/accounts/accounts';
import { openDatabase } from '@pts/db/connection/client';
import { keyRefusal } from '@pts/db/migrate/installation';
import { createSender } from '@pts/egress/send';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import type { Work } from '@pts/runtime/boot';
import type { Config } from '@pts/runtime/config';
import type { Logger } from '@pts/runtime/logger';
import { createSecretCipher } from '@pts/runtime/secret-cipher';
import { storeOptions } from '@pts/runtime/store-options';
import { createRegisterOne } from '@pts/service/trackings/register-one';
import { createApp } from './app.ts';
import { createBulkhead } from './bulkhead.ts';
import type { API_SETTINGS } from './config.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createLimiter } from './http/limits.ts';
import { createApiServer } from './http/server.ts';
import type { ApiMetrics } from './metrics.ts';
import { createAnswerHub } from './streaming/hub.ts';
import { STREAM_TIMES } from './streaming/times.ts';

/** Creates the dependencies and the server. Until the API is ready, it answers calls with `unavailable`. */
export async function openApi(
  config: Config<(typeof API_SETTINGS)[number]>,
  providers: readonly Provider[],
  logger: Logger,
  metrics: ApiMetrics,
): Promise<Work> {
  let hasBegun = false;
  const { databaseUrl: url, databasePoolSize: poolSize, preparedStatements } = config;
  const db = openDatabase({ url, poolSize, preparedStatements });
  const queue = await openQueue(storeOptions(config, logger, 'queue'));
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const limiter = createLimiter({ ...config, prefix: config.queuePrefix, changes: config.rateLimits, logger });
  const urlPolicy = { allowHttp: config.webhookAllowHttp, allowed: parseAllowList(config.webhookAllowedTargets) };
  const sender = createSender({
    policy: urlPolicy,
    timeoutMs: config.webhookTimeoutMs,
    proxyUrl: config.webhookProxyUrl,
  });
  const signals = openSignals(storeOptions(config, logger, 'signals'));
  const stoppingStreams = new AbortController();
  const service = {
    db,
    producer,
    bulkhead: createBulkhead(),
    providers,
    sandbox: providers.some((provider) => provider.serves(SANDBOX)),
    send: sender.send,
    secretCipher: createSecretCipher(config.encryptionKey),
    urlPolicy,
    quotas: { free: config.quotaFree, pro: config.quotaPro, enterprise: config.quotaEnterprise },
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    retentionDays: config.webhookRetentionDays,
    streams: { hub: createAnswerHub(signals), ...STREAM_TIMES, stopping: stoppingStreams.signal },
    now: () => new Date(),
  };
  const deps = { ...service, registerOne: createRegisterOne(service) };
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
    isOpen: () => hasBegun,
  });
  const server = await listen(createApiServer(app, logger), config.port, config.host);
  return {
    about: { store: queue.store, port: config.port, providers: providers.map(({ name }) => name) },
    refusal: () => keyRefusal(db, deps.secretCipher),
    isLive: () => true,
    begin: () => {
      if (providers.length === 0)
        logger.warn('no provider is configured: registrations are refused until PROVIDERS is set');
      hasBegun = true;
    },
    stop: async () => {
      db.$hurry();
      stoppingStreams.abort();
      await close(server);
      await producer.close();
      await Promise.all([queue.close(), signals.close(), limiter.close(), sender.close(), db.$disconnect()]);
    },
  };
}

/** @throws an Error in plain words when the port is taken. */
async function listen(server: Server, port: number, host: string): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text = error.code === 'EADDRINUSE' ? `Port ${port} is in use. Set PORT to a free port.` : error.message;
      reject(Object.assign(new Error(text), { code: error.code }));
    });
    server.listen(port, host, resolve);
  });
  return server;
}

/** Requests in flight are answered; keep-alive connections are closed as soon as they are idle. */
async function close(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
}
