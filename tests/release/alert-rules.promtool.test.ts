import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtool } from '@pts/testing/servers/monitoring';
import { stringify } from 'yaml';
import { ALERT_CASES, type AlertCase, CONDITIONS, type Condition, HEALTHY } from '../deployment/alert-cases.ts';
import { alertRules, ruleGroups } from '../deployment/alerts.ts';
import { filesIn, read } from '../deployment/repository.ts';

const FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})';

function unitTest({ failure, series, at, fires }: AlertCase) {
  return {
    name: failure,
    interval: '15s',
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [at].flat().map((moment) => ({
      expr: FIRING,
      eval_time: moment,
      exp_samples: Object.entries(fires).map(([alert, value]) => ({ labels: `{alertname="${alert}"}`, value })),
    })),
  };
}

type Period = { condition: Condition; from: number; to: number };

/** The values of a series: `0+15x2` are 0, 15 and 30. */
function valuesOf(series: string): string[] {
  return series.split(' ').flatMap((part) => {
    const [, first = '', step = '0', times] = /^(-?\d+)([+-]\d+)?x(\d+)$/.exec(part) ?? [];
    if (times === undefined) return [part];
    return Array.from({ length: Number(times) + 1 }, (_, n) => String(Number(first) + n * Number(step)));
  });
}

/** Samples of a combination. */
const END = 200;

/**
 * The first of these figures, of processes that are replaced: those of the old ones end, and two samples later those of
 * the new ones begin.
 */
function acrossRestart(series: Record<string, string>, at: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(series).flatMap(([name, text]) => {
      const values = valuesOf(text).slice(0, END);
      if (at >= END) return [[name, values.join(' ')]];
      // Counters start again at zero.
      const base = /\d\+\d/.test(text) ? Number(values[at + 2]) : 0;
      const successors = values.slice(at + 2).map((value) => Math.max(0, Number(value) - base));
      const successor = name.replace(/,instance="[^"]*"|(?=\}$)/, ',instance="successor"');
      return [
        [name, [...values.slice(0, at), 'stale'].join(' ')],
        [successor, [`_x${at + 1}`, ...successors].join(' ')],
      ];
    }),
  );
}

/** While each of these holds, and once its own time is over, its alert fires, or one of those that mute it. */
function neverSilent(periods: readonly Period[], restartAt = END) {
  const series = Object.assign(
    acrossRestart(HEALTHY, END),
    ...periods.map(({ condition, from, to }) => acrossRestart(condition.series(from, to), restartAt)),
  );
  const seconds = (sample: number) => 15 * (sample + (sample % 2));
  return {
    name: `${periods.map(({ condition, from, to }) => `${condition.name} from ${from} to ${to}`).join(', ')}, restart at ${restartAt}`,
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: periods.map(({ condition: { alert, mutedBy, within }, from, to }) => {
      const firing = `ALERTS{alertname=~"${[alert, ...mutedBy].join('|')}",alertstate="firing"}`;
      const [begin, end] = [seconds(from + within), seconds(to - 2)];
      return {
        expr: `min_over_time((count(${firing}) > bool 0 or vector(0))[${end - begin + 1}s:30s])`,
        eval_time: `${end}s`,
        exp_samples: [{ labels: '{}', value: 1 }],
      };
    }),
  };
}

type Dashboard = { panels: { targets: { expr: string }[] }[] };

function dashboardQueries(): string[] {
  return filesIn('k8s/dashboards').flatMap((path) => {
    const { panels } = JSON.parse(read(path)) as Dashboard;
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-alerts-'));
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: ruleGroups() }));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('Prometheus accepts the rules', async () => {
  expect(await promtool('check', 'rules', join(folder, 'rules.yaml'))).toContain('SUCCESS');
});

test('Prometheus can parse every query of the dashboards', async () => {
  const queries = dashboardQueries();
  expect(queries.length).toBeGreaterThan(40);
  // Grafana replaces its own variables before it asks.
  const rules = queries.map((expr, n) => ({ record: `query:${n}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
  const file = join(folder, 'queries.yaml');
  const check = async (all: object[]) => {
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules: all }] }));
    return promtool('check', 'rules', file);
  };
  expect(await check(rules)).toContain(`SUCCESS: ${rules.length} rules found`);
  await expect(check([...rules, { record: 'query:wrong', expr: 'sum by (le (rate(x[5m]))' }])).rejects.toThrow();
});

test('each failure fires its own alert within its time, and no other one', async () => {
  const file = join(folder, 'tests.yaml');
  const tests = ALERT_CASES.map(unitTest);
  writeFileSync(file, stringify({ rule_files: ['rules.yaml'], evaluation_interval: '30s', tests }));
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
}, 1_800_000);

test('whatever begins and ends beside what else, also across a restart, it has its alert or one that mutes it', async () => {
  const isMutedBy = (each: Condition, other: Condition) => each.mutedBy.includes(other.alert);
  const interact = (one: Condition, other: Condition) => isMutedBy(one, other) || isMutedBy(other, one);
  // One that ends while others last, and others that begin while it lasts: each pair, and together those that do not
  // mute each other.
  const beside = (condition: Condition, others: readonly Condition[]) => [
    { condition, from: 8, to: 100 },
    ...others.map((other) => ({ condition: other, from: 16, to: 180 })),
  ];
  const pairs = CONDITIONS.flatMap((one) =>
    CONDITIONS.filter((other) => interact(one, other)).map((other) => beside(one, [other])),
  );
  const strangers = CONDITIONS.map((one) =>
    beside(
      one,
      CONDITIONS.filter((other) => other !== one && !interact(one, other)),
    ),
  );
  // When the first alert that mutes the third ends, the second one already fires.
  const triples = CONDITIONS.flatMap((each) => {
    const muting = CONDITIONS.filter((other) => isMutedBy(each, other));
    return muting.flatMap((one) =>
      muting
        .filter(({ alert }) => alert !== one.alert)
        .map((other) => [
          { condition: one, from: 8, to: 90 },
          { condition: other, from: 16, to: 130 },
          { condition: each, from: 24, to: 180 },
        ]),
    );
  });
  const restarted = [...CONDITIONS.map((condition) => [{ condition, from: 8, to: 180 }]), ...pairs];
  const tests = [
    ...[...pairs, ...strangers, ...triples].map((periods) => neverSilent(periods)),
    ...restarted.map((periods) => neverSilent(periods, 80)),
  ];
  const file = join(folder, 'combinations.yaml');
  // Nothing here reads the other error budgets, whose figures take most of the time.
  const groups = ruleGroups().map(({ name, rules }) => ({
    name,
    rules: rules.filter((rule) => 'alert' in rule || (rule.labels?.slo ?? 'api-availability') === 'api-availability'),
  }));
  writeFileSync(join(folder, 'fewer.yaml'), stringify({ groups }));
  writeFileSync(file, stringify({ rule_files: ['fewer.yaml'], evaluation_interval: '30s', tests }));
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
}, 900_000);

test('every alert has a failure that fires it', () => {
  const fired = new Set(ALERT_CASES.flatMap(({ fires }) => Object.keys(fires)));
  expect(alertRules().map(({ alert }) => alert)).toEqual(expect.arrayContaining([...fired]));
  expect(alertRules().filter(({ alert }) => !fired.has(alert))).toEqual([]);
});
