import { readFileSync } from 'node:fs';
import { createPollerMetrics } from '../apps/carrier-poller/src/metrics.ts';
import { createDispatcherMetrics } from '../apps/webhook-dispatcher/src/process/metrics.ts';
import { clockSkewSeconds } from '../packages/runtime/src/metrics.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const metricsIn = (text: string) => new Set(text.match(/\bpts_[a-z_]+/g));

test('every alert is about a metric that a worker has, and that the documentation explains', () => {
  const registries = [createPollerMetrics().registry, createDispatcherMetrics().registry];
  for (const registry of registries) clockSkewSeconds(registry); // as every process does
  const known = new Set(registries.flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name)));
  const documented = metricsIn(read('docs/operations.md'));
  const alerts = metricsIn(read('k8s/alerts.yaml'));
  expect(alerts.size).toBeGreaterThan(5);
  for (const name of alerts) expect([name, known.has(name), documented.has(name)]).toEqual([name, true, true]);
});
