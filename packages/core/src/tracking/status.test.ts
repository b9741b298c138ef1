import {
  ACTIVE_SUB_STATUSES,
  EXCEPTION_FAMILY,
  isStatus,
  isSubStatus,
  overallStatus,
  STATUSES,
  type Status,
  SUB_STATUSES,
  type SubStatus,
  watchOf,
} from './status.ts';

const TABLE: readonly (readonly [SubStatus, Status, 'regularly' | 'once-more'])[] = [
  ['pending', '查询中', 'regularly'],
  ['info_received', '查询中', 'regularly'],
  ['in_transit', '查询中', 'regularly'],
  ['out_for_delivery', '派送中', 'regularly'],
  ['available_for_pickup', '派送中', 'regularly'],
  ['delivered', '已签收', 'once-more'],
  ['exception', '异常', 'regularly'],
  ['undeliverable', '异常', 'regularly'],
  ['returned', '异常', 'once-more'],
];

test.each(TABLE)('%s is shown as %s, and its polling is %s', (subStatus, status, watch) => {
  for (const previous of STATUSES) expect(overallStatus(subStatus, previous)).toBe(status);
  expect(overallStatus(subStatus)).toBe(status);
  expect(watchOf(subStatus)).toBe(watch);
});

test.each(STATUSES)('an expired parcel stays %s, and polling stops', (status) => {
  expect(overallStatus('expired', status)).toBe(status);
  expect(watchOf('expired')).toBe('never');
});

test('there are no statuses and sub-statuses beyond the table', () => {
  expect(STATUSES).toEqual(['查询中', '派送中', '已签收', '异常']);
  expect([...SUB_STATUSES].sort()).toEqual([...TABLE.map(([subStatus]) => subStatus), 'expired'].sort());
});

test('a parcel is active until it is delivered, returned or expired', () => {
  expect(SUB_STATUSES.filter((subStatus) => !ACTIVE_SUB_STATUSES.includes(subStatus))).toEqual([
    ...['delivered', 'returned', 'expired'],
  ]);
});

test('the exception family is exception, undeliverable and returned', () => {
  expect(EXCEPTION_FAMILY).toEqual(['exception', 'undeliverable', 'returned']);
});

test.each(STATUSES)('%s is a status and not a sub-status', (text) => {
  expect([isStatus(text), isSubStatus(text)]).toEqual([true, false]);
});

test.each(SUB_STATUSES)('%s is a sub-status and not a status', (text) => {
  expect([isStatus(text), isSubStatus(text)]).toEqual([false, true]);
});

test.each(['', 'Delivered', 'toString', '__proto__', '已签收 '])('"%s" is neither', (text) => {
  expect([isStatus(text), isSubStatus(text)]).toEqual([false, false]);
});
