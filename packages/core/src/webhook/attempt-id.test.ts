import { attemptIdAt } from './attempt-id.ts';

const NOW = new Date('2026-12-08T12:00:00.900Z');

test('ids carry their time, and stay exact as numbers until 2060', () => {
  expect(attemptIdAt(NOW)).toBe(BigInt((Date.parse('2026-12-08T12:00:00Z') - Date.parse('2026-01-01')) / 1000) << 22n);
  expect(attemptIdAt(new Date('2060-01-01'))).toBeLessThan(BigInt(Number.MAX_SAFE_INTEGER));
});
