import { tokensInMemory } from '../testing/tokens.ts';
import { connectedProviders, knownProviders, providerSettings } from './configured.ts';
import { PROVIDERS } from './index.ts';
import { mergedOverrides, overridesFor, playedProviders } from './overrides.ts';

const faultsOf = (env: Record<string, string>) => providerSettings({ connects: false }).faults(env);

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
  expect(faultsOf({ [variable]: text })).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
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
