import { MAX_UNITS } from '@pts/core/account';
import {
  decimal,
  ENCODED_FORM,
  type Environment,
  flag,
  HTTP_URL,
  integer,
  isProxyUrl,
  isWellEncoded,
  keysFault,
  list,
  optionalText,
  PROXY_URL_FORM,
  parseRedisAddress,
  ports,
  REDIS_URL_FORMS,
  readList,
  type Setting,
  showDatabaseAddress,
  text,
  textIn,
  trustedProxiesFault,
} from '@pts/core/settings';
import { MIN_CALLBACK_SECRET, SAFETY_NET_SECONDS } from '@pts/core/tracking/subscription';
import { isAllowable } from '@pts/core/url-policy';

function redis(env: string, about: string) {
  const fault = (url: string) => {
    if (parseRedisAddress(url) !== null) return null;
    return /^rediss?(\+\w+)?:\/\//.test(url) && !isWellEncoded(url)
      ? `is not clear: ${ENCODED_FORM}`
      : `must be ${REDIS_URL_FORMS}`;
  };
  return optionalText(env, about, { secret: true, fault });
}

const POSTGRES = { secret: true, fault: postgresFault } as const;

function postgresFault(url: string): string | null {
  if (showDatabaseAddress(url) !== null) return null;
  return `must have the form postgresql://user:password@host:port/database; ${ENCODED_FORM}`;
}

/** A path may follow what it is the base of. */
function baseUrlFault(url: string): string | null {
  return HTTP_URL.fault(url) ?? (/[?#]/.test(url) ? 'must not contain a query or fragment (? or #)' : null);
}

/** Everybody who gets a link gets this URL. */
function publicUrlFault(url: string): string | null {
  const fault = baseUrlFault(url);
  if (fault !== null) return fault;
  const { username, password } = new URL(url);
  return username || password
    ? 'must not contain a user or password, because it is shown to merchants and buyers'
    : null;
}

/** Quotes that a shell would remove are part of the value in a file that no shell reads. */
function prefixFault(prefix: string): string | null {
  return /["'\s]/.test(prefix) ? 'must not contain quotes or spaces' : null;
}

/** Who can change an answer of the provider can sign in as anybody. */
function issuerFault(url: string, env: Environment): string | null {
  const needed = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_BASE_URL'];
  const missing = needed.filter((name) => textIn(env, name) === undefined);
  if (missing.length > 0) return `needs ${missing.join(' and ')}, which ${missing.length > 1 ? 'are' : 'is'} missing`;
  const fault = baseUrlFault(url);
  if (fault !== null) return fault;
  const { protocol, hostname } = new URL(url);
  const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || isOwn ? null : 'must be an https URL';
}

/** Callbacks have no other proof of who sent them. */
function callbackUrlFault(url: string, env: Environment): string | null {
  if (textIn(env, 'CALLBACK_SECRET') === undefined)
    return 'needs CALLBACK_SECRET, which is missing; generate one with: openssl rand -hex 32';
  return baseUrlFault(url);
}

function callbackSecretFault(secret: string): string | null {
  if (secret.length >= MIN_CALLBACK_SECRET) return null;
  return `has ${secret.length} characters, at least ${MIN_CALLBACK_SECRET} are needed; generate one with: openssl rand -hex 32`;
}

function proxyFault(url: string): string | null {
  return isProxyUrl(url) ? null : `must have the form ${PROXY_URL_FORM}; ${ENCODED_FORM}`;
}

function targetsFault(targets: string): string | null {
  const wrong = readList(targets).find((entry) => !isAllowable(entry));
  return wrong === undefined ? null : `has "${wrong}", which is neither an address, a CIDR range nor a host name`;
}

const DAY_SECONDS = 86_400;
/** Values that are constants of the service, except for tests: see `tuning`. */
export const TUNING = {
  /** Between two sweeps for due work in PostgreSQL. */
  sweepIntervalMs: 1000,
  /** For all statements of a request to the API, connections included, before it is answered 503. */
  databaseRequestTimeoutMs: 650,
  /** Within which a receiver must answer (specification, 6.4). */
  webhookTimeoutMs: 10_000,
  /** Real seconds per second of the retry schedule. */
  retryTimeScale: 1,
};
export type Tuning = typeof TUNING;

/** In production the constants are those of the specification and of our tests. */
function tuningFault(text: string, env: Environment): string | null {
  if (!['development', 'test'].includes(textIn(env, 'NODE_ENV') ?? '')) return 'is for tests, with NODE_ENV=test';
  const wrong = readList(text).find((entry) => {
    const [name = '', value = ''] = entry.split('=');
    return !Object.hasOwn(TUNING, name) || !(Number(value) > 0 && Number.isFinite(Number(value)));
  });
  return wrong === undefined
    ? null
    : `contains "${wrong}", which is not name=number; the names are ${Object.keys(TUNING).join(', ')}`;
}

const tuned = (text: string): Tuning => ({
  ...TUNING,
  ...Object.fromEntries(
    readList(text)
      .map((entry) => entry.split('='))
      .map(([name, value]) => [name, Number(value)]),
  ),
});

/** The processes that read settings; `migrate` is the command of `admin`. */
export const PROCESSES = ['api', 'poller', 'dispatcher', 'migrate', 'sandbox'] as const;
type Process = (typeof PROCESSES)[number];

const EVERY = ['api', 'poller', 'dispatcher'] as const;
const CHECKING = ['api', 'poller'] as const;
const PUSHING = ['api', 'dispatcher'] as const;

/** Rows of the table of settings, with the processes that read them. */
function readBy<const P extends readonly Process[], G extends object>(readers: P, rows: G) {
  const entries = Object.entries(rows).map(([name, setting]) => [name, { ...setting, readers }]);
  return Object.fromEntries(entries) as { [K in keyof G]: G[K] & { readers: P } };
}

/**
 * The table of settings: variable, purpose, default, check, and the processes that read it. A new setting is a row here
 * and its use; `.env.example` is printed from the rows. The manifests of providers declare those of providers.
 */
export const SETTINGS = {
  ...readBy(EVERY, {
    // Not documented: the one way in which tests of whole processes shorten periods.
    tuning: {
      env: 'TUNING',
      about: 'for tests',
      fallback: TUNING,
      schema: { type: 'string' },
      fault: tuningFault,
      read: tuned,
    } as Setting<Tuning> & { fallback: Tuning },
  }),
  ...readBy([...EVERY, 'sandbox'], {
    logLevel: text('LOG_LEVEL', 'minimum log level', {
      fallback: 'info',
      schema: { enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] },
    }),
    logFormat: text('LOG_FORMAT', 'json, or pretty for humans', {
      fallback: 'json',
      schema: { enum: ['json', 'pretty'] },
    }),
  }),
  ...readBy(EVERY, {
    shutdownTimeoutSeconds: integer(
      'SHUTDOWN_TIMEOUT_SECONDS',
      'seconds from SIGTERM to exit; work in progress gets all but the last five',
      9,
      1,
      3600,
    ),
  }),
  ...readBy(['api', 'sandbox'], {
    host: text('HOST', 'address to listen on', { fallback: '0.0.0.0' }),
    port: integer('PORT', 'port of the API', 8080, 0, 65_535),
  }),
  ...readBy(EVERY, {
    managementPort: integer(
      'MANAGEMENT_PORT',
      'port of /healthz, /readyz and /metrics; 0 turns it off',
      9090,
      0,
      65_535,
    ),
    managementHost: optionalText(
      'MANAGEMENT_HOST',
      'address that the management port listens on; if empty, all addresses',
    ),
    operatorPage: flag(
      'OPERATOR_PAGE',
      'whether the management port has a page for operators at /, without a login',
      false,
    ),
    otlpEndpoint: optionalText(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'base URL of an OTLP/HTTP collector; without it, there is no tracing',
      HTTP_URL,
    ),
    traceRatio: decimal('OTEL_TRACES_SAMPLER_ARG', 'share of requests that are traced, above 0 and up to 1', 1, 1),
  }),
  ...readBy(CHECKING, {
    publicBaseUrl: {
      ...optionalText(
        'PUBLIC_BASE_URL',
        'public URL of the API, for absolute URLs in responses and for tracking pages in pushes',
        { fault: publicUrlFault },
      ),
      read: (url: string) => url.replace(/\/{1,99}$/, ''),
    },
  }),
  ...readBy(['api'], {
    trustProxy: text(
      'TRUST_PROXY',
      'trusted proxies in front of the API (X-Forwarded-For): a number of hops or a list of ranges',
      { fallback: '0', fault: trustedProxiesFault },
    ),
  }),
  ...readBy([...EVERY, 'migrate'], {
    databaseUrl: text('DATABASE_URL', 'PostgreSQL 15 or newer', POSTGRES),
  }),
  ...readBy(['migrate'], {
    migrateDatabaseUrl: optionalText(
      'MIGRATE_DATABASE_URL',
      'direct address of the server, for migrations, if DATABASE_URL is a pooler such as PgBouncer',
      POSTGRES,
    ),
  }),
  ...readBy(EVERY, {
    directDatabaseUrl: optionalText(
      'DIRECT_DATABASE_URL',
      'direct address of the server, for notifications, if DATABASE_URL is a pooler such as PgBouncer',
      POSTGRES,
    ),
  }),
  ...readBy(['api'], {
    databaseReplicaUrl: optionalText(
      'DATABASE_REPLICA_URL',
      'a streaming replica, for lists, exports, the delivery log and statistics',
      POSTGRES,
    ),
  }),
  ...readBy(EVERY, {
    databasePoolSize: integer('DATABASE_POOL_SIZE', 'connections to PostgreSQL, per process', 10, 1, 1000),
  }),
  ...readBy(['api'], {
    preparedStatements: {
      ...text(
        'DATABASE_PREPARED_STATEMENTS',
        'prepared statements: auto uses them without a pooler; on also uses them through PgBouncer 1.21 or newer with max_prepared_statements; off never does',
        { fallback: 'auto', schema: { enum: ['auto', 'on', 'off'] } },
      ),
    } as Setting<'auto' | 'on' | 'off'> & { fallback: 'auto' },
  }),
  ...readBy([...EVERY, 'migrate'], {
    redisUrl: redis(
      'REDIS_URL',
      'Redis for the queue and the rate limits: a server, Sentinels or a Cluster; without it, both use PostgreSQL',
    ),
  }),
  ...readBy(['api'], {
    redisLimitsUrl: redis('REDIS_LIMITS_URL', 'separate Redis for the rate limits only'),
  }),
  ...readBy(EVERY, {
    queuePrefix: text('QUEUE_PREFIX', 'prefix of the Redis keys; the braces keep them in one cluster slot', {
      fallback: '{pts}',
      fault: prefixFault,
    }),
    encryptionKeys: {
      env: 'ENCRYPTION_KEY',
      about:
        '32 random bytes in base64 that encrypt secrets at rest; during a rotation, several keys separated by commas, of which the first encrypts and all decrypt',
      secret: true,
      schema: { type: 'string' },
      fault: keysFault,
      read: readList,
    } as Setting<readonly string[]> & { secret: true },
  }),
  ...readBy(['api'], {
    rateLimits: list(
      'RATE_LIMITS',
      'changed rate limits in requests per second, as endpoint=number, or plan:endpoint=number for the accounts of a plan; endpoint=0 removes a limit, and off removes all',
    ),
    oidcIssuer: optionalText(
      'OIDC_ISSUER',
      'URL of the OpenID Connect provider for signing in to the console (docs/authentication.md#people); without it, only API keys work',
      { fault: issuerFault },
    ),
    oidcClientId: optionalText(
      'OIDC_CLIENT_ID',
      'client id at the provider; its redirect URL is PUBLIC_BASE_URL/session/oidc/callback',
    ),
    oidcClientSecret: optionalText('OIDC_CLIENT_SECRET', 'client secret at the provider', { secret: true }),
    oidcName: optionalText(
      'OIDC_NAME',
      'name of the provider on the sign-in page ("Continue with …"); if empty, its host',
    ),
    operatorApi: flag(
      'OPERATOR_API',
      'whether operator keys (`admin operator-keys`) can manage accounts over REST, under /api/v1/operator',
      false,
    ),
    compatV4: flag('COMPAT_V4', "whether to serve version 4 of TrackingMore's and 51Tracking's API under /v4", false),
  }),
  ...readBy(CHECKING, {
    quotaFree: integer('QUOTA_FREE', 'units per month on the free plan', 100, 0, MAX_UNITS),
    quotaPro: integer('QUOTA_PRO', 'units per month on the pro plan', 10_000, 0, MAX_UNITS),
    quotaEnterprise: integer('QUOTA_ENTERPRISE', 'units per month on the enterprise plan', 1_000_000, 0, MAX_UNITS),
    checkIntervalSeconds: integer(
      'CHECK_INTERVAL_SECONDS',
      'seconds between checks of a parcel whose account has an enabled webhook',
      300,
      1,
      30 * DAY_SECONDS,
    ),
    idleCheckIntervalSeconds: integer(
      'IDLE_CHECK_INTERVAL_SECONDS',
      'seconds between checks of all other parcels',
      3600,
      1,
      30 * DAY_SECONDS,
    ),
    providers: list(
      'PROVIDERS',
      'names of the providers to use; if empty, all with complete settings (docs/carriers.md)',
    ),
    providerRoutes: optionalText(
      'PROVIDER_ROUTES',
      'the only providers to use for some carriers, in order, as carrier=provider,provider; carrier=provider',
    ),
    providerUrls: optionalText(
      'PROVIDER_URLS',
      'other addresses of provider APIs, such as their sandboxes, as provider=URL, provider=URL',
    ),
    providerLimits: optionalText(
      'PROVIDER_LIMITS',
      'other limits of your accounts at providers, as provider.limit=number, provider.limit=number; the limits are calls_per_second (over all processes), daily_budget, floor_seconds and batch_size',
    ),
    callbackBaseUrl: optionalText(
      'CALLBACK_BASE_URL',
      'public https URL of the API for callbacks of providers; without it, every parcel is polled',
      { fault: callbackUrlFault },
    ),
    callbackSecret: optionalText(
      'CALLBACK_SECRET',
      'at least 32 random characters, required with CALLBACK_BASE_URL; the addresses and signatures of callbacks derive from it',
      { secret: true, fault: callbackSecretFault },
    ),
    callbackSafetyNetSeconds: integer(
      'CALLBACK_SAFETY_NET_SECONDS',
      'seconds between checks of a parcel whose updates are pushed',
      SAFETY_NET_SECONDS,
      1,
      30 * DAY_SECONDS,
    ),
  }),
  ...readBy(PUSHING, {
    webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', 'whether receivers can use plain http', false),
    webhookAllowedTargets: {
      ...list(
        'WEBHOOK_ALLOWED_TARGETS',
        'private receivers to allow, as addresses, CIDR ranges or host names; loopback needs its exact address. A network with NAT64 needs 64:ff9b::/96, which also allows private IPv4 addresses behind the gateway',
      ),
      fault: targetsFault,
    },
    webhookAllowedPorts: ports(
      'WEBHOOK_ALLOWED_PORTS',
      'receiver ports to allow in addition to 80, 443 and all from 1024 on that belong to no well-known service (such as 3306 or 6379)',
    ),
    webhookProxyUrl: optionalText(
      'WEBHOOK_PROXY_URL',
      'http(s)://[user:password@]host[:port] of a proxy for all pushes; it gets CONNECT requests to addresses that the dispatcher has checked',
      { secret: true, fault: proxyFault },
    ),
    webhookRetentionDays: integer(
      'WEBHOOK_RETENTION_DAYS',
      'days to keep events and the delivery log (pending deliveries are always kept); retries alone take three days',
      30,
      4,
      3650,
    ),
  }),
  ...readBy(['dispatcher'], {
    webhookConcurrency: integer(
      'WEBHOOK_CONCURRENCY',
      'concurrent pushes per process; retries and failing receivers get at most half of them',
      256,
      1,
      10_000,
    ),
  }),
  ...readBy(['sandbox'], {
    sandboxSpeed: decimal(
      'SANDBOX_SPEED',
      'how much faster the journeys of the sandbox carrier run (docs/sandbox-carrier.md)',
      1,
      10_000,
    ),
    sandboxStateFile: optionalText(
      'SANDBOX_STATE_FILE',
      'file in which the sandbox carrier stores when each journey began',
    ),
  }),
} as const;

export type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** The settings that a process reads. */
type NamesOf<P extends Process> = {
  [K in SettingName]: P extends Settings[K]['readers'][number] ? K : never;
}[SettingName];

const settingsOf = <P extends Process>(process: P): readonly NamesOf<P>[] =>
  (Object.keys(SETTINGS) as SettingName[]).filter((name): name is NamesOf<P> =>
    SETTINGS[name].readers.some((reader) => reader === process),
  );

export const API_SETTINGS = settingsOf('api');
export const POLLER_SETTINGS = settingsOf('poller');
export const DISPATCHER_SETTINGS = settingsOf('dispatcher');
/** Names of the settings that every long-running process reads. */
export type CommonSettingName = NamesOf<'api'> & NamesOf<'poller'> & NamesOf<'dispatcher'>;

/** Names of the settings that it takes to open the database and the queue. */
export const STORE_SETTINGS = [
  'databaseUrl',
  'directDatabaseUrl',
  'databasePoolSize',
  'redisUrl',
  'queuePrefix',
] as const;
