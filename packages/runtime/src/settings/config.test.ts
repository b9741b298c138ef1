import { randomBytes } from 'node:crypto';
import { type Environment, integer, optionalText, REDIS_URL_FORMS } from '@pts/core/settings';
import { createLogger } from '../logger.ts';
import { ConfigError, loadConfig, masked, misspelled, storeOptions } from './config.ts';
import { SETTINGS, type SettingName, TUNING } from './settings.ts';

const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const faultsOf = (env: NodeJS.ProcessEnv, names: readonly SettingName[]): string => {
  try {
    loadConfig(env, names);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe('reading the environment', () => {
  test('turns texts into values', () => {
    const config = loadConfig(
      {
        PORT: '80',
        WEBHOOK_ALLOW_HTTP: 'true',
        NODE_ENV: 'test',
        TUNING: 'retryTimeScale=0.01',
        DATABASE_URL: 'postgres://u:p@db/pts',
        RATE_LIMITS: ' shipments=50, ,track.async=0,',
        PUBLIC_BASE_URL: 'https://example.com/parcels/',
      },
      ['port', 'webhookAllowHttp', 'tuning', 'databaseUrl', 'rateLimits', 'publicBaseUrl'],
    );
    expect(config).toEqual({
      port: 80,
      webhookAllowHttp: true,
      tuning: { ...TUNING, retryTimeScale: 0.01 },
      databaseUrl: 'postgres://u:p@db/pts',
      rateLimits: ['shipments=50', 'track.async=0'],
      publicBaseUrl: 'https://example.com/parcels',
    });
  });

  test('uses the default of an unset variable', () => {
    expect(loadConfig({}, ['port', 'logFormat', 'redisUrl', 'rateLimits', 'webhookAllowHttp'])).toEqual({
      port: 8080,
      logFormat: 'json',
      redisUrl: undefined,
      rateLimits: [],
      webhookAllowHttp: false,
    });
  });

  test.each(['', '   ', '\t\n'])('treats the empty %j as unset', (empty) => {
    expect(loadConfig({ PORT: empty, REDIS_URL: empty }, ['port', 'redisUrl'])).toEqual({
      port: 8080,
      redisUrl: undefined,
    });
    expect(faultsOf({ DATABASE_URL: empty }, ['databaseUrl'])).toContain('DATABASE_URL is missing');
  });

  test('ignores spaces around a value, and variables that the process does not need', () => {
    expect(loadConfig({ PORT: ' 80 ', HOST: '', LOG_LEVEL: 'loud', UNKNOWN: '1' }, ['port'])).toEqual({ port: 80 });
  });

  test('returns values that cannot be changed', () => {
    expect(Object.isFrozen(loadConfig({}, ['port']))).toBe(true);
  });
});

describe('an invalid environment', () => {
  test('is refused with every fault at once, each with its variable', () => {
    const message = faultsOf(
      {
        PORT: '70000',
        LOG_FORMAT: 'xml',
        REDIS_URL: 'http://redis',
        WEBHOOK_ALLOW_HTTP: 'yes',
        OTEL_TRACES_SAMPLER_ARG: '0',
      },
      ['port', 'logFormat', 'redisUrl', 'webhookAllowHttp', 'traceRatio', 'databaseUrl', 'encryptionKeys'],
    );
    expect(message.split('\n')).toEqual([
      'The configuration is not valid:',
      `  DATABASE_URL is missing: ${SETTINGS.databaseUrl.about}`,
      `  ENCRYPTION_KEY is missing: ${SETTINGS.encryptionKeys.about}`,
      '  PORT must be at most 65535',
      '  LOG_FORMAT must be one of json, pretty',
      '  WEBHOOK_ALLOW_HTTP must be true or false',
      '  OTEL_TRACES_SAMPLER_ARG must be above 0',
      `  REDIS_URL must be ${REDIS_URL_FORMS}`,
    ]);
  });

  test.each([
    ['PORT', '-1', 'port'],
    ['PORT', '80.5', 'port'],
    ['PORT', 'http', 'port'],
    ['PORT', '80 81', 'port'],
    ['SHUTDOWN_TIMEOUT_SECONDS', '0', 'shutdownTimeoutSeconds'],
    ['QUOTA_FREE', '-1', 'quotaFree'],
    ['QUOTA_FREE', '2147483648', 'quotaFree'],
    ['TUNING', 'retryTimeScale=0.01', 'tuning'],
    ['WEBHOOK_CONCURRENCY', '1e400', 'webhookConcurrency'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'traceRatio'],
    ['OTEL_TRACES_SAMPLER_ARG', 'Infinity', 'traceRatio'],
    ['OTEL_TRACES_SAMPLER_ARG', 'NaN', 'traceRatio'],
    ['WEBHOOK_ALLOW_HTTP', '1', 'webhookAllowHttp'],
    ['WEBHOOK_ALLOW_HTTP', 'True', 'webhookAllowHttp'],
    ['DATABASE_URL', 'mysql://db/pts', 'databaseUrl'],
    ['DATABASE_URL', 'postgres://u:p#ss@db/pts', 'databaseUrl'],
    ['DIRECT_DATABASE_URL', 'postgres://u:p#ss@db/pts', 'directDatabaseUrl'],
    ['MIGRATE_DATABASE_URL', 'postgres://db:port/pts', 'migrateDatabaseUrl'],
    ['DATABASE_REPLICA_URL', 'postgres://u:p/ss@db/pts', 'databaseReplicaUrl'],
    ['REDIS_URL', 'redis://a:6379,b:6379', 'redisUrl'],
    ['REDIS_LIMITS_URL', 'redis+sentinel://a', 'redisLimitsUrl'],
    ['PUBLIC_BASE_URL', 'localhost:8090', 'publicBaseUrl'],
    ['PUBLIC_BASE_URL', 'https://', 'publicBaseUrl'],
    ['PUBLIC_BASE_URL', 'https://admin:hunter2@example.com', 'publicBaseUrl'],
    ['PUBLIC_BASE_URL', 'https://example.com/#/', 'publicBaseUrl'],
    ['CALLBACK_BASE_URL', 'https://exa mple.com', 'callbackBaseUrl'],
    ['CALLBACK_BASE_URL', 'https://example.com/?tenant=1', 'callbackBaseUrl'],
    ['TRUST_PROXY', '10.0.0.0/99', 'trustProxy'],
    ['QUEUE_PREFIX', '"{pts}"', 'queuePrefix'],
    ['QUEUE_PREFIX', '{my pts}', 'queuePrefix'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://', 'otlpEndpoint'],
    ['WEBHOOK_PROXY_URL', 'http://proxy/path', 'webhookProxyUrl'],
    ['WEBHOOK_PROXY_URL', 'http://user:100%@proxy', 'webhookProxyUrl'],
    ['WEBHOOK_ALLOWED_TARGETS', '10.0.0.0/8,10.0.0.0/99', 'webhookAllowedTargets'],
    ['SHUTDOWN_TIMEOUT_SECONDS', '2147484', 'shutdownTimeoutSeconds'],
    ['CHECK_INTERVAL_SECONDS', '1000000001', 'checkIntervalSeconds'],
    ['ENCRYPTION_KEY', 'secret', 'encryptionKeys'],
    ['ENCRYPTION_KEY', Buffer.alloc(31).toString('base64'), 'encryptionKeys'],
    ['ENCRYPTION_KEY', Buffer.alloc(33).toString('base64'), 'encryptionKeys'],
  ] as const)('%s=%s is a fault', (variable, value, name) => {
    expect(faultsOf({ [variable]: value }, [name])).toContain(`  ${variable} `);
  });

  test.each([
    [
      'DATABASE_URL',
      'mysql://db/pts',
      'databaseUrl',
      'must have the form postgresql://user:password@host:port/database',
    ],
    ['PUBLIC_BASE_URL', 'localhost:8090', 'publicBaseUrl', 'is not a URL, such as https://example.com'],
    ['OTEL_TRACES_SAMPLER_ARG', 'slow', 'traceRatio', 'must be a number'],
    [
      'CALLBACK_BASE_URL',
      'https://api.example.com',
      'callbackBaseUrl',
      'needs CALLBACK_SECRET, which is missing; generate one with: openssl rand -hex 32',
    ],
  ] as const)('%s=%s: the fault says what it must be', (variable, value, name, fault) => {
    expect(faultsOf({ [variable]: value }, [name])).toContain(`  ${variable} ${fault}`);
  });

  test.each([
    ['is not a random key (its bytes repeat)', Buffer.alloc(32).toString('base64')],
    ['is not a random key (it is text)', Buffer.from('correct horse battery staple 1!!').toString('base64')],
    ['is not 32 bytes in base64', randomBytes(32).toString('hex')],
    ['is not 32 bytes in base64', 'secret'],
  ])('ENCRYPTION_KEY that %s is refused with the way to make one', (fault, key) => {
    expect(faultsOf({ ENCRYPTION_KEY: key }, ['encryptionKeys'])).toBe(
      `The configuration is not valid:\n  ENCRYPTION_KEY ${fault}; generate one with: openssl rand -base64 32`,
    );
  });

  test.each([
    ['(key 2 of 2) is not 32 bytes in base64', `${ENCRYPTION_KEY},secret`],
    ['(key 1 of 2) is not a random key (its bytes repeat)', `${Buffer.alloc(32).toString('base64')},${ENCRYPTION_KEY}`],
    ['has the same key twice', `${ENCRYPTION_KEY}, ${ENCRYPTION_KEY}`],
    ['has no key', ','],
  ])('a list of keys that %s is refused, without showing one', (fault, keys) => {
    const message = faultsOf({ ENCRYPTION_KEY: keys }, ['encryptionKeys']);
    expect(message).toContain(`\n  ENCRYPTION_KEY ${fault}`);
    expect(message).not.toContain(ENCRYPTION_KEY);
  });

  test.each(['postgres:///pts?host=/run/postgresql', 'postgresql://u@/pts?host=/run', 'postgres://u:p%23ss@[::1]/pts'])(
    '%s leads to PostgreSQL',
    (url) => {
      expect(faultsOf({ DATABASE_URL: url }, ['databaseUrl'])).toBe('');
    },
  );

  test('is reported without secret values', () => {
    const env = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      ENCRYPTION_KEY: 'hunter3',
      PUBLIC_BASE_URL: 'https://u:hunter4@example.com',
    };
    const message = faultsOf(env, ['databaseUrl', 'encryptionKeys', 'publicBaseUrl']);
    expect(message.split('\n')).toHaveLength(4);
    expect(message).not.toMatch(/hunter/);
  });
});

test.each([
  'postgres://u:hunter2@x@db/pts',
  'postgres://u:12#hunter2@db/pts',
  'postgres://u:12/hunter2@db/pts',
  'postgres://u:12?hunter2@db/pts',
  'postgres://u:50%hunter2@db/pts',
])('%s: a password that is not encoded is refused, and no part of it is shown', (url) => {
  const redis = url.replace('postgres', 'redis').replace('pts', '0');
  const proxy = url.replace('postgres', 'http').replace('/pts', '');
  const env = { DATABASE_URL: url, REDIS_URL: redis, WEBHOOK_PROXY_URL: proxy };
  const lines = faultsOf(env, ['databaseUrl', 'redisUrl', 'webhookProxyUrl']).split('\n');
  expect(lines).toHaveLength(4);
  for (const line of lines.slice(1)) expect(line).toContain('percent-encoded (@ as %40');
  expect(lines.join()).not.toContain('hunter');
});

test.each([
  ['WEBHOOK_CONCURENCY', 'WEBHOOK_CONCURRENCY'],
  ['WEBHOOK_CONCURRECNY', 'WEBHOOK_CONCURRENCY'],
  ['webhook_concurrency', 'WEBHOOK_CONCURRENCY'],
  ['WEBHOOK_RETENTION', 'WEBHOOK_RETENTION_DAYS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
])('%s is named with what is meant: %s', (name, meant) => {
  expect(misspelled({ [name]: '1' })).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
  expect(faultsOf({ [name]: '1' }, ['databaseUrl'])).toContain(`did you mean ${meant}?`);
});

test.each(['retryTimeScale', 'retryTimeScale=0', 'retryTimeScale=Infinity', 'toString=1', 'ladder=1'])(
  'TUNING=%s is a fault also of tests',
  (text) => {
    expect(faultsOf({ NODE_ENV: 'test', TUNING: text }, ['tuning'])).toContain(`  TUNING contains "${text}"`);
  },
);

test('variables of others are not taken for settings', () => {
  const others = ['HOSTNAME', 'HOME', 'PATH', 'NODE_VERSION', 'NODE_OPTIONS', 'OTEL_TRACES_SAMPLER', 'PGHOST', 'TZ'];
  expect(misspelled(Object.fromEntries(others.map((name) => [name, '1'])))).toEqual([]);
});

describe('settings that are declared elsewhere', () => {
  const floor = integer('ACME_FLOOR_SECONDS', 'least time between two queries', 60, 0, 3600);
  const key = optionalText('ACME_KEY', 'your key', { secret: true });
  const faults = (env: Environment) => (env.ACME_KEY ? [] : ['ACME_KEY is missing: your key']);
  const further = { settings: [floor, key], faults };

  test('are checked with the others: every fault at once', () => {
    const env = { PORT: '70000', ACME_FLOOR_SECONDS: 'soon' };
    expect(() => loadConfig(env, ['port'], further)).toThrow(
      [
        'The configuration is not valid:',
        '  PORT must be at most 65535',
        '  ACME_FLOOR_SECONDS must be a whole number',
        '  ACME_KEY is missing: your key',
      ].join('\n'),
    );
  });

  test('stay out of the configuration, and so out of the log', () => {
    const config = loadConfig({ PORT: '80', ACME_KEY: 'hunter2' }, ['port'], further);
    expect(config).toEqual({ port: 80 });
  });
});

describe('the configuration as the boot log shows it', () => {
  test('masks every secret and leaves out what is not set', () => {
    const env = {
      DATABASE_URL: 'postgres://u:hunter2@db/pts',
      REDIS_URL: 'redis://:hunter2@redis',
      ENCRYPTION_KEY,
      HOST: '127.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://u:hunter2@collector:4318/a@b',
    };
    const shown = [
      'databaseUrl',
      'redisUrl',
      'encryptionKeys',
      'host',
      'otlpEndpoint',
      'publicBaseUrl',
      'port',
    ] as const;
    const config = loadConfig(env, shown);
    expect(masked(config)).toEqual({
      databaseUrl: '***',
      redisUrl: '***',
      encryptionKeys: '***',
      host: '127.0.0.1',
      otlpEndpoint: 'https://***@collector:4318/a@b',
      port: 8080,
    });
  });
});

test.each([
  ['queue', 'queue outage', 'queue: the store answers again'],
  ['signals', 'signal outage', 'signals: the store answers again'],
] as const)('errors and notices of the %s are logged, and the settings are kept', (part, outage, notice) => {
  const lines: object[] = [];
  const logger = createLogger({
    app: 'a',
    level: 'info',
    format: 'json',
    write: (line) => lines.push(JSON.parse(line)),
  });
  const options = storeOptions({ queuePrefix: '{a}', databaseUrl: 'postgres://x' }, logger, part);
  options.onError(new Error('refused'));
  options.onInfo('the store answers again');
  expect(options).toMatchObject({ prefix: '{a}', databaseUrl: 'postgres://x' });
  expect(lines).toMatchObject([
    { level: 'warn', err: 'refused', msg: outage },
    { level: 'info', msg: notice },
  ]);
});
