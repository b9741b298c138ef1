import { callbackAddress, callbackReceivers } from './callback-receivers.ts';
import { knownProviders, providerSettings } from './configured.ts';
import { credential, defineProvider } from './manifest.ts';

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
