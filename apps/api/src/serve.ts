import type { Server } from 'node:http';
import type { Provider } from '@pts/carriers/provider';
import {
  type CallbackReceiver,
  callbackReceivers,
  knownProviders,
  providerSettings,
} from '@pts/carriers/providers/configured';
import { parseAllowList } from '@pts/core/url-policy';
import { findKeyHolder } from '@pts/db/accounts/accounts';
import { type Db, openDatabase } from '@pts/db/connection';
import { keyRefusal, openReadiness } from '@pts/db/readiness';
import { LOOK_EVERY_MS, type ReadDb, readPrimary, readReplica } from '@pts/db/replica';
import { createSender } from '@pts/egress/send';
import { openQueue } from '@pts/queue/connection';
import { queueRequirements } from '@pts/queue/postgres/schema';
import { openSignals } from '@pts/queue/signals';
import { createProducer } from '@pts/queue/wake';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { createOpaqueTokens, createPageTokens, installationTokenKeys } from '@pts/runtime/encryption/tokens';
import { createLogger, type Logger } from '@pts/runtime/logger';
import { type Registry, replicaLag } from '@pts/runtime/metrics';
import { graceMs, runProcess, type Work } from '@pts/runtime/process/boot';
import { startLoop } from '@pts/runtime/process/loop';
import { listen } from '@pts/runtime/process/management';
import { type Config, loadConfig, misspelled, storeOptions } from '@pts/runtime/settings/config';
import { API_SETTINGS } from '@pts/runtime/settings/settings';
import { hasSandbox, isLive, noteKeyUse } from '@pts/service/accounts';
import { createEstimator } from '@pts/service/estimates';
import { pageAddresses } from '@pts/service/pages';
import { openProcessDatabase, withLimitFaults } from '@pts/service/process';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { createApp } from './app.ts';
import { authenticateOperators, createAuthenticator } from './http/authenticate.ts';
import { createBulkhead } from './http/bulkhead.ts';
import { createLimiter } from './http/limits/limits.ts';
import { createApiServer } from './http/server.ts';
import { type ApiMetrics, createApiMetrics } from './metrics.ts';
import type { OidcSettings } from './session.ts';
import { readSite } from './site/files.ts';
import { createAnswerHub, createEventHub, EVENT_STREAMS, STREAM_TIMES } from './streaming/hubs.ts';

/** Runs the API until it is stopped. @throws ConfigError if the environment is invalid. */
export async function runApi(env: NodeJS.ProcessEnv): Promise<void> {
  const further = withLimitFaults(providerSettings({ connects: false }));
  const config = loadConfig(env, API_SETTINGS, further);
  const providers = knownProviders(env);
  const receivers = callbackReceivers(env, config.callbackSecret);
  const logger = createLogger({ app: 'api', level: config.logLevel, format: config.logFormat });
  const metrics = createApiMetrics();
  const needs = openReadiness({ ...config, requirements: queueRequirements(config) });
  const open = () => openApi(config, { providers, callbackReceivers: receivers }, logger, metrics);
  const { registry } = metrics;
  await runProcess({
    app: 'api',
    config,
    misspelled: misspelled(env, providerSettings({ connects: true })),
    logger,
    registry,
    needs,
    open,
  });
}

/** How long a request waits for a queue that does not answer, once. The queue in Postgres writes to disk. */
const PATIENCE_MS = { redis: 50, postgres: 250 };

/** Creates the dependencies and the server. Until the API is ready, it answers calls with `unavailable`. */
async function openApi(
  config: Config<(typeof API_SETTINGS)[number]>,
  { providers, callbackReceivers }: { providers: readonly Provider[]; callbackReceivers: readonly CallbackReceiver[] },
  logger: Logger,
  metrics: ApiMetrics,
): Promise<Work> {
  let hasBegun = false;
  const databaseOptions = {
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    connectMs: config.tuning.databaseRequestTimeoutMs,
    statementMs: config.tuning.databaseRequestTimeoutMs,
    preparedStatements: config.preparedStatements,
  };
  const { db, clock, databaseFaults } = openProcessDatabase(databaseOptions, logger, metrics);
  const queue = await openQueue({
    ...storeOptions(config, logger, 'queue'),
    patienceMs: config.redisUrl === undefined ? PATIENCE_MS.postgres : PATIENCE_MS.redis,
  });
  const producer = createProducer(queue, () => metrics.wakeUpsLost.inc());
  const { breaker } = queue;
  const stores = { ...config, prefix: config.queuePrefix, breaker };
  const limiter = createLimiter({ ...stores, changes: config.rateLimits, logger });
  const urlPolicy = {
    allowHttp: config.webhookAllowHttp,
    allowed: parseAllowList(config.webhookAllowedTargets),
    allowedPorts: config.webhookAllowedPorts,
  };
  const sender = createSender({
    policy: urlPolicy,
    timeoutMs: config.tuning.webhookTimeoutMs,
    proxyUrl: config.webhookProxyUrl,
  });
  const replica = openReplica(config.databaseReplicaUrl, databaseOptions, db, logger, metrics.registry);
  const signals = openSignals({ ...storeOptions(config, logger, 'signals'), breaker: queue.breaker });
  const stoppingStreams = new AbortController();
  const keyring = createKeyring(config.encryptionKeys);
  const tokenKeys = installationTokenKeys(keyring);
  const pageTokens = createPageTokens(tokenKeys);
  const deps = {
    db,
    producer,
    bulkhead: createBulkhead(),
    reads: replica.reads,
    estimator: createEstimator(db),
    providers,
    sandbox: hasSandbox(providers),
    hasTestMode: !providers.every(isLive),
    hasSignIn: config.oidcIssuer !== undefined,
    learned: createLearnedPrefixes({ db, now: clock.now }),
    send: sender.send,
    logger,
    secretCipher: keyring,
    tokens: createOpaqueTokens(tokenKeys),
    pageTokens,
    pages: pageAddresses(pageTokens, config.publicBaseUrl),
    urlPolicy,
    quotas: { free: config.quotaFree, pro: config.quotaPro, enterprise: config.quotaEnterprise },
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    safetyNetSeconds: config.callbackBaseUrl === undefined ? null : config.callbackSafetyNetSeconds,
    retentionDays: config.webhookRetentionDays,
    signals,
    streams: {
      hub: createAnswerHub(signals),
      ...STREAM_TIMES,
      events: { hub: createEventHub(signals, EVENT_STREAMS.maxPerProcess), ...EVENT_STREAMS },
      stopping: stoppingStreams.signal,
    },
    now: clock.now,
  };
  const keyed = { limiter, monotonicMs: () => performance.now(), now: clock.now };
  const authenticator = createAuthenticator({
    ...keyed,
    hasSignIn: deps.hasSignIn,
    find: (key) => findKeyHolder(db, key),
    onUse: (holder) => noteKeyUse(deps, holder),
  });
  const app = createApp({
    deps,
    authenticator,
    operatorAuthenticator: config.operatorApi ? authenticateOperators(deps, keyed) : null,
    limiter,
    publicBaseUrl: config.publicBaseUrl,
    checkResponses: false,
    logger,
    metrics,
    site: readSite(config.publicBaseUrl),
    oidc: oidcSettings(config),
    took: databaseFaults.took,
    callbackReceivers,
    trustProxy: config.trustProxy,
    compatV4: config.compatV4,
    isOpen: () => hasBegun,
  });
  const server = await listen(
    createApiServer(app, logger, { publicBaseUrl: config.publicBaseUrl }),
    { port: config.port, host: config.host },
    { port: 'PORT', host: 'HOST' },
  );
  return {
    about: { store: queue.store, port: config.port, providers: providers.map(({ name }) => name) },
    clock,
    databaseFaults,
    refusal: () => keyRefusal(db, keyring, tokenKeys.learn),
    isLive: () => true,
    begin: () => {
      if (providers.length === 0)
        logger.warn('no provider is configured, so registrations are rejected until PROVIDERS is set');
      hasBegun = true;
    },
    stop: async () => {
      db.$hurry();
      stoppingStreams.abort();
      await close(server, graceMs(config));
      await producer.close();
      await Promise.all([
        queue.close(),
        signals.close(),
        limiter.close(),
        sender.close(),
        replica.close(),
        db.$disconnect(),
      ]);
    },
  };
}

/** The identity provider; undefined without one. The settings that it needs have been checked. */
function oidcSettings({
  oidcIssuer: issuer,
  oidcClientId: clientId = '',
  oidcClientSecret: clientSecret = '',
  oidcName,
  publicBaseUrl: baseUrl = '',
}: Config<(typeof API_SETTINGS)[number]>): OidcSettings | undefined {
  return issuer === undefined
    ? undefined
    : { issuer, clientId, clientSecret, name: oidcName ?? new URL(issuer).hostname, baseUrl };
}

/**
 * Requests in flight are answered for `graceMs`, then cut; keep-alive connections are closed as soon as they are idle.
 */
async function close(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(cut);
}

/**
 * The database for reads that may be a little old: a replica if there is one, and whatever happens to it, the primary.
 */
function openReplica(
  url: string | undefined,
  options: Omit<Parameters<typeof openDatabase>[0], 'url'>,
  primary: Db,
  logger: Logger,
  registry: Registry,
): { reads: ReadDb; close(): Promise<void> } {
  if (url === undefined) return { reads: readPrimary(primary), close: async () => {} };
  const replica = openDatabase({ ...options, url });
  const reads = readReplica({
    primary,
    replica,
    onUse: (isUsed, reason) =>
      isUsed ? logger.info('lists are read from the replica') : logger.warn({ reason }, 'the replica is not used'),
  });
  const loop = startLoop('replica', LOOK_EVERY_MS, logger, async () => {
    await reads.look();
    return { more: false };
  });
  replicaLag(registry, reads.lagMs);
  return {
    reads,
    close: async () => {
      await loop.stop();
      await replica.$disconnect();
    },
  };
}
