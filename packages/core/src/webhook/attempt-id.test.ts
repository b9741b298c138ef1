import { newId } from '../id.ts';
import { attemptIdAt, FIRST_TIMED_ID, lowestAttemptOf } from './attempt-id.ts';

const NOW = new Date('2026-12-08T12:00:00.900Z');
const HOUR_MS = 3_600_000;

test('ids carry their time, above all earlier ones, and stay exact as numbers until 2060', () => {
  expect(attemptIdAt(NOW)).toBe(BigInt((Date.parse('2026-12-08T12:00:00Z') - Date.parse('2026-01-01')) / 1000) << 22n);
  expect(attemptIdAt(NOW)).toBeGreaterThan(FIRST_TIMED_ID);
  expect(attemptIdAt(new Date('2060-01-01'))).toBeLessThan(BigInt(Number.MAX_SAFE_INTEGER));
});

test('the attempts of a message begin an hour before it at the earliest, since clocks differ', () => {
  expect(lowestAttemptOf(newId(NOW, new Uint8Array(8)))).toBe(attemptIdAt(new Date(NOW.getTime() - HOUR_MS)));
});

test('text that is not an id excludes no attempt', () => {
  expect(lowestAttemptOf('not an id')).toBe(0n);
});
