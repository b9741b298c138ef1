// npm run chaos: sets the checkout up, then injects faults into an installation of its own under load, and balances its
// ledger.
import { join } from 'node:path';
import { begin } from './parts/begin.mjs';
import { asksForHelp } from './parts/help.mjs';

const apps = ['api', 'carrier-poller', 'webhook-dispatcher', 'sandbox-carrier'];
await begin({ apps: asksForHelp() ? [] : apps, out: process.stderr }, async ({ ROOT, runInTerminal }) => {
  const { bundleChaos } = await import('./parts/chaos-parts.mjs');
  if (!asksForHelp()) await bundleChaos();
  // As deep below the root as the sources, so that paths relative to the file work in the bundle, too.
  await bundleChaos({ 'run/chaos.mjs': 'chaos/main.ts' });
  const file = join(ROOT, '.cache/chaos/run/chaos.mjs');
  const code = await runInTerminal(['--enable-source-maps', file, ...process.argv.slice(2)]);
  process.exit(typeof code === 'number' ? code : 1);
});
