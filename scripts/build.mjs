// npm run build: bundles the apps whose sources have changed. It prints nothing, unless the checkout must be set up
// first. Arguments go to turbo: `npm run build -- --force`.
import { begin } from './parts/begin.mjs';
import { answerHelp } from './parts/help.mjs';

answerHelp(import.meta.url);
await begin({ apps: [], out: process.stderr }, async ({ runInTerminal }) => {
  const turbo = ['node_modules/turbo/bin/turbo', 'run', 'build', '--output-logs=new-only', ...process.argv.slice(2)];
  const ended = await runInTerminal(turbo, { TURBO_TELEMETRY_DISABLED: '1' });
  process.exit(ended === 0 ? 0 : 1);
});
