import {
  ACTIVE_SUB_STATUSES,
  EXCEPTION_FAMILY,
  eventsBetween,
  isStatus,
  isSubStatus,
  overallStatus,
  STATUSES,
  type Status,
  SUB_STATUSES,
  type SubStatus,
  TRACKING_EVENT_KINDS,
  type TrackingEventKind,
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

const UPDATE: TrackingEventKind[] = ['tracking_update'];
const DELIVERED: TrackingEventKind[] = ['tracking_update', 'tracking_delivered'];
const EXCEPTION: TrackingEventKind[] = ['tracking_update', 'tracking_exception'];

const at = (subStatus: SubStatus, status: Status = overallStatus(subStatus)) => ({ subStatus, status });

// biome-ignore format: one transition per line is readable as a table
const TRANSITIONS: readonly (readonly [from: SubStatus, to: SubStatus, emits: TrackingEventKind[]])[] = [
  ['pending', 'info_received', UPDATE],
  ['pending', 'in_transit', UPDATE],
  ['pending', 'delivered', DELIVERED],
  ['pending', 'returned', EXCEPTION],
  ['info_received', 'in_transit', UPDATE],
  ['in_transit', 'out_for_delivery', UPDATE],
  ['in_transit', 'available_for_pickup', UPDATE],
  ['in_transit', 'exception', EXCEPTION],
  ['in_transit', 'undeliverable', EXCEPTION],
  ['in_transit', 'returned', EXCEPTION],
  ['in_transit', 'delivered', DELIVERED],
  ['out_for_delivery', 'delivered', DELIVERED],
  ['out_for_delivery', 'in_transit', UPDATE],
  ['available_for_pickup', 'delivered', DELIVERED],
  ['exception', 'in_transit', UPDATE],
  ['exception', 'delivered', DELIVERED],
  ['exception', 'undeliverable', EXCEPTION],
  ['exception', 'returned', EXCEPTION],
  ['undeliverable', 'returned', EXCEPTION],
  ['delivered', 'returned', EXCEPTION],
];

test.each(TRANSITIONS)('from %s to %s emits %j', (from, to, emits) => {
  expect(eventsBetween(at(from), at(to), true)).toEqual(emits);
});

test.each(SUB_STATUSES)('%s that does not change emits nothing', (state) => {
  expect(eventsBetween(at(state), at(state), false)).toEqual([]);
});

test.each(SUB_STATUSES)('a new scan of a parcel that stays %s is only an update', (state) => {
  expect(eventsBetween(at(state), at(state), true)).toEqual(UPDATE);
});

test('a change of only the sub-status is an update', () => {
  expect(eventsBetween(at('pending'), at('in_transit'), false)).toEqual(UPDATE);
});

test('expiring is an update', () => {
  expect(eventsBetween(at('in_transit'), at('expired', '查询中'), false)).toEqual(UPDATE);
});

test('a delivered parcel that expired and is delivered again was delivered once', () => {
  expect(eventsBetween(at('expired', '已签收'), at('delivered'), true)).toEqual(UPDATE);
});

test('an expired parcel that is finally delivered emits delivered', () => {
  expect(eventsBetween(at('expired', '查询中'), at('delivered'), true)).toEqual(DELIVERED);
});

test('of every two states: the update comes first, and delivered and exception never together', () => {
  for (const from of SUB_STATUSES) {
    for (const to of SUB_STATUSES) {
      const kinds = eventsBetween(at(from), at(to), true);
      expect(kinds[0]).toBe('tracking_update');
      expect(kinds.length).toBeLessThanOrEqual(2);
      expect(kinds).toEqual(TRACKING_EVENT_KINDS.filter((kind) => kinds.includes(kind)));
    }
  }
});
