// npm run generate-deployment: writes the Helm chart in k8s/chart, made from k8s/base, the dashboards for Grafana in
// k8s/dashboards, and the rules of k8s/alerts.yaml as a plain rule file in k8s/prometheus (with a folder as argument,
// there instead). tests/release/deployment-generated.test.ts fails when one of them is stale.
import './parts/node-version.mjs';
import { join } from 'node:path';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { fail, ROOT } = await import('./parts/lib.mjs');
try {
  const { chartFiles } = await import('./parts/deployment/chart.mjs');
  const { dashboardFiles } = await import('./parts/deployment/dashboards.mjs');
  const { ruleFiles } = await import('./parts/deployment/monitoring.mjs');
  const { writeFolder } = await import('./parts/write-folder.mjs');
  const folder = process.argv[2] ?? join(ROOT, 'k8s');
  writeFolder(join(folder, 'chart'), chartFiles(ROOT));
  writeFolder(join(folder, 'dashboards'), dashboardFiles());
  writeFolder(join(folder, 'prometheus'), ruleFiles(ROOT));
} catch (error) {
  fail(error);
}
