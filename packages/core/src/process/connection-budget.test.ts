import { connectionBudget } from './connection-budget.ts';

test('every process has its pool and a connection for readiness, one more of each in a rollout, and a migration has two', () => {
  const fleet = { apis: 20, pollers: 3, dispatchers: 3 };
  expect(connectionBudget(fleet, { poolSize: 10, hasRedis: true })).toBe((26 + 3) * 11 + 2);
});

test('without Redis, the queue, the signals and the limits have connections of their own', () => {
  const fleet = { apis: 1, pollers: 1, dispatchers: 1 };
  expect(connectionBudget(fleet, { poolSize: 10, hasRedis: false })).toBe(2 * (33 + 29 + 27) + 2);
});

test('where processes are not replaced one by one, there are never more of them', () => {
  const fleet = { apis: 1, pollers: 1, dispatchers: 1 };
  expect(connectionBudget(fleet, { poolSize: 10, hasRedis: false, surge: 0 })).toBe(33 + 29 + 27 + 2);
});
