// npm run generate-settings: writes the settings, as settings.ts and the manifests of the providers declare them, into
// .env.example and docs/carriers.md. tests/settings-files.test.ts fails when one of them is stale.
import './parts/node-version.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { endWithNpm, fail, ROOT } = await import('./parts/lib.mjs');
endWithNpm();
try {
  const { setUp } = await import('./parts/setup.mjs');
  const { bundle } = await import('./parts/bundle.mjs');
  await setUp({ apps: [], out: process.stderr });
  const file = join(ROOT, '.cache/settings-files.mjs');
  const { outputFiles } = await bundle('scripts/parts/settings-files.ts', file);
  await (await import('esbuild')).stop();
  mkdirSync(dirname(file), { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const { writeParts } = await import(pathToFileURL(file).href);
  const changed = writeParts(ROOT);
  process.stdout.write(changed.length > 0 ? `Written: ${changed.join(', ')}\n` : 'Everything is up to date.\n');
  process.exit(0);
} catch (error) {
  fail(error);
}
