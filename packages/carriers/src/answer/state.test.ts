import { PROVIDERS } from '../providers/index.ts';
import { type Kind, spoken, WITH_STATE } from '../testing/spoken.ts';
import { GOING_BACK, type Meaning, REFUSED } from './meaning.ts';
import { withState } from './state.ts';

const SCAN = { time: '2031-01-02T10:00:00Z', timeRaw: '', zoneSource: 'carrier', location: '' } as const;
const over = (state: Meaning | undefined, own: Meaning, description = 'Arrived at the hub') =>
  withState({ ...SCAN, description }, own, state);
const MOVES: Meaning = { status: 'in_transit' };

test.each<[string, Meaning['status'], Meaning['status'], boolean]>([
  ['a delivery over movement', 'delivered', 'in_transit', true],
  ['a delivery over an announcement', 'delivered', 'info_received', true],
  ['a delivery over trouble', 'delivered', 'exception', true],
  ['trouble over a round', 'exception', 'out_for_delivery', true],
  ['trouble over an announcement', 'exception', 'info_received', true],
  ['movement over an announcement', 'in_transit', 'info_received', true],
  ['a return over a delivery', 'returned', 'delivered', true],
  ['movement over a round', 'in_transit', 'out_for_delivery', false],
  ['an announcement over movement', 'info_received', 'in_transit', false],
  ['a round over a delivery', 'out_for_delivery', 'delivered', false],
  ['a round over trouble', 'out_for_delivery', 'exception', false],
  ['trouble over a delivery', 'exception', 'delivered', false],
  ['a delivery over a parcel that waits for pickup', 'delivered', 'available_for_pickup', false],
  ['a delivery over a return', 'delivered', 'returned', false],
])('%s: whether the state %s is further than the scan %s is %s', (_, state, own, isFurther) => {
  const scan = over({ status: state }, { status: own });
  expect(scan.status).toBe(own);
  expect(scan.parcel).toEqual(isFurther ? { status: state } : undefined);
});

test('the course of the state holds from the scan on, but not from a delivery', () => {
  expect(over(GOING_BACK, MOVES)).toMatchObject({ status: 'in_transit', course: 'going_back', parcel: GOING_BACK });
  expect(over(REFUSED, { status: 'out_for_delivery' })).toMatchObject({ course: 'refused', parcel: REFUSED });
  const delivered = over(GOING_BACK, { status: 'delivered' });
  expect(delivered).toMatchObject({ status: 'delivered', parcel: GOING_BACK });
  expect(delivered).not.toHaveProperty('course');
  expect(over({ status: 'exception' }, GOING_BACK)).not.toHaveProperty('parcel');
});

test('a scan that only says that the parcel moves takes the state, and remembers that it did', () => {
  expect(over({ status: 'delivered' }, MOVES, 'Finalised')).toMatchObject({
    status: 'delivered',
    ownStatus: 'in_transit',
  });
  expect(over(MOVES, MOVES, 'Finalised')).toMatchObject({ status: 'in_transit' });
  expect(over(MOVES, MOVES, 'Finalised')).not.toHaveProperty('ownStatus');
});

test.each(['Processed through facility', '柏州南门 已收件', 'Die Sendung wurde sortiert.'])(
  'a scan that tells a step keeps its status, although no rule reads it: %s',
  (text) => {
    expect(over({ status: 'delivered' }, MOVES, text)).toMatchObject({
      status: 'in_transit',
      parcel: { status: 'delivered' },
    });
  },
);

test('the text of the newest scan also decides the state', () => {
  expect(over({ status: 'delivered' }, MOVES, 'Delivered to local depot')).not.toHaveProperty('parcel');
  expect(over(GOING_BACK, { status: 'returned' }, 'Delivered, To Original Sender')).not.toHaveProperty('parcel');
});

const NUMBER = 'A123456785';

/** The newest scan, if the parcel has this state. */
function newest(provider: string, text: string, kind: Kind, state: Kind) {
  const manifest = PROVIDERS.find(({ name }) => name === provider);
  const [carrier = ''] = Object.keys(manifest?.carriers ?? {});
  const outcome = spoken(provider, { number: NUMBER, scans: [{ text, kind }], state });
  const [answer] = manifest?.parse(outcome, [{ number: NUMBER, carrier }]) ?? [];
  return answer?.kind === 'found' ? answer.scans[0] : answer;
}

test.each<[string, string, Kind, Kind, string, string]>([
  ['easypost', 'BILLING INFORMATION RECEIVED', 'announced', 'delivered', 'info_received', 'delivered'],
  ['aftership', 'Shipment information sent to FedEx', 'announced', 'trouble', 'info_received', 'exception'],
  ['australia-post', 'Processed through facility', 'moving', 'delivered', 'in_transit', 'delivered'],
  ['kdniao', '柏州南门 已收件', 'moving', 'delivered', 'in_transit', 'delivered'],
])('%s: "%s" with the state of the parcel keeps its own status', (provider, text, kind, state, status, parcel) => {
  expect(newest(provider, text, kind, state)).toMatchObject({ status, parcel: { status: parcel } });
});

/** UPS' state counts only without any activity. */
describe.each(WITH_STATE.filter((name) => name !== 'ups'))('%s', (provider) => {
  test.each<[string, Kind, Kind, string]>([
    ['Shipping label created', 'announced', 'delivered', 'info_received'],
    ['Processed through facility', 'moving', 'delivered', 'in_transit'],
    ['Processed through facility', 'moving', 'trouble', 'in_transit'],
    ['At the destination airport', 'moving', 'delivered', 'in_transit'],
    ['Transferred to the next carrier', 'moving', 'trouble', 'in_transit'],
  ])('"%s" (%s) stays what it is if the parcel is in the state %s', (text, kind, state, status) => {
    expect(newest(provider, text, kind, state)).toMatchObject({
      status,
      parcel: { status: state === 'delivered' ? 'delivered' : expect.stringMatching(/^(?:exception|undeliverable)$/) },
    });
  });

  test('"Left at the front door" (moving) takes the state of a delivered parcel', () => {
    expect(newest(provider, 'Left at the front door', 'moving', 'delivered')).toMatchObject({ status: 'delivered' });
  });
});
