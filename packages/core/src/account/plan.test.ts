import fc from 'fast-check';
import { isPlan, PLAN_QUOTAS, PLANS, quotaLimit, remaining } from './plan.ts';

test('the plans are free, pro and enterprise, with 100, 10,000 and 1,000,000 units a month', () => {
  expect(PLANS).toEqual(['free', 'pro', 'enterprise']);
  expect(PLANS.map((plan) => quotaLimit(plan, null))).toEqual([100, 10_000, 1_000_000]);
});

test.each([
  ['free', true],
  ['pro', true],
  ['enterprise', true],
  ['Free', false],
  ['', false],
  ['toString', false],
  ['__proto__', false],
])('"%s" is a plan: %s', (name, expected) => {
  expect(isPlan(name)).toBe(expected);
});

test('the operator may set other amounts', () => {
  expect(quotaLimit('pro', null, { ...PLAN_QUOTAS, pro: 5 })).toBe(5);
});

test.each([0, 1, 2_000_000])('an account with %i units of its own has these, whatever its plan', (own) => {
  expect(quotaLimit('free', own)).toBe(own);
  expect(quotaLimit('enterprise', own)).toBe(own);
});

test.each([
  [100, 0, 100],
  [100, 99, 1],
  [100, 100, 0],
  [100, 130, 0],
  [0, 0, 0],
])('of %i units with %i used, %i remain', (limit, used, left) => {
  expect(remaining(limit, used)).toBe(left);
});

test('what remains is never below zero and never above the limit', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (limit, used) => {
      const left = remaining(limit, used);
      return left >= 0 && left <= limit;
    }),
  );
});
