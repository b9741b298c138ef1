import { withApiFaults } from './config.ts';

const faultsOf = withApiFaults({ settings: [], faults: () => ['another fault'] }).faults;

test('wrong limits and proxies are reported with the other faults, each with its variable', () => {
  const [first, ...own] = faultsOf({ RATE_LIMITS: 'trackings.get=50,foo=1', TRUST_PROXY: '10.0.0.0/8,nearby' });
  expect(first).toBe('another fault');
  expect(own).toEqual([
    expect.stringMatching(/^RATE_LIMITS has "foo=1", which is not endpoint=number; endpoints are trackings.create, /),
    'TRUST_PROXY must be a number of hops or a list of ranges: invalid IP address: nearby',
  ]);
});

test.each([
  {},
  { RATE_LIMITS: 'trackings.get=0, shipments=50', TRUST_PROXY: '2' },
  { RATE_LIMITS: 'off', TRUST_PROXY: 'loopback, 10.0.0.0/255.0.0.0, fd00::/8' },
])('%j has no fault', (env) => {
  expect(faultsOf(env)).toEqual(['another fault']);
});
