import { overallStatus, STATUSES, type Status, type SubStatus, watchOf } from './status.ts';

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
