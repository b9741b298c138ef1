// npm run generate-settings: writes the settings, as settings.ts and the manifests of the providers declare them, into
// .env.example and docs/carriers.md. tests/settings-files.test.ts fails when one of them is stale.
import { begin } from './parts/begin.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
await begin({ apps: [], out: process.stderr }, async ({ ROOT }) => {
  const { loadModule } = await import('./parts/bundling/builds.mjs');
  const { module } = await loadModule('scripts/parts/settings-files.ts');
  const changed = module.writeParts(ROOT);
  process.stdout.write(changed.length > 0 ? `Written: ${changed.join(', ')}\n` : 'Everything is up to date.\n');
  process.exit(0);
});
