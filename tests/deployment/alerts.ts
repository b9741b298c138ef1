import { parseYaml } from './repository.ts';

type Rule = { expr: string; record?: string; labels?: Record<string, string> };
export type AlertRule = Rule & {
  alert: string;
  for?: string;
  keep_firing_for?: string;
  annotations: { summary: string; runbook_url: string };
};
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

const inMs = (count: string, unit: string, factor: number) =>
  `${Math.round((Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]) / factor)}ms`;

/**
 * The same rules for figures that are scraped `factor` times as often: each pending time, range and offset is that much
 * shorter.
 */
export function fasterRules(groups: readonly Group[], factor: number): Group[] {
  const faster = (_: string, count: string, unit: string) => inMs(count, unit, factor);
  const ofRule = <R extends Rule | AlertRule>(rule: R): R => ({
    ...rule,
    expr: rule.expr.replace(TIME_IN_QUERY, faster),
    ...('for' in rule && { for: rule.for?.replace(/^(\d+)([smh])$/, faster) }),
    ...('keep_firing_for' in rule && { keep_firing_for: rule.keep_firing_for?.replace(/^(\d+)([smh])$/, faster) }),
  });
  return groups.map((group) => ({ ...group, rules: group.rules.map(ofRule) }));
}

type Route = {
  receiver: string;
  group_wait?: string;
  group_interval?: string;
  repeat_interval?: string;
  routes?: Route[];
};
type Routes = { route: Route; receivers: { name: string; webhook_configs?: { url: string }[] }[] };

/** The routes that docker/monitoring documents, with one address for all of their receivers. */
export function alertRoutes(url: string): Routes {
  const [settings] = parseYaml<Routes>('docker/monitoring/alertmanager.yaml');
  if (!settings) throw new Error('there are no routes');
  return { ...settings, receivers: settings.receivers.map(({ name }) => ({ name, webhook_configs: [{ url }] })) };
}

/** The same routes, whose messages wait and are repeated `factor` times as fast. */
export function fasterRoutes({ route, receivers }: Routes, factor: number): Routes {
  const faster = (value: unknown) =>
    typeof value === 'string' ? value.replace(/^(\d+)([smh])$/, (_, count, unit) => inMs(count, unit, factor)) : value;
  const ofRoute = ({ routes, ...rest }: Route): Route => {
    const times = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, faster(value)]));
    return { ...rest, ...times, ...(routes && { routes: routes.map(ofRoute) }) };
  };
  return { route: ofRoute(route), receivers };
}
