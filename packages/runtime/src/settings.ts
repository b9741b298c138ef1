import { keyWeakness } from '@pts/core/account/encryption-key';
import { flag, HTTP_URL, integer, list, optionalText, type Setting, text } from '@pts/core/settings/setting';

function keyFault(key: string): string | null {
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(key);
  const weakness = isKey ? keyWeakness(key) : null;
  if (isKey && weakness === null) return null;
  const fault = isKey ? `is not a random key (${weakness})` : 'is not 32 bytes in base64';
  return `${fault}; generate one with: openssl rand -base64 32`;
}

/**
 * Every setting but those of providers, which their manifests declare. A process takes those it needs; `.env.example`
 * lists them all.
 */
export const SETTINGS = {
  nodeEnv: text('NODE_ENV', 'production, development or test', {
    fallback: 'production',
    schema: { enum: ['production', 'development', 'test'] },
  }),
  logLevel: text('LOG_LEVEL', 'least level that is logged', {
    fallback: 'info',
    schema: { enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] },
  }),
  logFormat: text('LOG_FORMAT', 'json, or pretty for people', {
    fallback: 'json',
    schema: { enum: ['json', 'pretty'] },
  }),
  shutdownTimeoutSeconds: integer(
    'SHUTDOWN_TIMEOUT_SECONDS',
    'time for work under way when the process is told to stop',
    25,
    1,
  ),
  host: text('HOST', 'address to listen on', { fallback: '0.0.0.0' }),
  port: integer('PORT', 'port of the API', 8080, 0, 65_535),
  managementPort: integer('MANAGEMENT_PORT', 'port of /healthz, /readyz and /metrics; 0 turns it off', 9090, 0, 65_535),
  managementHost: optionalText('MANAGEMENT_HOST', 'address that the management port listens on; all without it'),
  publicBaseUrl: optionalText('PUBLIC_BASE_URL', 'how clients reach the API, for absolute addresses in answers', {
    schema: HTTP_URL,
  }),
  trustProxy: text(
    'TRUST_PROXY',
    'proxies in front of the API whose X-Forwarded-For counts: a number of hops or a list of ranges',
    { fallback: '0' },
  ),

  databaseUrl: text('DATABASE_URL', 'PostgreSQL 15 or newer', {
    secret: true,
    schema: { pattern: '^postgres(ql)?://' },
  }),
  migrateDatabaseUrl: optionalText(
    'MIGRATE_DATABASE_URL',
    'the PostgreSQL server itself, for migrations, where DATABASE_URL goes through a pooler such as PgBouncer',
    { secret: true, schema: { pattern: '^postgres(ql)?://' } },
  ),
  directDatabaseUrl: optionalText(
    'DIRECT_DATABASE_URL',
    'the PostgreSQL server itself, to be notified by, where DATABASE_URL goes through a pooler such as PgBouncer',
    { secret: true, schema: { pattern: '^postgres(ql)?://' } },
  ),
  databasePoolSize: integer('DATABASE_POOL_SIZE', 'connections to Postgres, per process', 10, 1, 1000),
  redisUrl: optionalText('REDIS_URL', 'Redis for the queue and the rate limits; without it Postgres serves for both', {
    secret: true,
    schema: { pattern: '^rediss?://' },
  }),
  queuePrefix: text('QUEUE_PREFIX', 'prefix of the keys in Redis; the braces keep them in one slot of a cluster', {
    fallback: '{pts}',
  }),
  encryptionKey: text('ENCRYPTION_KEY', '32 random bytes in base64; encrypts webhook secrets at rest', {
    secret: true,
    fault: keyFault,
  }),
  migrationsDir: text('MIGRATIONS_DIR', 'where the migration files are', { fallback: 'prisma/migrations' }),

  rateLimits: list(
    'RATE_LIMITS',
    'changed limits, in requests a second, as endpoint=number pairs; endpoint=0 lifts a limit, off lifts all',
  ),
  compatV4: flag(
    'COMPAT_V4',
    "whether version 4 of TrackingMore's and 51Tracking's API is answered below /v4 as well",
    false,
  ),
  quotaFree: integer('QUOTA_FREE', 'units a month on the plan free', 100),
  quotaPro: integer('QUOTA_PRO', 'units a month on the plan pro', 10_000),
  quotaEnterprise: integer('QUOTA_ENTERPRISE', 'units a month on the plan enterprise', 1_000_000),

  checkIntervalSeconds: integer(
    'CHECK_INTERVAL_SECONDS',
    'time between checks of a parcel whose account has an enabled webhook',
    300,
    1,
  ),
  idleCheckIntervalSeconds: integer('IDLE_CHECK_INTERVAL_SECONDS', 'time between checks of all other parcels', 3600, 1),
  sweepIntervalMs: integer('SWEEP_INTERVAL_MS', 'time between two looks for what is due in Postgres', 1000, 20),
  providers: list(
    'PROVIDERS',
    'the providers to use, by name; without it, those whose settings are there (below, and docs/providers.md)',
  ),

  webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', 'whether receivers may use plain http', false),
  webhookAllowedTargets: list(
    'WEBHOOK_ALLOWED_TARGETS',
    'private receivers that are allowed: addresses, CIDR ranges, host names; loopback only by its exact address',
  ),
  webhookProxyUrl: optionalText(
    'WEBHOOK_PROXY_URL',
    'http(s)://[user:password@]host[:port] of a proxy that all pushes leave through, by CONNECT to addresses judged here',
    { secret: true, schema: HTTP_URL },
  ),
  webhookTimeoutMs: integer('WEBHOOK_TIMEOUT_MS', 'time for a receiver to answer', 10_000, 1),
  webhookRetentionDays: integer(
    'WEBHOOK_RETENTION_DAYS',
    'days for which events, what is owed of them and the delivery log are kept; retries alone take three',
    30,
    4,
    3650,
  ),
  webhookConcurrency: integer(
    'WEBHOOK_CONCURRENCY',
    'pushes under way at once, per process; retries and failing receivers get at most half of them',
    256,
    1,
  ),
  retryTimeScale: {
    env: 'LADDER_TIME_SCALE',
    about: 'real seconds per second of the retry schedule; 1 outside of tests',
    fallback: 1,
    schema: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    read: Number,
  } as Setting<number>,
} as const;

export type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** What every process needs. */
export const COMMON_SETTINGS = [
  'nodeEnv',
  'logLevel',
  'logFormat',
  'shutdownTimeoutSeconds',
  'managementPort',
  'managementHost',
] as const;
export const STORE_SETTINGS = [
  'databaseUrl',
  'directDatabaseUrl',
  'databasePoolSize',
  'redisUrl',
  'queuePrefix',
] as const;
/** Which providers are used. Their own settings are in their manifests (`@pts/carriers`), which apps bring to `loadConfig`. */
export const PROVIDER_SETTINGS = ['providers'] as const;
/** What may be sent to which receivers. */
export const WEBHOOK_SETTINGS = [
  'encryptionKey',
  'webhookAllowHttp',
  'webhookAllowedTargets',
  'webhookProxyUrl',
  'webhookTimeoutMs',
  'webhookRetentionDays',
] as const;
