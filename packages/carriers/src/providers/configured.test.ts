import { tokensInMemory } from '../testing/tokens.ts';
import {
  callbackAddress,
  callbackReceivers,
  connectedProviders,
  knownProviders,
  mergedOverrides,
  overridesFor,
  playedProviders,
  providerFor,
  providerSettings,
  providersOff,
  routeFor,
} from './configured.ts';
import { PROVIDERS } from './index.ts';
import { credential, defineProvider } from './manifest.ts';

type Env = Record<string, string>;

const KUAIDI100 = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k' };
const SANDBOX = { SANDBOX_URL: 'http://127.0.0.1:4010' };
const namesOn = (env: Env) => knownProviders(env).map(({ name }) => name);
const faultsOf = (env: Env, connects = true) => providerSettings({ connects }).faults(env);

describe('the enabled providers are', () => {
  test('none if nothing is set', () => {
    expect(namesOn({})).toEqual([]);
    expect(faultsOf({})).toEqual([]);
  });

  test('without PROVIDERS those whose required settings are there', () => {
    expect(namesOn(KUAIDI100)).toEqual(['kuaidi100']);
    expect(namesOn({ ...KUAIDI100, ...SANDBOX })).toEqual(['kuaidi100', 'sandbox']);
    expect(namesOn({ ...KUAIDI100, SANDBOX_URL: ' ' })).toEqual(['kuaidi100']);
  });

  test('those that PROVIDERS names and no other, in our order of preference', () => {
    expect(namesOn({ ...KUAIDI100, ...SANDBOX, PROVIDERS: 'sandbox' })).toEqual(['sandbox']);
    expect(namesOn({ ...KUAIDI100, ...SANDBOX, PROVIDERS: ' Sandbox, kuaidi100,' })).toEqual(['kuaidi100', 'sandbox']);
  });

  test('known without their keys, but with their limits, to a process that queries none', () => {
    const env = { PROVIDERS: 'kuaidi100', PROVIDER_LIMITS: 'kuaidi100.floor_seconds=60' };
    expect(faultsOf(env, false)).toEqual([]);
    const [provider] = knownProviders(env);
    expect(provider).toMatchObject({ name: 'kuaidi100', limits: { batchSize: 1, floorSeconds: 60 } });
    expect(provider?.serves('yto')).toBe(true);
    expect(provider).not.toHaveProperty('ask');
  });

  test('available with their clients to a process that queries them', () => {
    expect(connectedProviders({ ...KUAIDI100, ...SANDBOX }, { tokens: tokensInMemory() })).toMatchObject([
      {
        name: 'kuaidi100',
        ask: expect.any(Function),
        server: { 'server.address': 'poll.kuaidi100.com', 'server.port': 443 },
      },
      { name: 'sandbox', server: { 'server.address': '127.0.0.1', 'server.port': 4010 } },
    ]);
  });
});

describe('an invalid environment', () => {
  test('an unknown name is reported, with the known ones', () => {
    const expected = [expect.stringMatching(/^PROVIDERS names ups9, .*: .*\bkuaidi100\b.*\bsandbox\b/)];
    expect(faultsOf({ PROVIDERS: 'ups9,sandbox', ...SANDBOX })).toEqual(expected);
    expect(faultsOf({ PROVIDERS: 'ups9' }, false)).toEqual(expected);
  });

  test('a missing key is reported to the process that needs it', () => {
    const env = { PROVIDERS: 'kuaidi100', KUAIDI100_CUSTOMER: 'c' };
    expect(faultsOf(env)).toEqual(['KUAIDI100_KEY is missing: your key at Kuaidi100; PROVIDERS names kuaidi100']);
    expect(faultsOf(env, false)).toEqual([]);
    expect(() => connectedProviders(env, { tokens: tokensInMemory() })).toThrow('KUAIDI100_KEY is missing');
  });

  test.each([true, false])(
    'a partial account is reported, instead of disabling the provider (asks: %s)',
    (connects) => {
      expect(faultsOf({ KUAIDI100_KEY: 'k' }, connects)).toEqual([
        expect.stringMatching(/^KUAIDI100_CUSTOMER is missing: .*KUAIDI100_KEY/),
      ]);
    },
  );
});

test('a process that queries no provider gets no secret', () => {
  const variables = (connects: boolean) => providerSettings({ connects }).settings.map(({ env }) => env);
  expect(variables(true)).toContain('KUAIDI100_KEY');
  expect(variables(false)).not.toContain('KUAIDI100_KEY');
  expect(variables(false)).toContain('SANDBOX_URL');
});

describe('which provider serves a carrier', () => {
  const nameFor = (carrier: string, env: Env) => providerFor(carrier, knownProviders(env))?.name;

  test('Kuaidi100 is preferred if it has a code for the carrier; the sandbox serves the rest', () => {
    expect(nameFor('yto', { ...KUAIDI100, ...SANDBOX })).toBe('kuaidi100');
    expect(nameFor('gofo', { ...KUAIDI100, ...SANDBOX })).toBe('sandbox');
  });

  test('the sandbox carrier is the sandbox provider’s', () => {
    expect(nameFor('sandbox', { ...KUAIDI100, ...SANDBOX })).toBe('sandbox');
    expect(nameFor('sandbox', KUAIDI100)).toBeUndefined();
  });

  test('without the sandbox a carrier that Kuaidi100 does not know is not served', () => {
    expect(nameFor('gofo', KUAIDI100)).toBeUndefined();
    expect(nameFor('yto', {})).toBeUndefined();
  });

  test.each(['constructor', '__proto__', 'toString'])('no provider serves a carrier named %s', (carrier) => {
    expect(nameFor(carrier, { ...KUAIDI100, ...SANDBOX })).toBeUndefined();
  });
});

test('a carrier’s own API is preferred to an aggregator that serves it, too', () => {
  const UPS = { UPS_CLIENT_ID: 'c', UPS_CLIENT_SECRET: 's' };
  const nameFor = (env: Env) => providerFor('ups', knownProviders(env))?.name;
  expect(nameFor({ ...KUAIDI100, ...SANDBOX, ...UPS })).toBe('ups');
  expect(nameFor({ ...KUAIDI100, ...SANDBOX })).toBe('kuaidi100');
});

test('disabled providers are known by name, so that the log can list them', () => {
  expect(providersOff(KUAIDI100)).toEqual(expect.arrayContaining(['ups', 'sandbox']));
  expect(providersOff(KUAIDI100)).not.toContain('kuaidi100');
  expect(providersOff({ ...KUAIDI100, ...SANDBOX, PROVIDERS: 'sandbox' })).toContain('kuaidi100');
});

const BOTH = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k', SANDBOX_URL: 'http://127.0.0.1:4010' };
const routeOf = (carrier: string, PROVIDER_ROUTES?: string) =>
  routeFor(carrier, knownProviders({ ...BOTH, ...(PROVIDER_ROUTES && { PROVIDER_ROUTES }) })).map(({ name }) => name);
const routeFaultsOf = (PROVIDER_ROUTES: string) =>
  providerSettings({ connects: false }).faults({ ...BOTH, PROVIDER_ROUTES });

test('a carrier is queried at the providers that serve it, in our order of preference', () => {
  expect(routeOf('yto')).toEqual(['kuaidi100', 'sandbox']);
  expect(routeOf('sandbox')).toEqual(['sandbox']);
  expect(routeOf('nobody')).toEqual([]);
});

test('an operator sets the order, and leaves providers out, for some carriers', () => {
  expect(routeOf('yto', 'yto=sandbox,kuaidi100')).toEqual(['sandbox', 'kuaidi100']);
  expect(routeOf('yto', ' YTO = Sandbox ; zto=kuaidi100; ')).toEqual(['sandbox']);
  expect(routeOf('zto', 'yto=sandbox; zto=kuaidi100')).toEqual(['kuaidi100']);
  expect(routeOf('sto', 'yto=sandbox; zto=kuaidi100')).toEqual(['kuaidi100', 'sandbox']);
});

test('a provider that is not on is skipped', () => {
  const providers = knownProviders({ ...BOTH, PROVIDERS: 'sandbox', PROVIDER_ROUTES: 'yto=kuaidi100,sandbox' });
  expect(routeFor('yto', providers).map(({ name }) => name)).toEqual(['sandbox']);
});

test.each([
  ['yto', 'PROVIDER_ROUTES has "yto", which is not of the form carrier=provider,provider'],
  ['yto=', 'PROVIDER_ROUTES has "yto=", which is not of the form carrier=provider,provider'],
  ['no-such=sandbox', 'PROVIDER_ROUTES names the carrier no-such, which is not known'],
  ['yto=nobody', 'PROVIDER_ROUTES names nobody for yto, which is not a provider'],
  ['sandbox=kuaidi100', 'PROVIDER_ROUTES names kuaidi100 for sandbox, which it does not serve'],
])('%s is refused at boot', (routes, fault) => {
  expect(routeFaultsOf(routes)).toEqual([fault]);
});

test('a valid route is not reported', () => {
  expect(routeFaultsOf('yto=sandbox,kuaidi100; zto=kuaidi100')).toEqual([]);
});

const overrideFaultsOf = (env: Record<string, string>) => providerSettings({ connects: false }).faults(env);

test('limits of a provider take the place of those of its manifest, and the last entry counts', () => {
  const PROVIDER_LIMITS =
    'usps.calls_per_second=2, usps.calls_per_second=0.5, fedex.daily_budget=9, USPS.floor_seconds=0';
  const [usps, fedex] = ['usps', 'fedex'].map((PROVIDERS) => knownProviders({ PROVIDERS, PROVIDER_LIMITS })[0]?.limits);
  expect(usps).toMatchObject({ batchSize: 35, callsPerSecond: 0.5, floorSeconds: 0 });
  expect(fedex).toMatchObject({ callsPerSecond: 20, dailyBudget: 9 });
});

test.each([
  ['PROVIDER_URLS', 'fedex=https://proxy.example/a?b=c', null],
  ['PROVIDER_URLS', 'fedex', 'which is not of the form provider=URL'],
  ['PROVIDER_URLS', 'acme=https://a.example', 'names acme, which is not a provider'],
  ['PROVIDER_URLS', 'sandbox=https://a.example', 'names sandbox, whose address is a setting of its own'],
  ['PROVIDER_URLS', 'fedex=a.example', 'which is not a URL'],
  ['PROVIDER_LIMITS', 'fedex.daily_budget=1,sf-express.batch_size=10,sandbox.calls_per_second=2.5', null],
  ['PROVIDER_LIMITS', 'fedex=5', 'limits are calls_per_second, daily_budget, floor_seconds, batch_size'],
  ['PROVIDER_LIMITS', 'fedex.toString=5', 'which is not of the form provider.limit=number'],
  ['PROVIDER_LIMITS', 'acme.daily_budget=5', 'names acme, which is not a provider'],
  ['PROVIDER_LIMITS', 'fedex.calls_per_second=0', 'it must be a number from 0.0001 to 10000'],
  ['PROVIDER_LIMITS', 'fedex.calls_per_second=Infinity', 'it must be a number from'],
  ['PROVIDER_LIMITS', 'fedex.floor_seconds=0.5', 'it must be a whole number from 0 to 2592000'],
  ['PROVIDER_LIMITS', 'fedex.batch_size=31', 'it must be a whole number from 1 to 30'],
  ['PROVIDER_LIMITS', 'sf-express.batch_size=11', 'it must be a whole number from 1 to 10'],
])('%s=%s: %s', (variable, text, fault) => {
  expect(overrideFaultsOf({ [variable]: text })).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
});

test('an account of the user leaves the sandbox that plays its provider, and the user’s own entries count', () => {
  const played = playedProviders(
    PROVIDERS.filter(({ name }) => ['ups', 'kuaidi100'].includes(name)),
    'http://sandbox',
  );
  expect(connectedProviders(played, { tokens: tokensInMemory() }).map(({ name }) => name)).toEqual([
    'ups',
    'kuaidi100',
  ]);
  const merged = mergedOverrides(played, { PROVIDER_LIMITS: 'kuaidi100.floor_seconds=7' }, ['ups']);
  expect(overridesFor('ups', merged)).toEqual({ limits: {} });
  expect(overridesFor('kuaidi100', merged)).toMatchObject({
    url: 'http://sandbox/kuaidi100',
    limits: { floorSeconds: 7 },
  });
});

const SECRET = 'a secret of the installation, 32+ characters';

const acme = defineProvider({
  name: 'acme',
  title: 'ACME',
  about: 'the tracking API of ACME',
  capabilities: ['read', 'push'],
  carriers: { yto: 'Y' },
  requires: {},
  settings: {
    token: credential('ACME_TOKEN', 'your token at ACME', 'https://acme.example'),
    key: credential('ACME_CALLBACK_KEY', 'the key that ACME signs with', 'https://acme.example', {
      verifiesCallbacks: true,
    }),
  },
  limits: { batchSize: 1, concurrency: 1, callsPerSecond: 1, floorSeconds: 0 },
  callbacks: {
    ...{ subscribe: 'before-reading', batchSize: 40, firstCallbackSeconds: 60, resubscribeSeconds: 0 },
    verify: (_request, { settings }) => settings.key === 'k',
    parse: () => [],
    accepted: { status: 200, type: 'text/plain', body: 'ok' },
  },
  answers: 'JSON',
  parse: () => [],
  connect: () => ({ ask: async () => [], subscribe: async () => [] }),
});
const ENV = { ACME_TOKEN: 't', ACME_CALLBACK_KEY: 'k' };

test('the API gets the secrets that verify callbacks, and no others', () => {
  const given = (connects: boolean) => providerSettings({ connects }, [acme]).settings.map(({ env }) => env);
  expect(given(false)).toEqual(['ACME_CALLBACK_KEY']);
  expect(given(true)).toEqual(['ACME_TOKEN', 'ACME_CALLBACK_KEY']);
  expect(callbackReceivers(ENV, SECRET, [acme]).map(({ keys }) => keys.settings)).toEqual([{ key: 'k' }]);
});

test('the address that a provider gets is the one that receives its callbacks', () => {
  const [receiver] = callbackReceivers(ENV, SECRET, [acme]);
  const { url, salt } = callbackAddress('acme', { baseUrl: 'https://api.example/', secret: SECRET });
  expect(url).toBe(`https://api.example/callbacks/acme/${receiver?.token}`);
  expect(salt).toBe(receiver?.keys.salt);
});

test('nothing is received without a secret, or from a disabled provider', () => {
  expect(callbackReceivers(ENV, undefined, [acme])).toEqual([]);
  expect(callbackReceivers({}, SECRET, [acme])).toEqual([]);
});

test('the public part of a provider’s callbacks has no keys', () => {
  const [provider] = knownProviders(ENV, [acme]);
  expect(provider?.callbacks).toEqual({
    ...{ title: 'ACME', subscribe: 'before-reading', batchSize: 40, firstCallbackSeconds: 60, resubscribeSeconds: 0 },
  });
});
