import fc from 'fast-check';
import { deriveSubStatus, type Milestones, milestonesOf, problemOf, proofOf } from './derive.ts';
import { fold } from './fold.ts';
import type { Course, Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES, type SubStatus } from './status.ts';

/** A scan a day, in order: a status, or a status and the course that it begins. */
type Step = ScanStatus | readonly [ScanStatus, Course];

function history(...steps: Step[]): Scan[] {
  return steps.map((step, index) => {
    const [status, course] = typeof step === 'string' ? [step] : step;
    const time = `2026-03-${10 + index}T08:00:00Z`;
    const scan: Scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: status, status };
    return course === undefined ? scan : { ...scan, course };
  });
}

const stateOf = (...steps: Step[]) => deriveSubStatus(history(...steps));
const reported = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
const REFUSED = ['exception', 'refused'] as const;
const GOING_BACK = ['exception', 'going_back'] as const;

test('without scans it is pending', () => {
  expect(stateOf()).toBe('pending');
});

test.each(reported)('after only %s it is that', (status) => {
  expect(stateOf(status)).toBe(status);
});

// biome-ignore format: one history per line is readable as a table
test.each<[string, Step[], SubStatus]>([
  ['the newest scan decides', ['info_received', 'in_transit', 'out_for_delivery', 'delivered'], 'delivered'],
  ['a parcel that missed its delivery moves on', ['out_for_delivery', 'in_transit'], 'in_transit'],
  ['trouble ends with movement', ['out_for_delivery', 'exception', 'in_transit'], 'in_transit'],
  ['trouble ends with the next delivery run', ['exception', 'out_for_delivery'], 'out_for_delivery'],
  ['an undelivered parcel waits at a pickup point', ['out_for_delivery', 'undeliverable', 'available_for_pickup'], 'available_for_pickup'],
  ['a label does not undo movement', ['in_transit', 'info_received'], 'in_transit'],
  ['a label does not undo trouble', ['exception', 'info_received'], 'exception'],
  ['two labels are one', ['info_received', 'info_received'], 'info_received'],
  ['movement after the delivery changes nothing', ['delivered', 'in_transit'], 'delivered'],
  ['trouble after the delivery changes nothing', ['delivered', 'exception'], 'delivered'],
  ['a label after the delivery changes nothing', ['delivered', 'info_received'], 'delivered'],
  ['a return undoes a delivery', ['delivered', 'returned'], 'returned'],
  ['a return after a lost delivery run undoes a delivery', ['delivered', 'out_for_delivery', 'returned'], 'returned'],
  ['movement after the return changes nothing', ['returned', 'in_transit'], 'returned'],
  ['a parcel going back is in trouble', ['out_for_delivery', GOING_BACK], 'exception'],
  ['a parcel that moves on its way back is still in trouble', [GOING_BACK, 'in_transit', 'out_for_delivery'], 'exception'],
  ['delivered after going back is delivered to the sender', [GOING_BACK, 'in_transit', 'delivered'], 'returned'],
  ['delivered after going back and a delivery run is delivered to the sender', [GOING_BACK, 'out_for_delivery', 'delivered'], 'returned'],
  ['a signature for a returning parcel is not a delivery', ['delivered', GOING_BACK], 'exception'],
  ['a delivered parcel that goes back is returned in the end', ['delivered', GOING_BACK, 'delivered'], 'returned'],
  ['a refused parcel is in trouble', ['out_for_delivery', REFUSED], 'exception'],
  ['a refused parcel that moves is on its way', [REFUSED, 'in_transit'], 'in_transit'],
  ['delivered after a refusal is delivered to the sender', [REFUSED, 'in_transit', 'delivered'], 'returned'],
  ['out for delivery after a refusal counts', [REFUSED, 'out_for_delivery'], 'out_for_delivery'],
  ['delivered on another run after a refusal is delivered', [REFUSED, 'in_transit', 'out_for_delivery', 'delivered'], 'delivered'],
  ['collected from a pickup point after a refusal is delivered', [REFUSED, 'available_for_pickup', 'delivered'], 'delivered'],
  ['a refusal on the way back does not stop it', [GOING_BACK, REFUSED, 'out_for_delivery', 'delivered'], 'returned'],
  ['a returned parcel is not delivered by a later scan', [GOING_BACK, 'returned', 'delivered'], 'returned'],
])('%s', (_promise, steps, state) => {
  expect(stateOf(...steps)).toBe(state);
});

test('a shipment of several pieces is delivered when all are', () => {
  const scans = history('in_transit', 'delivered');
  expect(deriveSubStatus(scans, { total: 3, delivered: 1 })).toBe('out_for_delivery');
  expect(deriveSubStatus(scans, { total: 3, delivered: 3 })).toBe('delivered');
});

test('of two scans in the same second, the one further along decides, in whatever order they arrived', () => {
  const [arrived, leaving] = history('in_transit', 'out_for_delivery').map((s) => ({
    ...s,
    time: '2026-03-03T08:00:00Z',
  }));
  if (!arrived || !leaving) throw new Error('two scans');
  for (const answer of [
    [arrived, leaving],
    [leaving, arrived],
  ])
    expect(deriveSubStatus(fold([], answer).scans)).toBe('out_for_delivery');
});

/** A scan a day with more than its status: day 10 of March first. */
const told = (...steps: [ScanStatus, Partial<Scan>?][]): Scan[] =>
  history(...steps.map(([status]) => status)).map((scan, index) => ({ ...scan, ...steps[index]?.[1] }));
const day = (n: number) => `2026-03-${n}T08:00:00Z`;

// biome-ignore format: one history per line is readable as a table
test.each<[string, [ScanStatus, Partial<Scan>?][], string | undefined]>([
  ['nothing is wrong', [['in_transit']], undefined],
  ['it is only late', [['in_transit', { problem: 'delayed' }]], 'delayed'],
  ['it is no longer late', [['in_transit', { problem: 'weather' }], ['in_transit']], undefined],
  ['papers after the delay say nothing', [['in_transit', { problem: 'delayed' }], ['info_received']], 'delayed'],
  ['customs holds it', [['exception', { problem: 'customs' }], ['info_received']], 'customs'],
  ['another trouble follows', [['exception', { problem: 'customs' }], ['exception', { problem: 'damaged' }]], 'damaged'],
  ['trouble of an unknown kind', [['exception']], 'other'],
  ['it cannot be delivered', [['undeliverable']], 'failed_attempt'],
  ['the state of the parcel says why', [['in_transit', { parcel: { status: 'exception', problem: 'lost' } }]], 'lost'],
  ['it is refused', [['exception', { course: 'refused' }]], 'refused'],
  ['it goes back, whatever else', [['exception', { course: 'going_back' }], ['exception', { problem: 'customs' }]], 'returning'],
  ['it is back', [['exception', { course: 'going_back' }], ['returned']], undefined],
  ['it was delivered after all', [['exception', { problem: 'address' }], ['delivered']], undefined],
])('the problem when %s', (_what, steps, problem) => {
  const scans = told(...steps);
  expect(problemOf(scans, deriveSubStatus(scans))).toBe(problem);
});

// biome-ignore format: one history per line is readable as a table
test.each<[string, [ScanStatus, Partial<Scan>?][], Milestones | undefined]>([
  ['only announced', [['info_received']], undefined],
  ['whose pick-up failed', [['info_received'], ['exception']], undefined],
  ['on its way', [['info_received'], ['in_transit'], ['in_transit']], { pickedUpAt: day(11) }],
  ['delivered at once', [['in_transit'], ['out_for_delivery'], ['delivered'], ['delivered']],
    { pickedUpAt: day(10), outForDeliveryAt: day(11), firstAttemptAt: day(12), deliveredAt: day(12) }],
  ['delivered at the second attempt', [['in_transit'], ['out_for_delivery'], ['exception', { problem: 'recipient_unavailable' }], ['out_for_delivery'], ['delivered']],
    { pickedUpAt: day(10), outForDeliveryAt: day(11), firstAttemptAt: day(12), deliveredAt: day(14) }],
  ['held by customs', [['in_transit'], ['exception', { problem: 'customs' }]], { pickedUpAt: day(10) }],
  ['refused', [['in_transit'], ['exception', { course: 'refused' }]], { pickedUpAt: day(10), firstAttemptAt: day(11) }],
  ['out again after a delivery that was none', [['out_for_delivery'], ['delivered'], ['out_for_delivery'], ['delivered']],
    { pickedUpAt: day(10), outForDeliveryAt: day(10), firstAttemptAt: day(11), deliveredAt: day(13) }],
  ['collected at a pick-up point', [['available_for_pickup'], ['delivered']],
    { pickedUpAt: day(10), firstAttemptAt: day(11), deliveredAt: day(11) }],
  ['back at its sender', [['in_transit'], ['exception', { course: 'going_back' }], ['returned']], { pickedUpAt: day(10) }],
])('the milestones of a parcel that is %s', (_what, steps, milestones) => {
  const scans = told(...steps);
  expect(milestonesOf(scans, deriveSubStatus(scans), undefined)).toEqual(milestones);
});

test('a shipment is delivered with its last piece', () => {
  const scans = told(['in_transit'], ['delivered'], ['delivered']);
  const pieces = { total: 2, delivered: 2 };
  expect(milestonesOf(scans, deriveSubStatus(scans, pieces), pieces)).toMatchObject({ deliveredAt: day(12) });
});

test('milestones, problem and proof do not depend on how the scans came in', () => {
  const steps: [ScanStatus, Partial<Scan>?][] = [
    ['info_received'],
    ['in_transit', { problem: 'delayed' }],
    ['out_for_delivery'],
    ['exception', { problem: 'address' }],
    ['out_for_delivery'],
    ['delivered', { proof: { to: 'neighbor' } }],
    ['delivered', { proof: { signedBy: 'HOLT' } }],
  ];
  const whole = told(...steps);
  const facts = (scans: readonly Scan[]) => {
    const state = deriveSubStatus(scans);
    return [problemOf(scans, state), milestonesOf(scans, state, undefined), proofOf(scans, state, undefined)];
  };
  expect(facts(whole)[2]).toEqual({ to: 'neighbor', signedBy: 'HOLT' });
  fc.assert(
    fc.property(fc.array(fc.shuffledSubarray(whole), { maxLength: 4 }), (answers) => {
      const before = answers.reduce<Scan[]>((known, answer) => fold(known, answer).scans, []);
      expect(facts(fold(before, whole).scans)).toEqual(facts(whole));
    }),
  );
  // Withdrawn: the parcel is where it was before.
  const withdrawn = fold(whole, whole.slice(0, 5)).scans;
  expect(facts(withdrawn)).toEqual(facts(whole.slice(0, 5)));
});
