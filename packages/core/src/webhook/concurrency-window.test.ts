import { type ConcurrencyWindow, firstWindow, isSlow, WIDEST_WINDOW, windowAfter } from './concurrency-window.ts';

function after(window: ConcurrencyWindow, ...answers: [succeeded: boolean, durationMs: number][]): ConcurrencyWindow {
  return answers.reduce((now, [succeeded, durationMs]) => windowAfter(now, succeeded, durationMs), window);
}
const times = <T>(count: number, value: T) => Array<T>(count).fill(value);
const prompt: [boolean, number] = [true, 20];

test('an endpoint that was failing begins with two pushes at a time, an unknown one with four', () => {
  expect(firstWindow(true).size).toBe(2);
  expect(firstWindow(false).size).toBe(4);
});

test('during recovery, the window doubles with each round of successes, up to its maximum', () => {
  let window = firstWindow(true);
  for (const widest of [4, 8, 16, 32, 64, 64]) {
    window = after(window, ...times(window.size, prompt));
    expect(window.size).toBe(Math.min(widest, WIDEST_WINDOW));
  }
});

test('every failure halves the window, down to two', () => {
  const wide = after(firstWindow(false), ...times(60, prompt));
  expect(after(wide, [false, 5]).size).toBe(32);
  expect(after(wide, ...times(9, [false, 5] as [boolean, number])).size).toBe(2);
});

test('an endpoint that hangs, or succeeds slowly, counts as slow and gets few places', () => {
  const hanging = after(firstWindow(false), ...times(4, [false, 10_000] as [boolean, number]));
  expect(isSlow(hanging)).toBe(true);
  expect(hanging.size).toBe(2);
  const slow = after(firstWindow(false), ...times(100, [true, 9000] as [boolean, number]));
  expect(isSlow(slow)).toBe(true);
  expect(slow.size).toBe(16);
});

test('a slow endpoint that becomes fast counts as fast again', () => {
  const slow = after(firstWindow(false), ...times(20, [true, 9000] as [boolean, number]));
  expect(isSlow(after(slow, ...times(20, prompt)))).toBe(false);
});
