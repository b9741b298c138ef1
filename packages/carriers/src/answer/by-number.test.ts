import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Requested } from '../providers/manifest.ts';
import { answersByNumber as answers, refusedCall } from './by-number.ts';
import { answerFrom } from './history.ts';

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
