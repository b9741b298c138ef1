import { ConfigError, loadConfig } from './config.ts';
import { withPushFaults } from './push-settings.ts';
import { PUSH_SETTINGS } from './settings.ts';

const load = (env: Record<string, string>) =>
  loadConfig(env, PUSH_SETTINGS, withPushFaults({ settings: [], faults: () => [] }));
const GOOD = { PUSH_BASE_URL: 'https://api.example', PUSH_SECRET: 'x'.repeat(32) };

test('without an address nothing is pushed, and no secret is needed', () => {
  expect(load({})).toEqual({ pushBaseUrl: undefined, pushSecret: undefined, pushSafetyNetSeconds: 21_600 });
});

test('an address and a secret are all that is needed', () => {
  expect(load(GOOD)).toMatchObject({ pushBaseUrl: 'https://api.example', pushSecret: 'x'.repeat(32) });
});

test.each([
  ['an address without a secret', { PUSH_BASE_URL: 'https://api.example' }, 'PUSH_SECRET is missing'],
  ['a short secret', { ...GOOD, PUSH_SECRET: 'x'.repeat(31) }, 'PUSH_SECRET has 31 characters, at least 32'],
  ['an invalid address', { ...GOOD, PUSH_BASE_URL: 'api.example' }, 'PUSH_BASE_URL must match'],
  ['no seconds', { ...GOOD, PUSH_SAFETY_NET_SECONDS: '0' }, 'PUSH_SAFETY_NET_SECONDS must be >= 1'],
])('%s is refused with the variable and the fix', (_what, env, text) => {
  expect(() => load(env)).toThrow(ConfigError);
  expect(() => load(env)).toThrow(text);
});
