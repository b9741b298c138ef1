import { type Flow, type FlowReading, type FlowState, flowState, look, NO_FLOW, needsRestart } from './flow.ts';

const AWAY: FlowReading = { isUnreachable: true };
const seen = (canary: string | null, answers: number): FlowReading => ({ isUnreachable: false, canary, answers });
const after = (looks: readonly FlowReading[], from: Flow = NO_FLOW) => looks.reduce(look, from);
const times = (count: number, make: (n: number) => FlowReading) => Array.from({ length: count }, (_, n) => make(n));

test.each<[string, FlowReading[], FlowState]>([
  ['a first look proves nothing', [seen(null, 1)], 'starting'],
  ['a canary that was taken proves that work flows', [seen('a', 1), seen(null, 2)], 'healthy'],
  ['so does another one in its place', [seen('a', 1), seen('b', 2)], 'healthy'],
  ['a canary that waits proves nothing yet', [seen('a', 1), seen('a', 2)], 'starting'],
  ['one that waits for four looks is an alarm', times(5, (n) => seen('a', n)), 'unconsumed'],
  ['a worker without an answer for four looks is stuck', times(5, () => seen(null, 7)), 'stuck'],
  ['a worker that never had an answer is stuck', times(5, () => seen('a', 0)), 'stuck'],
  ['a store that is away raises no alarm', [...times(9, () => seen('a', 7)), AWAY], 'unreachable'],
  ['a store that is back has four looks again', [...times(9, () => seen('a', 7)), AWAY, seen('a', 7)], 'starting'],
  ['a recovery is seen at once', [...times(9, () => seen('a', 7)), seen('b', 8)], 'healthy'],
])('%s', (_promise, looks, state) => {
  expect(flowState(after(looks))).toBe(state);
});

test('only a worker that stays silent while its store answers needs a restart', () => {
  expect(needsRestart(after(times(8, () => seen(null, 7))))).toBe(false);
  expect(needsRestart(after(times(9, () => seen(null, 7))))).toBe(true);
  expect(needsRestart(after(times(50, (n) => seen('unconsumed', n))))).toBe(false);
  expect(needsRestart(after(times(50, () => AWAY)))).toBe(false);
});
