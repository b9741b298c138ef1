import { knownProviders, providerFor } from '../configured.ts';

test('it is preferred to DHL Unified, which accepts one number per call and few calls a day', () => {
  const providers = knownProviders({ PROVIDERS: 'dhl-unified,dhl-paket' });
  expect(providerFor('dhl-paket', providers)?.name).toBe('dhl-paket');
  expect(providerFor('dhl', providers)?.name).toBe('dhl-unified');
});
