import { EVENT_KINDS, type EventKind, eventsBetween } from './emit.ts';
import { overallStatus, type Status, SUB_STATUSES, type SubStatus } from './status.ts';

const UPDATE: EventKind[] = ['tracking_update'];
const DELIVERED: EventKind[] = ['tracking_update', 'tracking_delivered'];
const EXCEPTION: EventKind[] = ['tracking_update', 'tracking_exception'];

const at = (subStatus: SubStatus, status: Status = overallStatus(subStatus)) => ({ subStatus, status });

// biome-ignore format: one transition per line is readable as a table
const TRANSITIONS: readonly (readonly [from: SubStatus, to: SubStatus, emits: EventKind[]])[] = [
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
      expect(kinds).toEqual(EVENT_KINDS.filter((kind) => kinds.includes(kind)));
    }
  }
});
