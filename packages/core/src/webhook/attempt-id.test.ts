import { newId } from '../id.ts';
import { attemptIdAt, lowestAttemptOf } from './attempt-id.ts';
import { messageId } from './message-id.ts';

const NOW = new Date('2026-12-08T12:00:00.900Z');
const HOUR_MS = 3_600_000;

test('ids carry their time, and stay exact as numbers until 2060', () => {
  expect(attemptIdAt(NOW)).toBe(BigInt((Date.parse('2026-12-08T12:00:00Z') - Date.parse('2026-01-01')) / 1000) << 22n);
  expect(attemptIdAt(new Date('2060-01-01'))).toBeLessThan(BigInt(Number.MAX_SAFE_INTEGER));
});

/** An event's id has the period of 18 hours in which it was made, and then nothing but a hash; a ping's has the second. */
const PERIOD_MS = 2 ** 16 * 1000;
const IDS = [newId(NOW, new Uint8Array(8)), ...Array.from({ length: 50 }, (_, n) => messageId('e', NOW, String(n)))];

test('the attempts of a message begin an hour before it at the earliest, since clocks differ', () => {
  for (const id of IDS) {
    expect(lowestAttemptOf(id)).toBeLessThanOrEqual(attemptIdAt(new Date(NOW.getTime() - HOUR_MS)));
    expect(lowestAttemptOf(id)).toBeGreaterThan(attemptIdAt(new Date(NOW.getTime() - HOUR_MS - PERIOD_MS)));
  }
});

test('text that is not an id excludes no attempt', () => {
  expect(lowestAttemptOf('not an id')).toBe(0n);
});
