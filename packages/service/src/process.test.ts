import { withLimitFaults } from './process.ts';

const faultsOf = withLimitFaults({ settings: [], faults: () => ['another fault'] }).faults;

test.each(['foo=1', 'gold:shipments=5', 'pro:shipments=x'])('%s is reported with the other faults', (wrong) => {
  expect(faultsOf({ RATE_LIMITS: `trackings.get=50,${wrong}` })).toEqual([
    'another fault',
    expect.stringMatching(
      new RegExp(`^RATE_LIMITS has "${wrong}", .*; plans are free, pro, enterprise; endpoints are trackings.create, `),
    ),
  ]);
});

test.each([{}, { RATE_LIMITS: 'trackings.get=0, pro:shipments=50' }, { RATE_LIMITS: 'off' }])(
  '%j has no fault',
  (env) => {
    expect(faultsOf(env)).toEqual(['another fault']);
  },
);
