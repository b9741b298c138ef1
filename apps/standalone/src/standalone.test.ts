import { randomBytes } from 'node:crypto';
import { readOptions } from './options.ts';
import { banner, listPrograms, listSettings } from './standalone.ts';

const ready = {
  base_url: 'http://127.0.0.1:8080',
  api_key: `tk_${'0'.repeat(48)}`,
  sandbox_url: 'http://127.0.0.1:8081',
  database_url: 'postgresql://postgres:secret@127.0.0.1:1/postgres',
  redis_url: null,
};

const HERE = { dir: '/repo/.standalone', isUsual: true };
const commandsOf = (text: string) => text.split('\n').filter((line) => /^[^ ]/.test(line));

test('the commands can be pasted: each is one line, the receiver misses no push, the third reads what the second registered', () => {
  const commands = commandsOf(banner(ready, HERE, true, new Date('2026-01-02T03:04:05Z')));
  expect(commands).toHaveLength(3);
  expect(commands[0]).toBe('npm run receiver');
  expect(commands[1]).toContain(`-d '{"tracking_number":"SBXEXPRESS1767323045"}'`);
  expect(commands[2]).toContain('tracking_numbers=SBXEXPRESS1767323045');
  for (const command of commands.slice(1)) {
    expect(command).toContain(`-H 'X-API-Key: ${ready.api_key}'`);
    expect(command).toContain('http://127.0.0.1:8080/api/v1/');
  }
});

test('commands find an installation in another folder, whatever its name', () => {
  const text = banner(ready, { dir: "/repo/my parcels' data", isUsual: false }, true, new Date(0));
  const here = `STANDALONE_DIR='/repo/my parcels'\\'' data'`;
  expect(commandsOf(text)[0]).toBe(`${here} npm run receiver`);
  expect(text).toContain(`  ${here} npm run smoke\n`);
  // Without the folder, it would delete another installation.
  expect(text).toContain(`to start over, run ${here} npm start -- --fresh`);
});

test('the console and the key to paste into it come first', () => {
  const facts = banner(ready, HERE, true, new Date(0))
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line));
  expect(facts.slice(1, 3)).toEqual([
    expect.stringMatching(/^ {2}Console +http:\/\/127\.0\.0\.1:8080\/console /),
    expect.stringMatching(/^ {2}API key +tk_/),
  ]);
});

test('the key is only in the command lines of curl, and its location is shown', () => {
  const text = banner(ready, HERE, true, new Date(0));
  const lines = text.split('\n').filter((line) => line.includes(ready.api_key) && !line.startsWith('curl '));
  expect(lines).toEqual([expect.stringMatching(/^ {2}API key .*\/repo\/\.standalone\/demo-key/)]);
});

test('passwords of servers are not shown', () => {
  expect(banner(ready, HERE, true, new Date(0))).not.toContain('secret');
});

function settingOf(user: Record<string, string>) {
  return {
    options: readOptions([], user, '/repo'),
    ports: { api: 8080, sandbox: 8081 },
    databaseUrl: 'postgresql://embedded',
    encryptionKey: 'key',
    callbackSecret: 'a callback secret of at least 32 characters',
    sandboxStateFile: '/repo/.standalone/sandbox-state.json',
    baseUrl: 'http://127.0.0.1:8080',
    sandboxUrl: user.SANDBOX_URL ?? 'http://127.0.0.1:8081',
  };
}

function programs(user: Record<string, string> = {}) {
  const setting = settingOf(user);
  return Object.fromEntries(listPrograms(setting, user).map((program) => [program.name, program]));
}

test('each process names its app on its command line', () => {
  expect(Object.values(programs()).map(({ args }) => args.at(-1))).toEqual([
    'apps/sandbox-carrier/dist/sandbox-carrier.mjs',
    'apps/api/dist/api.mjs',
    'apps/carrier-poller/dist/carrier-poller.mjs',
    'apps/webhook-dispatcher/dist/webhook-dispatcher.mjs',
  ]);
});

test('the API and the sandbox listen on their own ports, the sandbox on loopback only', () => {
  const { api, sandbox } = programs({ HOST: '0.0.0.0' });
  expect(api?.env).toMatchObject({ PORT: '8080', HOST: '0.0.0.0' });
  expect(sandbox?.env).toMatchObject({ PORT: '8081', HOST: '127.0.0.1' });
});

test('the user’s settings take precedence, and an empty variable counts as unset', () => {
  const { poller } = programs({ CHECK_INTERVAL_SECONDS: '60', LOG_FORMAT: '', DATABASE_URL: 'postgresql://own' });
  expect(poller?.env).toMatchObject({
    CHECK_INTERVAL_SECONDS: '60',
    IDLE_CHECK_INTERVAL_SECONDS: '3',
    LOG_FORMAT: 'pretty',
    DATABASE_URL: 'postgresql://own',
  });
});

test('the providers that CARRIERS names are played, and no others', () => {
  const { poller } = programs({ CARRIERS: 'ups,17track' });
  expect(poller?.env).toMatchObject({
    UPS_CLIENT_ID: 'sandbox-client',
    PROVIDER_URLS: 'ups=http://127.0.0.1:8081/ups,17track=http://127.0.0.1:8081/17track',
    SANDBOX_URL: 'http://127.0.0.1:8081',
  });
  expect(Object.keys(poller?.env ?? {}).filter((name) => /^(FEDEX|KUAIDI100)_/.test(name))).toEqual([]);
});

test('without CARRIERS no carrier’s own API is played', () => {
  expect(programs().poller?.env.PROVIDER_URLS).toBe('kuaidi100=http://127.0.0.1:8081/kuaidi100');
});

test('an account of the user at a provider that CARRIERS names is used there', () => {
  const { poller } = programs({ CARRIERS: 'ups', UPS_CLIENT_ID: 'mine', UPS_CLIENT_SECRET: 'mine' });
  expect(poller?.env.PROVIDER_URLS).toBe('');
});

test('a sandbox of the user is used, and none started', () => {
  const { sandbox, api } = programs({ SANDBOX_URL: 'http://sandbox' });
  expect(sandbox).toBeUndefined();
  expect(api?.env).toMatchObject({
    SANDBOX_URL: 'http://sandbox',
    PROVIDER_URLS: 'kuaidi100=http://sandbox/kuaidi100',
  });
});

test('a user’s account at Kuaidi100 queries Kuaidi100 itself, no more often than it allows', () => {
  const { poller } = programs({ KUAIDI100_CUSTOMER: 'mine', KUAIDI100_KEY: 'mine' });
  expect(poller?.env).toMatchObject({ PROVIDER_URLS: '', PROVIDER_LIMITS: '' });
});

test('addresses and limits of the user count, and the sandbox keeps its own', () => {
  const { poller } = programs({ PROVIDER_LIMITS: 'sandbox.calls_per_second=5' });
  expect(poller?.env.PROVIDER_LIMITS).toMatch(/^kuaidi100\.floor_seconds=0,.*,sandbox\.calls_per_second=5$/);
});

test('the sandbox sends callbacks to the API, unless the user has an account at a provider that would have to', () => {
  const own = { KUAIDI100_CUSTOMER: 'mine', KUAIDI100_KEY: 'mine' };
  for (const name of ['api', 'poller'] as const) {
    expect(programs()[name]?.env.CALLBACK_BASE_URL).toBe('http://127.0.0.1:8080');
    expect(programs(own)[name]?.env.CALLBACK_BASE_URL).toBeUndefined();
    expect(programs({ ...own, CALLBACK_BASE_URL: 'https://p.example' })[name]?.env.CALLBACK_BASE_URL).toBe(
      'https://p.example',
    );
  }
});

test('the sandbox knows where the aggregators that it plays send callbacks to', () => {
  const { sandbox } = programs({ CARRIERS: '17track' });
  expect(sandbox?.env.SANDBOX_CALLBACK_TARGETS).toMatch(
    /(^|,)17track=http:\/\/127\.0\.0\.1:8080\/callbacks\/17track\/[\w-]{43}(,|$)/,
  );
  expect(programs({ KUAIDI100_CUSTOMER: 'mine', KUAIDI100_KEY: 'mine' }).sandbox?.env.SANDBOX_CALLBACK_TARGETS).toBe(
    '',
  );
});

test('the settings for commands beside them are those of the programs, without stores and keys of providers', () => {
  const own = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    CALLBACK_SECRET: 's'.repeat(32),
    QUEUE_PREFIX: '{own}',
  };
  const user = { CHECK_INTERVAL_SECONDS: '60', UPS_CLIENT_ID: 'mine', UPS_CLIENT_SECRET: 'mine', ...own };
  const settings = listSettings(settingOf(user), user);
  expect(programs(user).poller?.env).toMatchObject(settings);
  expect(settings).toMatchObject({ CHECK_INTERVAL_SECONDS: '60', SANDBOX_URL: 'http://127.0.0.1:8081', ...own });
  expect(listSettings(settingOf({}), {})).toMatchObject({ ENCRYPTION_KEY: 'key', QUEUE_PREFIX: '{pts}' });
  expect(Object.keys(settings).filter((name) => /DATABASE|UPS/.test(name))).toEqual([]);
});
