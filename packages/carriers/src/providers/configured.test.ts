import { tokensInMemory } from '../testing/tokens.ts';
import { connectedProviders, knownProviders, providerSettings, providersOff } from './configured.ts';
import { providerFor } from './routes.ts';

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
