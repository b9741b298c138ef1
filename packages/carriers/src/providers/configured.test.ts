import { tokensInMemory } from '../testing/tokens.ts';
import { connectedProviders, knownProviders, providerSettings } from './configured.ts';
import { providerFor } from './routes.ts';

type Env = Record<string, string>;

const KUAIDI100 = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k' };
const SANDBOX = { SANDBOX_URL: 'http://127.0.0.1:4010' };
const namesOn = (env: Env) => knownProviders(env).map(({ name }) => name);
const faultsOf = (env: Env, connects = true) => providerSettings({ connects }).faults(env);

describe('the enabled providers are', () => {
  test('without PROVIDERS those whose required settings are there', () => {
    expect(namesOn(KUAIDI100)).toEqual(['kuaidi100']);
    expect(namesOn({ ...KUAIDI100, ...SANDBOX })).toEqual(['kuaidi100', 'sandbox']);
    expect(namesOn({ ...KUAIDI100, SANDBOX_URL: ' ' })).toEqual(['kuaidi100']);
  });

  test('those that PROVIDERS names and no other, in our order of preference', () => {
    expect(namesOn({ ...KUAIDI100, ...SANDBOX, PROVIDERS: 'sandbox' })).toEqual(['sandbox']);
    expect(namesOn({ ...KUAIDI100, ...SANDBOX, PROVIDERS: ' Sandbox, kuaidi100,' })).toEqual(['kuaidi100', 'sandbox']);
  });
});

describe('an invalid environment', () => {
  test('a missing key is reported to the process that needs it', () => {
    const env = { PROVIDERS: 'kuaidi100', KUAIDI100_CUSTOMER: 'c' };
    expect(faultsOf(env)).toEqual(['KUAIDI100_KEY is missing: your key at Kuaidi100; PROVIDERS names kuaidi100']);
    expect(faultsOf(env, false)).toEqual([]);
    expect(() => connectedProviders(env, { tokens: tokensInMemory() })).toThrow('KUAIDI100_KEY is missing');
  });
});

describe('which provider serves a carrier', () => {
  const nameFor = (carrier: string, env: Env) => providerFor(carrier, knownProviders(env))?.name;

  test('Kuaidi100 is preferred if it has a code for the carrier; the sandbox serves the rest', () => {
    expect(nameFor('yto', { ...KUAIDI100, ...SANDBOX })).toBe('kuaidi100');
    expect(nameFor('gofo', { ...KUAIDI100, ...SANDBOX })).toBe('sandbox');
  });
});

test('a carrier’s own API is preferred to an aggregator that serves it, too', () => {
  const UPS = { UPS_CLIENT_ID: 'c', UPS_CLIENT_SECRET: 's' };
  const nameFor = (env: Env) => providerFor('ups', knownProviders(env))?.name;
  expect(nameFor({ ...KUAIDI100, ...SANDBOX, ...UPS })).toBe('ups');
  expect(nameFor({ ...KUAIDI100, ...SANDBOX })).toBe('kuaidi100');
});
