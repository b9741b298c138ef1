import { withCallbackFaults } from './callback-settings.ts';
import { ConfigError, loadConfig } from './config.ts';
import { CALLBACK_SETTINGS } from './settings.ts';

const load = (env: Record<string, string>) =>
  loadConfig(env, CALLBACK_SETTINGS, withCallbackFaults({ settings: [], faults: () => [] }));
const GOOD = { CALLBACK_BASE_URL: 'https://api.example', CALLBACK_SECRET: 'x'.repeat(32) };

test.each([
  ['an address without a secret', { CALLBACK_BASE_URL: 'https://api.example' }, 'CALLBACK_SECRET is missing'],
  ['a short secret', { ...GOOD, CALLBACK_SECRET: 'x'.repeat(31) }, 'CALLBACK_SECRET has 31 characters, at least 32'],
  ['an invalid address', { ...GOOD, CALLBACK_BASE_URL: 'api.example' }, 'CALLBACK_BASE_URL is not a URL'],
  ['no seconds', { ...GOOD, CALLBACK_SAFETY_NET_SECONDS: '0' }, 'CALLBACK_SAFETY_NET_SECONDS must be at least 1'],
])('%s is refused with the variable and the fix', (_what, env, text) => {
  expect(() => load(env)).toThrow(ConfigError);
  expect(() => load(env)).toThrow(text);
});
