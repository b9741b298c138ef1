import type { DeliveryEstimate } from './estimates.ts';
import { isGone, type Situation, situationOf, stepsOf } from './page.ts';
import { type ParcelProblem, PROBLEMS, type Scan } from './tracking/scan.ts';
import type { ScanStatus, SubStatus } from './tracking/status.ts';

/** Noon of a Tuesday in Berlin; in Auckland it is already Wednesday. */
const NOW = new Date('2031-03-04T11:00:00Z');

function scan(time: string, status: ScanStatus, description = '', more: Partial<Scan> = {}): Scan {
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description, status, ...more };
}

const MOVED = scan('2031-03-03T08:00:00Z', 'in_transit');
const OUT = scan('2031-03-04T07:00:00Z', 'out_for_delivery');

type More = { scans?: Scan[]; estimate?: DeliveryEstimate; createdAt?: Date; zone?: string };

function situation(subStatus: SubStatus, { scans = [MOVED], zone = 'Europe/Berlin', ...more }: More = {}): Situation {
  return situationOf({ subStatus, scans, createdAt: NOW, zone, now: NOW, ...more });
}

const carrier = (from: string, to = from): DeliveryEstimate => ({ from, to, source: 'carrier' });
const history = (from: string, to = from): DeliveryEstimate => ({ from, to, source: 'history' });

// biome-ignore format: one parcel per line is readable as a table
test.each<[string, SubStatus, More, Partial<Situation>]>([
  ['on its way without an estimate names no day', 'in_transit', {}, { headline: 'on_its_way', day: null, expectation: null }],
  ['with an estimate', 'in_transit', { estimate: carrier('2031-03-06') }, { headline: 'expected', day: '2031-03-06' }],
  ['promised by the carrier for today', 'in_transit', { estimate: carrier('2031-03-04') }, { headline: 'arriving_today', day: '2031-03-04' }],
  ['estimated for today is only expected', 'in_transit', { estimate: history('2031-03-04') }, { headline: 'expected', day: '2031-03-04' }],
  ['in a window that has begun, expected from today on', 'in_transit', { estimate: history('2031-03-02', '2031-03-06') }, { headline: 'expected', day: '2031-03-04' }],
  ['late', 'in_transit', { estimate: carrier('2031-03-03') }, { headline: 'late', day: null, nextStep: 'late', tone: 'trouble' }],
  ['today in Berlin is not today in Auckland', 'in_transit', { estimate: carrier('2031-03-04'), zone: 'Pacific/Auckland' }, { headline: 'late' }],
  ['announced', 'info_received', { scans: [] }, { headline: 'announced', nextStep: 'announced' }],
  ['announced with a day', 'info_received', { scans: [], estimate: carrier('2031-03-06') }, { headline: 'expected', nextStep: 'announced' }],
  ['out for delivery since today', 'out_for_delivery', { scans: [MOVED, OUT] }, { headline: 'out_today', day: '2031-03-04', nextStep: 'out' }],
  ['out and promised for today', 'out_for_delivery', { scans: [MOVED, OUT], estimate: carrier('2031-03-04') }, { headline: 'arriving_today' }],
  ['out today, whatever similar parcels needed', 'out_for_delivery', { scans: [MOVED, OUT], estimate: history('2031-03-07') }, { headline: 'out_today', expectation: null }],
  ['out since yesterday: no day is invented', 'out_for_delivery', { scans: [{ ...OUT, time: '2031-03-03T07:00:00Z' }] }, { headline: 'out', day: null }],
  ['to be picked up', 'available_for_pickup', { estimate: carrier('2031-03-03') }, { headline: 'pickup', expectation: null, nextStep: 'pickup' }],
  ['delivered', 'delivered', { scans: [MOVED, scan('2031-03-03T23:30:00Z', 'delivered')] }, { headline: 'delivered', day: '2031-03-04', nextStep: null }],
  ['delivered, presumably', 'delivered', { scans: [scan('2031-02-20T08:00:00Z', 'available_for_pickup')] }, { headline: 'delivered_undated', day: null }],
  ['not found on the first day', 'pending', { scans: [] }, { headline: 'not_found', nextStep: 'not_found' }],
  ['not found after three days', 'pending', { scans: [], createdAt: new Date('2031-03-01T11:00:00Z') }, { headline: 'not_found', nextStep: 'not_found_long', tone: 'trouble' }],
  ['without news for long', 'expired', {}, { headline: 'expired', nextStep: 'expired' }],
])('%s', (_what, subStatus, more, expected) => {
  expect(situation(subStatus, more)).toMatchObject(expected);
});

const TROUBLE = scan('2031-03-04T09:00:00Z', 'exception');

// biome-ignore format: one parcel per line is readable as a table
test.each<[string, SubStatus, ParcelProblem, DeliveryEstimate | undefined, Partial<Situation>]>([
  ['held by customs', 'exception', 'customs', undefined, { headline: 'customs', nextStep: 'customs', tone: 'trouble' }],
  ['without its recipient, but expected again', 'exception', 'recipient_unavailable', carrier('2031-03-05'), { headline: 'expected', day: '2031-03-05', problem: 'recipient_unavailable', nextStep: 'recipient_unavailable', tone: 'trouble' }],
  ['delayed, with a day', 'in_transit', 'weather', carrier('2031-03-06'), { headline: 'expected', day: '2031-03-06', problem: 'weather', nextStep: 'weather', tone: 'trouble' }],
  ['delayed, without a day', 'in_transit', 'delayed', undefined, { headline: 'delayed', nextStep: 'delayed', tone: 'trouble' }],
  ['delayed beyond its day', 'in_transit', 'delayed', carrier('2031-03-03'), { headline: 'delayed', expectation: expect.objectContaining({ isLate: true }) }],
  ['lost: no day counts any more', 'exception', 'lost', carrier('2031-03-06'), { headline: 'lost', day: null, nextStep: 'lost', tone: 'failed' }],
  ['damaged', 'exception', 'damaged', undefined, { headline: 'damaged', tone: 'failed' }],
  ['undeliverable, and no more is known', 'undeliverable', 'failed_attempt', undefined, { headline: 'undeliverable', nextStep: 'undeliverable', tone: 'failed' }],
  ['undeliverable by its address', 'undeliverable', 'address', undefined, { headline: 'address', nextStep: 'address', tone: 'failed' }],
  ['out for delivery, but late', 'out_for_delivery', 'delayed', carrier('2031-03-04'), { headline: 'arriving_today', problem: 'delayed', tone: 'trouble' }],
])('a parcel that is %s', (_what, subStatus, problem, estimate, expected) => {
  const status = subStatus as Scan['status'];
  const scans = [MOVED, OUT, { ...TROUBLE, status, problem }];
  expect(situation(subStatus, { scans, ...(estimate && { estimate }) })).toMatchObject(expected);
});

test('every problem has words and advice, and a delivered parcel has none', () => {
  for (const problem of PROBLEMS) {
    const scans = [MOVED, { ...TROUBLE, problem }];
    expect(situation('exception', { scans })).toMatchObject({ headline: problem, problem, nextStep: problem });
    expect(situation('delivered', { scans: [...scans, { ...OUT, status: 'delivered' }] }).problem).toBeNull();
  }
});

describe('the way back', () => {
  const refused = scan('2031-03-04T08:00:00Z', 'exception', 'Refused', { course: 'refused' });
  const back = scan('2031-03-04T09:00:00Z', 'exception', 'Out for delivery to the sender', { course: 'going_back' });

  test('a refusal is said until the carrier tries again', () => {
    expect(situation('exception', { scans: [MOVED, refused] }).headline).toBe('refused');
    const again = scan('2031-03-04T10:00:00Z', 'exception', '', { problem: 'recipient_unavailable' });
    expect(situation('exception', { scans: [MOVED, refused, OUT, again] }).headline).toBe('recipient_unavailable');
  });

  test('a parcel that goes back stays on its way back, until it is back', () => {
    expect(situation('exception', { scans: [MOVED, refused, back, MOVED] }).headline).toBe('returning');
    const both: Scan = { ...back, parcel: { status: 'exception', course: 'refused' } };
    expect(situation('exception', { scans: [MOVED, both] }).headline).toBe('returning');
    expect(situation('returned', { scans: [MOVED, back] })).toMatchObject({ headline: 'returned', tone: 'failed' });
  });

  test('its steps end at the sender', () => {
    expect(stepsOf('exception', [MOVED, back]).map(({ step, state }) => `${step} ${state}`)).toEqual([
      'announced done',
      'in_transit done',
      'returning current',
      'returned todo',
    ]);
    expect(stepsOf('returned', [MOVED, back]).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
  });
});

// biome-ignore format: one parcel per line is readable as a table
test.each<[SubStatus, ScanStatus[], string[]]>([
  ['pending', [], ['todo', 'todo', 'todo', 'todo']],
  ['info_received', ['info_received'], ['current', 'todo', 'todo', 'todo']],
  ['in_transit', ['in_transit'], ['done', 'current', 'todo', 'todo']],
  ['out_for_delivery', ['in_transit', 'out_for_delivery'], ['done', 'done', 'current', 'todo']],
  ['delivered', ['in_transit', 'delivered'], ['done', 'done', 'done', 'done']],
  ['exception', ['in_transit', 'exception'], ['done', 'current', 'todo', 'todo']],
  ['exception', ['in_transit', 'out_for_delivery', 'exception'], ['done', 'done', 'current', 'todo']],
  ['expired', ['info_received'], ['current', 'todo', 'todo', 'todo']],
])('a parcel that is %s, with scans %j, has the steps %j', (subStatus, statuses, states) => {
  const scans = statuses.map((status) => scan('2031-03-04T07:00:00Z', status));
  expect(stepsOf(subStatus, scans).map(({ state }) => state)).toEqual(states);
});

test('the third step is the pick-up point for a parcel that is kept there', () => {
  const scans = [MOVED, scan('2031-03-04T07:00:00Z', 'available_for_pickup')];
  expect(stepsOf('available_for_pickup', scans)[2]).toEqual({ step: 'available_for_pickup', state: 'current' });
});

const GONE_NOW = new Date('2031-06-10T12:00:00Z');

function inTransit(time: string): Scan {
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '', status: 'delivered' };
}

// biome-ignore format: one parcel per line is readable as a table
test.each<[SubStatus, string | null, string, boolean]>([
  ['delivered', '2031-03-12T12:00:01Z', '2031-03-12T13:00:00Z', false],
  ['delivered', '2031-03-12T11:59:59Z', '2031-03-12T13:00:00Z', true],
  // What counts is the delivery, not when it became known.
  ['delivered', '2031-01-01T12:00:00Z', '2031-06-01T12:00:00Z', true],
  ['delivered', null, '2031-01-01T12:00:00Z', true],
  ['returned', '2031-01-01T12:00:00Z', '2031-01-01T12:00:00Z', true],
  ['expired', '2031-01-01T12:00:00Z', '2031-05-01T12:00:00Z', false],
  ['expired', '2031-01-01T12:00:00Z', '2031-02-01T12:00:00Z', true],
  // A parcel that is still on its way keeps its page.
  ['in_transit', '2030-01-01T12:00:00Z', '2030-01-01T12:00:00Z', false],
  ['exception', '2030-01-01T12:00:00Z', '2030-01-01T12:00:00Z', false],
])('the page of a %s parcel with a inTransit at %s and news at %s is gone: %s', (subStatus, time, updatedAt, gone) => {
  const scans = time === null ? [] : [inTransit(time)];
  expect(isGone({ subStatus, scans, updatedAt: new Date(updatedAt), stoppedAt: null }, 90, GONE_NOW)).toBe(gone);
});

// biome-ignore format: one parcel per line is readable as a table
test.each<[SubStatus, string, boolean]>([
  ['in_transit', '2031-03-12T12:00:01Z', false],
  ['in_transit', '2031-03-12T11:59:59Z', true],
  ['pending', '2031-03-12T11:59:59Z', true],
  // It has arrived before: that counts.
  ['delivered', '2031-06-01T12:00:00Z', true],
])('the page of a %s parcel whose polling was stopped at %s is gone: %s', (subStatus, stoppedAt, gone) => {
  const [scans, updatedAt] = [[inTransit('2031-01-01T12:00:00Z')], new Date('2031-01-01T12:00:00Z')];
  expect(isGone({ subStatus, scans, updatedAt, stoppedAt: new Date(stoppedAt) }, 90, GONE_NOW)).toBe(gone);
});

test('after as many days as the account has chosen', () => {
  const parcel = {
    subStatus: 'delivered',
    scans: [inTransit('2031-06-08T12:00:00Z')],
    updatedAt: GONE_NOW,
    stoppedAt: null,
  } as const;
  expect([isGone(parcel, 1, GONE_NOW), isGone(parcel, 3, GONE_NOW)]).toEqual([true, false]);
});
