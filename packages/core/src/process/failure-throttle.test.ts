import { createFailureThrottle } from './failure-throttle.ts';

test('of many failures, the first is reported, then one a minute with how many came since, then their end', () => {
  const throttle = createFailureThrottle();
  const reports: unknown[] = [];
  for (let at = 0; at < 150_000; at += 1000) {
    const report = throttle.failed(at);
    if (report) reports.push(report);
  }
  expect(reports).toEqual([
    { count: 1, unreported: 0, firstAt: 0, lastAt: 0 },
    { count: 61, unreported: 59, firstAt: 0, lastAt: 60_000 },
    { count: 121, unreported: 59, firstAt: 0, lastAt: 120_000 },
  ]);
  expect(throttle.succeeded(150_000)).toMatchObject({ count: 150, firstAt: 0, lastAt: 149_000 });
  expect(throttle.succeeded(151_000)).toBeNull();
  expect(throttle.failed(152_000)).toMatchObject({ count: 1, firstAt: 152_000 });
});

test('failures that mix with successes end when there was none for a while', () => {
  const throttle = createFailureThrottle({ quietMs: 3000 });
  throttle.failed(0);
  expect(throttle.succeeded(2999)).toBeNull();
  expect(throttle.failed(2999)).toBeNull();
  expect(throttle.succeeded(5999)).toMatchObject({ count: 2 });
});
