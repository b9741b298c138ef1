import { knownProviders, providerSettings } from './configured.ts';
import { routeFor } from './routes.ts';

const BOTH = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k', SANDBOX_URL: 'http://127.0.0.1:4010' };
const routeOf = (carrier: string, PROVIDER_ROUTES?: string) =>
  routeFor(carrier, knownProviders({ ...BOTH, ...(PROVIDER_ROUTES && { PROVIDER_ROUTES }) })).map(({ name }) => name);
const faultsOf = (PROVIDER_ROUTES: string) =>
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
  expect(faultsOf(routes)).toEqual([fault]);
});

test('a valid route is not reported', () => {
  expect(faultsOf('yto=sandbox,kuaidi100; zto=kuaidi100')).toEqual([]);
});
