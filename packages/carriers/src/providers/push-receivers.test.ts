import { knownProviders, providerSettings } from './configured.ts';
import { credential, defineProvider } from './manifest.ts';
import { pushCallback, pushReceivers } from './push-receivers.ts';

const SECRET = 'a secret of the installation, 32+ characters';

const pushing = defineProvider({
  name: 'acme',
  title: 'ACME',
  about: 'the tracking API of ACME',
  capabilities: ['read', 'push'],
  carriers: { yto: 'Y' },
  requires: {},
  settings: {
    token: credential('ACME_TOKEN', 'your token at ACME', 'https://acme.example'),
    key: credential('ACME_PUSH_KEY', 'the key that ACME signs with', 'https://acme.example', { verifiesPushes: true }),
  },
  limits: { batchSize: 1, concurrency: 1, callsPerSecond: 1, floorSeconds: 0 },
  push: {
    ...{ subscribe: 'before-reading', batchSize: 40, firstPushSeconds: 60, resubscribeSeconds: 0 },
    verify: (_request, { settings }) => settings.key === 'k',
    parse: () => [],
    accepted: { status: 200, type: 'text/plain', body: 'ok' },
  },
  parse: () => [],
  connect: () => ({ ask: async () => [], subscribe: async () => [] }),
});
const ENV = { ACME_TOKEN: 't', ACME_PUSH_KEY: 'k' };

test('the API gets the secrets that verify pushes, and no others', () => {
  const given = (connects: boolean) => providerSettings({ connects }, [pushing]).settings.map(({ env }) => env);
  expect(given(false)).toEqual(['ACME_PUSH_KEY']);
  expect(given(true)).toEqual(['ACME_TOKEN', 'ACME_PUSH_KEY']);
  expect(pushReceivers(ENV, SECRET, [pushing]).map(({ keys }) => keys.settings)).toEqual([{ key: 'k' }]);
});

test('the address that a provider gets is the one that receives its pushes', () => {
  const [receiver] = pushReceivers(ENV, SECRET, [pushing]);
  const { url, salt } = pushCallback('acme', { baseUrl: 'https://api.example/', secret: SECRET });
  expect(url).toBe(`https://api.example/callbacks/acme/${receiver?.token}`);
  expect(salt).toBe(receiver?.keys.salt);
});

test('nothing is received without a secret, or from a disabled provider', () => {
  expect(pushReceivers(ENV, undefined, [pushing])).toEqual([]);
  expect(pushReceivers({}, SECRET, [pushing])).toEqual([]);
});

test('the public part of a provider’s pushes has no keys', () => {
  const [provider] = knownProviders(ENV, [pushing]);
  expect(provider?.push).toEqual({
    ...{ title: 'ACME', subscribe: 'before-reading', batchSize: 40, firstPushSeconds: 60, resubscribeSeconds: 0 },
  });
});
