import { parseYaml } from './repository.ts';

type Rule = { expr: string; record?: string; labels?: Record<string, string> };
export type AlertRule = Rule & { alert: string; annotations: { summary: string; runbook_url: string } };
type Group = { name: string; rules: (Rule | AlertRule)[] };

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
