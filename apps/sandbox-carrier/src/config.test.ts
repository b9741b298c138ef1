import { readConfig } from './config.ts';

test('no setting is required', () => {
  expect(readConfig({ PORT: '', SANDBOX_STATE_FILE: '' })).toEqual({
    host: '127.0.0.1',
    port: 8090,
    speed: 1,
    stateFile: null,
    rateLimits: true,
    callbackTargets: {},
    kuaidi100: { customer: 'sandbox-customer', key: 'sandbox-key' },
    logRequests: false,
    logLevel: 'info',
    logFormat: 'json',
  });
});

test('every setting is read', () => {
  const env = {
    PORT: '0',
    HOST: '::1',
    SANDBOX_SPEED: '0.5',
    SANDBOX_STATE_FILE: '/tmp/s',
    LOG_LEVEL: 'debug',
    SANDBOX_RATE_LIMITS: 'false',
    SANDBOX_CALLBACK_TARGETS: '17track=http://api/callbacks/17track/t=1, ups=http://api/s',
  };
  expect(readConfig(env)).toEqual({
    host: '::1',
    port: 0,
    speed: 0.5,
    stateFile: '/tmp/s',
    rateLimits: false,
    callbackTargets: { '17track': 'http://api/callbacks/17track/t=1', ups: 'http://api/s' },
    kuaidi100: { customer: 'sandbox-customer', key: 'sandbox-key' },
    logRequests: true,
    logLevel: 'debug',
    logFormat: 'json',
  });
});

test.each([
  [{ PORT: 'http' }, /^PORT/],
  [{ PORT: '70000' }, /^PORT/],
  [{ SANDBOX_SPEED: '0' }, /^ {2}SANDBOX_SPEED must be above 0/m],
  [{ SANDBOX_RATE_LIMITS: 'no' }, /^SANDBOX_RATE_LIMITS/],
  [{ SANDBOX_CALLBACK_TARGETS: '17track' }, /^SANDBOX_CALLBACK_TARGETS/],
  [{ PORT: '-1', SANDBOX_RATE_LIMITS: 'no' }, /^PORT.*; SANDBOX_RATE_LIMITS/],
])('%j is refused with the setting named', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});
