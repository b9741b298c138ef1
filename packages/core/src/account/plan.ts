/** The plans (spec section 8) and their units a month where the operator sets no others. */
export const PLAN_QUOTAS = { free: 100, pro: 10_000, enterprise: 1_000_000 } as const;
export type Plan = keyof typeof PLAN_QUOTAS;
export const PLANS = Object.keys(PLAN_QUOTAS) as Plan[];

export function isPlan(value: string): value is Plan {
  return Object.hasOwn(PLAN_QUOTAS, value);
}

/** The units an account may use this month: its own figure if it has one, else its plan's. */
export function quotaLimit(plan: Plan, override: number | null, quotas: Record<Plan, number> = PLAN_QUOTAS): number {
  return override ?? quotas[plan];
}

/** What is left of a quota; never below zero, also after the limit was lowered. */
export function remaining(limit: number, used: number): number {
  return Math.max(0, limit - used);
}
