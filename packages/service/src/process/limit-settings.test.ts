import { withLimitFaults } from './limit-settings.ts';

const faultsOf = withLimitFaults({ settings: [], faults: () => ['another fault'] }).faults;

test('a wrong limit is reported with the other faults', () => {
  expect(faultsOf({ RATE_LIMITS: 'trackings.get=50,foo=1' })).toEqual([
    'another fault',
    expect.stringMatching(/^RATE_LIMITS has "foo=1", which is not endpoint=number; endpoints are trackings.create, /),
  ]);
});

test.each([{}, { RATE_LIMITS: 'trackings.get=0, shipments=50' }, { RATE_LIMITS: 'off' }])('%j has no fault', (env) => {
  expect(faultsOf(env)).toEqual(['another fault']);
});
