import type { CarrierAnswer } from '@pts/core/tracking/answer';
import fc from 'fast-check';
import { PROVIDERS } from '../providers/index.ts';
import type { Requested } from '../providers/manifest.ts';
import { answerIn, type Kind, WITH_STATE } from '../testing/wire-formats.ts';
import { GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../texts/meaning.ts';
import { answerFrom, answersByNumber as answers, refusedCall, withState } from './answers.ts';

type Result = { numbers: readonly string[]; answer: CarrierAnswer; carrier?: string };
const answersByNumber = (
  requested: readonly Requested[],
  results: readonly Result[],
  missing?: { kind: 'not_found' },
) =>
  answers(requested, results, {
    provider: 'ACME',
    numbersOf: ({ numbers }) => numbers,
    answerOf: ({ answer }) => answer,
    carrierOf: ({ carrier }) => carrier ?? null,
    ...(missing && { missing }),
  });
const foundAt = (time: string) =>
  answerFrom(
    [
      {
        scan: { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '' },
        meaning: { status: 'out_for_delivery' },
      },
    ],
    'ACME',
  );

describe('the answers to a call', () => {
  const found = (...numbers: string[]): Result => ({
    numbers,
    answer: foundAt('2031-05-01T08:00:00Z'),
  });
  const requested = (...numbers: string[]) => numbers.map((number) => ({ number, carrier: 'acme' }));
  const notFound: Result = { numbers: ['B2'], answer: { kind: 'not_found' } };

  test('are matched by number, whether or not the routing of USPS stands before it', () => {
    const item = '9434917204856391027415';
    for (const routing of ['42090210', '420902101234'])
      expect(answersByNumber(requested(`${routing}${item}`, 'B2'), [notFound, found(item)])).toMatchObject([
        { kind: 'found' },
        { kind: 'not_found' },
      ]);
  });

  test('are matched by number, whatever their position, spelling and leading zeros', () => {
    const results = [notFound, found('internal-7', '00a-1')];
    expect(answersByNumber(requested('A1', 'B2'), results)).toMatchObject([{ kind: 'found' }, { kind: 'not_found' }]);
  });

  test('are the first one, if no number was given', () => {
    const [answer] = answersByNumber(requested(''), [found('X9'), notFound]);
    expect(answer).toMatchObject({ kind: 'found' });
    expect(answer).not.toHaveProperty('otherNumber');
  });

  test('fail only for the missing number', () => {
    expect(answersByNumber(requested('A1', 'C3'), [found('A1'), found('X9')])).toMatchObject([
      { kind: 'found' },
      { kind: 'failed', failure: 'unreadable', message: 'ACME did not answer about C3' },
    ]);
  });

  test('carry the number that they name if only one was requested and it is another', () => {
    expect(answersByNumber(requested('A1'), [found('X-9')])).toMatchObject([{ kind: 'found', otherNumber: 'X9' }]);
    expect(answersByNumber(requested('A1'), [notFound])).toMatchObject([{ failure: 'unreadable' }]);
  });

  test('are about the requested number if it was the only one and they name none', () => {
    const [answer] = answersByNumber(requested('A1'), [found('')]);
    expect(answer).toMatchObject({ kind: 'found' });
    expect(answer).not.toHaveProperty('otherNumber');
    expect(answersByNumber(requested('A1', 'B2'), [found('')])).toMatchObject([
      { failure: 'unreadable' },
      { failure: 'unreadable' },
    ]);
  });

  test('a refusal of a call with several numbers marks none of them as invalid', () => {
    const refusal: CarrierAnswer = { kind: 'failed', failure: 'invalid_number', message: 'no' };
    expect(refusedCall(requested('A1'), refusal)).toEqual([refusal]);
    expect(refusedCall(requested('A1', 'B2'), refusal)).toMatchObject([
      { failure: 'temporary' },
      { failure: 'temporary' },
    ]);
    const auth: CarrierAnswer = { kind: 'failed', failure: 'auth', message: 'no' };
    expect(refusedCall(requested('A1', 'B2'), auth)).toEqual([auth, auth]);
  });
});

describe('of several items about one number', () => {
  const [older, newer] = ['2031-05-01T08:00:00Z', '2031-05-02T08:00:00Z'].map((time) => foundAt(time));
  if (!older || !newer) throw new Error('two answers');
  const requested = [{ number: 'A1', carrier: 'acme' }];
  const numbers = ['A1'];

  test('the one with the newest scan counts, and one with scans before one without', () => {
    expect(
      answersByNumber(requested, [
        { numbers, answer: older },
        { numbers, answer: newer },
      ]),
    ).toEqual([newer]);
    const alone: CarrierAnswer = { kind: 'found', scans: [], parcelStatus: 'delivered' };
    const nothing: CarrierAnswer = { kind: 'not_found' };
    expect(
      answersByNumber(
        requested,
        [nothing, alone, older].map((answer) => ({ numbers, answer })),
      ),
    ).toEqual([older]);
    expect(
      answersByNumber(
        requested,
        [nothing, alone].map((answer) => ({ numbers, answer })),
      ),
    ).toEqual([alone]);
  });

  test('that of the requested carrier counts before a newer one', () => {
    const results = [
      { numbers, answer: newer },
      { numbers, answer: older, carrier: 'acme' },
    ];
    expect(answersByNumber(requested, results)).toEqual([older]);
  });
});

describe('of a provider that lists only registered numbers', () => {
  const missing = { kind: 'not_found', isUnregistered: true } as const;
  const found = (...numbers: string[]): Result => ({ numbers, answer: foundAt('2031-05-01T08:00:00Z') });
  const [A, B] = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
  if (!A || !B) throw new Error('two numbers');

  test('a number without an item is not registered; one that was not requested is a mix-up', () => {
    expect(answersByNumber([A, B], [found('A12345')], missing)).toMatchObject([{ kind: 'found' }, missing]);
    expect(answersByNumber([A, B], [found('A12345'), found('Z99999')], missing)).toMatchObject([
      { kind: 'found' },
      { failure: 'unreadable' },
    ]);
    expect(answersByNumber([A], [], missing)).toEqual([missing]);
  });

  test('a single number that is answered with another one is quarantined with that number', () => {
    expect(answersByNumber([A], [found('Z-99999')], missing)).toMatchObject([{ otherNumber: 'Z99999' }]);
  });
});

test('a state without a scan cannot be quarantined: about another number, it is unreadable', () => {
  const alone: Result = { numbers: ['X9'], answer: { kind: 'found', scans: [], parcelStatus: 'delivered' } };
  expect(answersByNumber([{ number: 'A1', carrier: 'acme' }], [alone])).toMatchObject([{ failure: 'unreadable' }]);
});

const read = (time: string, meaning: ReadScan['meaning']): ReadScan => ({
  scan: { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '' },
  meaning,
});
const OFD: Meaning = { status: 'out_for_delivery' };
const DELIVERED: Meaning = { status: 'delivered' };
const statuses = (answer: CarrierAnswer) =>
  answer.kind === 'found' ? answer.scans.map(({ status, ownStatus }) => [status, ownStatus]) : answer;

describe('a history', () => {
  test('without scans has the state of the parcel, if that is known', () => {
    expect(answerFrom([], 'ACME', { state: OFD })).toEqual({
      kind: 'found',
      scans: [],
      parcelStatus: 'out_for_delivery',
    });
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
  });

  test('gives it to the one listed as the newest, where several have the same time', () => {
    const [before, first, last] = ['08:00', '09:00', '09:00'].map((time) => read(`2031-05-01T${time}:00Z`, 'silent'));
    if (!before || !first || !last) throw new Error('three scans');
    const ofParcel = { state: DELIVERED };
    const given = (list: ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', ofParcel);
      return answer.kind === 'found' ? answer.scans.map(({ status }) => status) : answer;
    };
    expect(given([before, first, last])).toEqual(['in_transit', 'in_transit', 'delivered']);
    expect(given([last, first, before])).toEqual(['delivered', 'in_transit', 'in_transit']);
  });

  test.each([
    ['2031-05-01T09:00:00+00:00', true],
    ['2031-05-01T09:00:00+02:00', undefined],
    ['2031-05-01T08:00:00Z', undefined],
    ['2031-05-01 21:00:00', undefined],
    ['2031-05-02T00:00:00', true],
    ['soon', undefined],
  ])('at 08:00, has a state of %s, which is later: %s', (stateAt, isLater) => {
    const scan = read('2031-05-01T08:00:00Z', { status: 'info_received' });
    const answer = answerFrom([scan], 'ACME', { state: DELIVERED, stateAt });
    expect(answer).toMatchObject({ scans: [{ parcel: { status: 'delivered' } }] });
    expect(answer.kind === 'found' && answer.scans[0]?.parcel?.isLater).toBe(isLater);
  });

  test('does not change the status at an informational scan', () => {
    const scans = [
      read('2031-05-03T08:00:00Z', 'informational'),
      read('2031-05-01T08:00:00Z', OFD),
      read('2031-05-02T08:00:00Z', DELIVERED),
    ];
    expect(statuses(answerFrom(scans, 'ACME'))).toEqual([
      ['delivered', undefined],
      ['out_for_delivery', undefined],
      ['delivered', undefined],
    ]);
    expect(statuses(answerFrom([read('2031-05-03T08:00:00Z', 'informational')], 'ACME'))).toEqual([
      ['in_transit', undefined],
    ]);
  });

  test('means the same in any order', () => {
    const meanings: ReadScan['meaning'][] = ['silent', 'informational', OFD, DELIVERED];
    const scans = meanings.map((meaning, i) => read(`2031-05-0${i + 1}T08:00:00Z`, meaning));
    const sorted = (list: readonly ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', { state: DELIVERED });
      return answer.kind === 'found' ? answer.scans.toSorted((a, b) => a.time.localeCompare(b.time)) : answer;
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(scans, { minLength: scans.length }), (shuffled) => {
        expect(sorted(shuffled)).toEqual(sorted(scans));
      }),
    );
  });

  test.each([
    ['See <a href="https://acme.test">the terms</a> < 5 kg', 'See the terms < 5 kg'],
    ['<b>Delivered</b><br/>to&nbsp;Fenn &amp; Co', 'Delivered to Fenn & Co'],
    ['AT&T; a < b > c', 'AT&T; a < b > c'],
  ])('shows %s without HTML', (description, shown) => {
    const { scan, meaning } = read('2031-05-01T08:00:00Z', DELIVERED);
    const answer = answerFrom([{ scan: { ...scan, description }, meaning }], 'ACME');
    expect(answer).toMatchObject({ scans: [{ description: shown }] });
  });

  test('is not found without scans, and unreadable with a scan that cannot be read', () => {
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
    expect(answerFrom([read('2031-05-01T08:00:00Z', OFD), null], 'ACME')).toMatchObject({
      failure: 'unreadable',
      message: 'ACME returned a scan with an unreadable time (number 2)',
    });
  });
});

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
  const outcome = answerIn(provider, { number: NUMBER, scans: [{ text, kind }], state });
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
