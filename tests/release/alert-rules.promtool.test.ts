import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtool } from '@pts/testing/servers/promtool';
import { stringify } from 'yaml';
import { ALERT_CASES, type AlertCase, HEALTHY } from '../deployment/alert-cases.ts';
import { alertRules, ruleGroups } from '../deployment/alerts.ts';
import { filesIn, read } from '../deployment/repository.ts';

const FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})';

function unitTest({ failure, series, at, fires }: AlertCase) {
  return {
    name: failure,
    interval: '15s',
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: FIRING,
        eval_time: at,
        exp_samples: Object.entries(fires).map(([alert, value]) => ({ labels: `{alertname="${alert}"}`, value })),
      },
    ],
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
});

test('every alert has a failure that fires it', () => {
  const fired = new Set(ALERT_CASES.flatMap(({ fires }) => Object.keys(fires)));
  expect(alertRules().map(({ alert }) => alert)).toEqual(expect.arrayContaining([...fired]));
  expect(alertRules().filter(({ alert }) => !fired.has(alert))).toEqual([]);
});
