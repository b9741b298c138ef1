/** The plans (spec section 8) and their default units per month. */
export const PLAN_QUOTAS = { free: 100, pro: 10_000, enterprise: 1_000_000 } as const;
export type Plan = keyof typeof PLAN_QUOTAS;
export const PLANS = Object.keys(PLAN_QUOTAS) as Plan[];

export function isPlan(value: string): value is Plan {
  return Object.hasOwn(PLAN_QUOTAS, value);
}

/** The monthly quota of an account: its own if it has one, otherwise that of its plan. */
export function quotaLimit(plan: Plan, override: number | null, quotas: Record<Plan, number> = PLAN_QUOTAS): number {
  return override ?? quotas[plan];
}

/** The remaining quota; never below zero, even after the limit was lowered. */
export function remaining(limit: number, used: number): number {
  return Math.max(0, limit - used);
}
