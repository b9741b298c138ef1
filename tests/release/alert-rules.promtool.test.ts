import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtool } from '@pts/testing/servers/promtool';
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

/** While each of these holds, and once its own time is over, its alert fires, or one of those that mute it. */
function neverSilent(periods: readonly Period[]) {
  const series = Object.assign({}, HEALTHY, ...periods.map(({ condition, from, to }) => condition.series(from, to)));
  return {
    name: periods.map(({ condition, from, to }) => `${condition.name} from ${from} to ${to}`).join(', '),
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: periods.flatMap(({ condition: { alert, mutedBy, within }, from, to }) => {
      const moments = [];
      // Rules are evaluated every second sample.
      for (let at = from + within; at < to; at += 2) moments.push(at + (at % 2));
      return moments.map((at) => ({
        expr: `count(ALERTS{alertname=~"${[alert, ...mutedBy].join('|')}",alertstate="firing"}) > bool 0`,
        eval_time: `${at * 15}s`,
        exp_samples: [{ labels: '{}', value: 1 }],
      }));
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

/** The queries of the golden signals: the second column of their table. */
function documentedQueries(): string[] {
  const rows = read('docs/operations.md').split('| Signal | Query |')[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.flatMap((row) =>
    Array.from((row.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g), ([, query = '']) => query),
  );
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

test('Prometheus can parse every query of the dashboards and of docs/operations.md', async () => {
  const queries = [...dashboardQueries(), ...documentedQueries()];
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

test('whatever begins and ends beside what mutes it, it has its alert or one that mutes it', async () => {
  const isMutedBy = (each: Condition, other: Condition) => each.mutedBy.includes(other.alert);
  // One that ends while the other lasts, and one that begins while the other lasts.
  const pairs = CONDITIONS.flatMap((one) =>
    CONDITIONS.filter((other) => isMutedBy(one, other) || isMutedBy(other, one)).map((other) => [
      { condition: one, from: 8, to: 100 },
      { condition: other, from: 16, to: 180 },
    ]),
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
  expect(pairs.length).toBeGreaterThan(0);
  expect(triples.length).toBeGreaterThan(0);
  const file = join(folder, 'combinations.yaml');
  const tests = [...pairs, ...triples].map(neverSilent);
  writeFileSync(file, stringify({ rule_files: ['rules.yaml'], evaluation_interval: '30s', tests }));
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
}, 1_800_000);

test('every alert has a failure that fires it', () => {
  const fired = new Set(ALERT_CASES.flatMap(({ fires }) => Object.keys(fires)));
  expect(alertRules().map(({ alert }) => alert)).toEqual(expect.arrayContaining([...fired]));
  expect(alertRules().filter(({ alert }) => !fired.has(alert))).toEqual([]);
});
