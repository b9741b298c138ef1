import { parseYaml } from './repository.ts';

type Rule = { expr: string; record?: string; labels?: Record<string, string> };
export type AlertRule = Rule & { alert: string; for?: string; annotations: { summary: string; runbook_url: string } };
export type Group = { name: string; rules: (Rule | AlertRule)[] };

/** The rules for Prometheus, without the resource of its operator around them. */
export function ruleGroups(): Group[] {
  const [resource] = parseYaml<{ spec: { groups: Group[] } }>('k8s/alerts.yaml');
  return resource?.spec.groups ?? [];
}

export function alertRules(): AlertRule[] {
  return ruleGroups()
    .flatMap(({ rules }) => rules)
    .filter((rule): rule is AlertRule => 'alert' in rule);
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000 };
/** A range, the step of a subquery, or an offset. */
const TIME_IN_QUERY = /(?<=\[|\[\d+[smh]:|\boffset )(\d+)([smh])\b/g;

/** The same rules for figures that are scraped `factor` times as often: each pending time, range and offset is that much shorter. */
export function fasterRules(groups: readonly Group[], factor: number): Group[] {
  const faster = (_: string, count: string, unit: string) =>
    `${Math.round((Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]) / factor)}ms`;
  const ofRule = <R extends Rule | AlertRule>(rule: R): R => ({
    ...rule,
    expr: rule.expr.replace(TIME_IN_QUERY, faster),
    ...('for' in rule && { for: rule.for?.replace(/^(\d+)([smh])$/, faster) }),
  });
  return groups.map((group) => ({ ...group, rules: group.rules.map(ofRule) }));
}
