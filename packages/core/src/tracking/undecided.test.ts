import fc from 'fast-check';
import type { CarrierAnswer } from './answer.ts';
import { applyAnswer, type Snapshot } from './change.ts';
import {
  allowedAt,
  type CandidateAnswer,
  candidateAnswerOf,
  candidateCodes,
  currentOf,
  nextCandidate,
  restartRound,
  startRound,
  type Undecided,
} from './undecided.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const three = startRound(
  [
    { carrier: 'sto', provider: 'free' },
    { carrier: 'yto', provider: 'free' },
    { carrier: 'zto', provider: 'paid' },
  ],
  NOW,
);

function step(state: Undecided, said: CandidateAnswer, isAvailable?: (provider: string) => boolean) {
  const next = nextCandidate(state, said, { now: NOW, ...(isAvailable && { isAvailable }) });
  if (next.kind !== 'ask') throw new Error(`it ended: ${next.kind}`);
  return { ...next, carrier: currentOf(next.undecided)?.carrier };
}

test('the first find decides', () => {
  const second = step(three, 'not_found');
  expect(nextCandidate(second.undecided, 'found', { now: NOW })).toEqual({
    kind: 'decided',
    carrier: 'yto',
    provider: 'free',
  });
});

test.each(['not_found', 'needs_input', 'invalid_number', 'outage'] as const)('%s moves on at once', (said) => {
  expect(step(three, said)).toMatchObject({ carrier: 'yto', isAtOnce: true });
});

test('after the first round, each regular check queries the next candidate', () => {
  let state = three;
  const checked: [string | undefined, boolean][] = [];
  for (let n = 0; n < 7; n++) {
    const next = step(state, 'not_found');
    checked.push([next.carrier, next.isAtOnce]);
    state = next.undecided;
  }
  expect(checked).toEqual([
    ['yto', true],
    ['zto', true],
    ['sto', false],
    ['yto', false],
    ['zto', false],
    ['sto', false],
    ['yto', false],
  ]);
});

test('a candidate that reports the number as invalid is not checked again until a retrack', () => {
  const { undecided } = step(step(step(three, 'invalid_number').undecided, 'not_found').undecided, 'not_found');
  expect(currentOf(undecided)?.carrier).toBe('yto');
  expect(candidateCodes(undecided)).toEqual(['yto', 'zto']);
  expect(candidateCodes(restartRound(undecided, at(60)))).toEqual(['yto', 'zto', 'sto']);
});

test('a number that every candidate reports as invalid has no carrier', () => {
  const last = step(step(three, 'invalid_number').undecided, 'invalid_number').undecided;
  expect(nextCandidate(last, 'invalid_number', { now: NOW })).toEqual({ kind: 'nobody' });
});

test('candidates of a provider with an outage are skipped, while there are others', () => {
  expect(step(three, 'outage', (provider) => provider !== 'free')).toMatchObject({ carrier: 'zto', isAtOnce: true });
});

test('an outage changes nothing if there is no other candidate to check', () => {
  const stay = (candidates: Undecided['candidates'], isAvailable: (provider: string) => boolean) =>
    nextCandidate(startRound(candidates, NOW), 'outage', { now: NOW, isAvailable });
  expect(stay(three.candidates.slice(0, 2), () => false)).toEqual({ kind: 'stay' });
  expect(stay(three.candidates.slice(0, 1), () => true)).toEqual({ kind: 'stay' });
});

test('the next query waits for the floor of its own provider', () => {
  const next = step(three, 'not_found').undecided;
  expect(allowedAt(next, 1800, at(5))).toEqual(at(1800));
  const other = step(next, 'not_found').undecided;
  expect(allowedAt(other, 1800, at(5))).toEqual(at(5));
});

test('at most four are checked', () => {
  const many = Array.from({ length: 6 }, (_, n) => ({ carrier: `c${n}`, provider: 'free' }));
  expect(startRound(many, NOW).candidates).toHaveLength(4);
});

test('however they answer, each is checked once before any is checked twice, and every state has a current candidate', () => {
  const said = fc.array(fc.constantFrom<CandidateAnswer>('not_found', 'needs_input', 'invalid_number', 'outage'), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), said, (size, answers) => {
      let state = startRound(
        Array.from({ length: size }, (_, n) => ({ carrier: `c${n}`, provider: `p${n % 2}` })),
        NOW,
      );
      const first = [currentOf(state)?.carrier];
      let moves = 0;
      for (const answer of answers) {
        const next = nextCandidate(state, answer, { now: NOW });
        if (next.kind === 'stay') continue;
        if (next.kind !== 'ask') return expect(next.kind).toBe('nobody');
        state = next.undecided;
        moves += 1;
        expect(currentOf(state)).toMatchObject({ carrier: expect.any(String) });
        expect(currentOf(state)?.isRuledOut).toBeUndefined();
        if (next.isAtOnce) first.push(currentOf(state)?.carrier);
      }
      expect(new Set(first).size).toBe(first.length);
      if (size > 1 && moves >= size) expect(state.isFirstRound).toBe(false);
    }),
  );
});

describe('the meaning of an answer', () => {
  const empty: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
  const said = (answer: CarrierAnswer) =>
    candidateAnswerOf(answer, applyAnswer(empty, answer, { now: NOW, registeredAt: NOW }));
  const scan = (time: string) => {
    const where = { location: 'Fennbrook', description: 'on the road', status: 'in_transit' as const };
    return { time, timeRaw: time, zoneSource: 'carrier' as const, ...where };
  };

  test('scans of this parcel are a find', () => {
    expect(said({ kind: 'found', scans: [scan('2031-04-05T05:00:00Z')] })).toBe('found');
  });

  test.each<[string, CarrierAnswer]>([
    ['no scans', { kind: 'found', scans: [] }],
    ['scans of a parcel of last year', { kind: 'found', scans: [scan('2030-04-05T05:00:00Z')] }],
    ['scans of another number', { kind: 'found', scans: [scan('2031-04-05T05:00:00Z')], otherNumber: 'X1' }],
    ['not found', { kind: 'not_found' }],
  ])('%s is not a find', (_, answer) => {
    expect(said(answer)).toBe('not_found');
  });

  test('a missing input, an invalid number and an outage are distinguished', () => {
    const failed = (failure: 'needs_input' | 'invalid_number' | 'transient') =>
      said({ kind: 'failed', failure, message: 'no' });
    expect([failed('needs_input'), failed('invalid_number'), failed('transient')]).toEqual([
      'needs_input',
      'invalid_number',
      'outage',
    ]);
  });
});
