// npm run generate-chart: writes the Helm chart in k8s/chart, made from k8s/base (with a folder as argument, there instead).
// tests/deployment-chart.local.test.ts fails when the chart is stale.
import './parts/node-version.mjs';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { fail, ROOT } = await import('./parts/lib.mjs');
try {
  const { chartFiles } = await import('./parts/chart.mjs');
  const folder = process.argv[2] ?? join(ROOT, 'k8s/chart');
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(chartFiles(ROOT))) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
} catch (error) {
  fail(error);
}
