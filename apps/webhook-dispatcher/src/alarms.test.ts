import { jest } from '@jest/globals';
import { createAlarms } from './alarms.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);
const endpoint = (webhookId: string) => ({ webhookId, isFailing: true });

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

function alarms() {
  const woken: string[] = [];
  return {
    woken,
    ...createAlarms(
      ({ webhookId }) => woken.push(webhookId),
      () => new Date(),
    ),
  };
}

test('an endpoint is woken once its attempt is due, and not a moment before', () => {
  const { at, woken } = alarms();
  at(endpoint('a'), after(1000));
  jest.advanceTimersByTime(1000);
  expect(woken).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(woken).toEqual(['a']);
});

test('of several times the earliest counts, once', () => {
  const { at, woken } = alarms();
  for (const ms of [3000, 1000, 2000]) at(endpoint('a'), after(ms));
  jest.advanceTimersByTime(4000);
  expect(woken).toEqual(['a']);
});

test('after it has rung it can be set again', () => {
  const { at, woken } = alarms();
  at(endpoint('a'), after(100));
  jest.advanceTimersByTime(200);
  at(endpoint('a'), after(300));
  jest.advanceTimersByTime(200);
  expect(woken).toEqual(['a', 'a']);
});

test('what is due later than the sweep looks again waits in Postgres alone', () => {
  const { at, woken } = alarms();
  at(endpoint('a'), after(5001));
  expect(jest.getTimerCount()).toBe(0);
  at(endpoint('b'), after(-1000));
  jest.advanceTimersByTime(1);
  expect(woken).toEqual(['b']);
});

test('stopped, none rings', () => {
  const { at, stop, woken } = alarms();
  at(endpoint('a'), after(10));
  stop();
  jest.advanceTimersByTime(100);
  expect(woken).toEqual([]);
});
