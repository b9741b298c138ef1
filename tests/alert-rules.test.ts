import { CONTRACTS } from '@pts/contract/contracts';
import {
  certificateExpiry,
  clockSkewSeconds,
  poolUse,
  replicaLag,
  schemaInfo,
  unmetRequirements,
} from '@pts/runtime/metrics';
import { createApiMetrics } from '../apps/api/src/metrics.ts';
import { createPollerMetrics } from '../apps/carrier-poller/src/metrics.ts';
import { createDispatcherMetrics } from '../apps/webhook-dispatcher/src/metrics.ts';
import { alertRules, fasterRules, ruleGroups } from './deployment/alerts.ts';
import { filesIn, read } from './deployment/repository.ts';

/** Without what Prometheus adds to the name of a histogram. */
const metricsIn = (text: string) =>
  new Set(Array.from(text.matchAll(/\bpts_[a-z_]+/g), ([name]) => name.replace(/_(bucket|count|sum)$/, '')));

const api = createApiMetrics().registry;
replicaLag(api, () => null);
const registries = [api, createPollerMetrics().registry, createDispatcherMetrics().registry];
// As every process does.
for (const registry of registries) {
  clockSkewSeconds(registry);
  poolUse(registry, () => ({ open: 0, idle: 0, waiting: 0 }));
  schemaInfo(registry, () => null);
  certificateExpiry(registry, () => null);
  unmetRequirements(registry, async () => ({}));
}
const known = new Set(registries.flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name)));
const documented = metricsIn(read('docs/operations.md') + read('docs/runbooks.md'));

const USERS = ['k8s/alerts.yaml', 'k8s/overlays/prod-keda/scaled-objects.yaml', ...filesIn('k8s/dashboards')];

test.each(USERS)('every metric in %s is one that a process has, and that the documentation explains', (path) => {
  const used = metricsIn(read(path));
  expect(used.size).toBeGreaterThan(0);
  for (const name of used) expect([name, known.has(name), documented.has(name)]).toEqual([name, true, true]);
});

test.each(['docs/operations.md', 'docs/runbooks.md', 'docs/scaling.md'])(
  '%s names no metric that no process has',
  (path) => {
    expect([...metricsIn(read(path))].filter((name) => !known.has(name))).toEqual([]);
  },
);

test('every metric of the service is documented', () => {
  const ours = [...known].filter((name) => name.startsWith('pts_'));
  expect(ours.filter((name) => !documented.has(name))).toEqual([]);
});

test('every alert has a runbook: what it means, where to look, how to fix it', () => {
  const sections = read('docs/runbooks.md').split(/^## /m);
  const titled = new Map(sections.map((text) => [text.split('\n')[0]?.toLowerCase().replaceAll(' ', '-'), text]));
  for (const { alert, annotations } of alertRules()) {
    const [, anchor] = /^https:\/\/\S+\/docs\/runbooks\.md#([a-z-]+)$/.exec(annotations.runbook_url) ?? [];
    const section = titled.get(anchor) ?? '';
    expect([alert, section]).toEqual([alert, expect.stringContaining(alert)]);
    for (const part of ['**Means**', '**Look**', '**Fix**'])
      expect([alert, section]).toEqual([alert, expect.stringContaining(part)]);
  }
});

test('the objective for latency leaves out what clients and receivers decide, and nothing else', () => {
  const rules = ruleGroups().flatMap(({ rules }) => rules.filter(({ labels }) => labels?.slo === 'api-latency'));
  const selectors = rules.flatMap(({ expr }) =>
    Array.from(expr.matchAll(/route!~"([^"]+)"/g), ([, route = '']) => route),
  );
  expect(selectors).toHaveLength(8);
  const [selector = '', ...others] = new Set(selectors);
  expect(others).toEqual([]);
  const leftOut = CONTRACTS.filter(({ contract: { path } }) => new RegExp(`^(?:${selector})$`).test(path));
  const slow = CONTRACTS.filter(({ contract }) => 'line' in contract || contract.input === 'file');
  const ids = (of: typeof CONTRACTS) => of.map(({ contract }) => contract.doc.id).sort();
  // The list of imports has the path of an upload.
  expect(ids(leftOut)).toEqual([...ids(slow), 'listImports', 'testWebhook', 'checkWebhook'].sort());
});

test('every time in a rule shrinks when rules are played faster', () => {
  const faster = fasterRules(ruleGroups(), 60);
  for (const { expr } of faster.flatMap(({ rules }) => rules)) expect(expr).not.toMatch(/(\[|:|offset )\d+[smhd]\b/);
  const pending = faster.flatMap(({ rules }) => rules.map((rule) => ('for' in rule ? rule.for : '1ms')));
  for (const time of pending) expect(time).toMatch(/^\d+ms$/);
});
