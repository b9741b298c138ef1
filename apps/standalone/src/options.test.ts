import { readOptions } from './options.ts';

const read = (args: string[], env: Record<string, string> = {}) => readOptions(args, env, '/repo');

test('without anything set: port 8080 and the next, the embedded database, the folder .standalone', () => {
  expect(read([])).toEqual({
    dir: '/repo/.standalone',
    isUsualDir: true,
    fresh: false,
    host: '127.0.0.1',
    apiPort: { port: 8080, requested: false },
    sandboxPort: { port: 8081, requested: false },
    providers: null,
    databaseUrl: null,
    migrateDatabaseUrl: null,
    redisUrl: null,
    sandboxUrl: null,
  });
});

test('the sandbox’s port follows PORT, unless its own is set', () => {
  expect(read([], { PORT: '9000' })).toMatchObject({
    apiPort: { port: 9000, requested: true },
    sandboxPort: { port: 9001, requested: false },
  });
  expect(read([], { PORT: '9000', SANDBOX_PORT: '7000' })).toMatchObject({
    sandboxPort: { port: 7000, requested: true },
  });
  expect(read([], { PORT: '0' })).toMatchObject({ apiPort: { port: 0 }, sandboxPort: { port: 0 } });
});

test('an empty variable counts as unset', () => {
  expect(read([], { PORT: '', DATABASE_URL: '', STANDALONE_DIR: '' })).toMatchObject({
    dir: '/repo/.standalone',
    isUsualDir: true,
    apiPort: { port: 8080, requested: false },
    databaseUrl: null,
    migrateDatabaseUrl: null,
  });
});

test.each(['abc', '-1', '65536', '80.5'])('PORT=%s is refused with the reason', (PORT) => {
  expect(() => read([], { PORT })).toThrow(
    `PORT must be a port number from 0 to 65535 (0 for any free port), not "${PORT}".`,
  );
});

test('CARRIERS names the providers that the sandbox plays, in any case', () => {
  expect(read([], { CARRIERS: 'UPS, 17track,' }).providers).toEqual(['ups', '17track']);
  expect(read([], { CARRIERS: '' }).providers).toBeNull();
});

test('a provider in CARRIERS that the sandbox cannot play is refused, with those that it can', () => {
  expect(() => read([], { CARRIERS: 'ups,fedex,sandbox' })).toThrow(
    /^CARRIERS contains fedex, sandbox, which the sandbox cannot simulate\. Choose from .*ups.*\.$/,
  );
});

test('an unknown option is named', () => {
  expect(() => read(['--wipe'])).toThrow('Unknown option --wipe.');
});

test('--fresh never touches a database of the user', () => {
  expect(read(['--fresh']).fresh).toBe(true);
  expect(() => read(['--fresh'], { DATABASE_URL: 'postgresql://x' })).toThrow(
    '--fresh deletes only the embedded database',
  );
});

test('settings that the programs would refuse are refused at once, each with its variable', () => {
  const env = {
    ENCRYPTION_KEY: 'short',
    REDIS_URL: 'localhost:6379',
    RATE_LIMITS: 'all=5',
    CHECK_INTERVAL_SECONDS: 'often',
    PROVIDERS: 'acme,ups',
  };
  expect(() => read(['--fresh'], env)).toThrow(
    /^The configuration is not valid:\n(?=.*ENCRYPTION_KEY is not)(?=.*REDIS_URL must)(?=.*RATE_LIMITS has)(?=.*CHECK_INTERVAL_SECONDS must)(?=.*PROVIDERS names acme)(?=.*UPS_CLIENT_ID is missing)/s,
  );
});

test('a provider needs no keys where the sandbox plays it', () => {
  expect(read([], { PROVIDERS: 'ups,sandbox,test', CARRIERS: 'ups', UPS_CLIENT_ID: '' }).providers).toEqual(['ups']);
});

test('a faster retry schedule is for trials: production is refused it', () => {
  expect(() => read([], { TUNING: 'retryTimeScale=0.01' })).not.toThrow();
  expect(() => read([], { TUNING: 'retryTimeScale=0.01', NODE_ENV: 'production' })).toThrow('TUNING');
});
