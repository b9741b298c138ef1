// npm run build: bundles the apps whose sources have changed. It prints nothing.
import './node-version.mjs';

const { endWithNpm, fail, runInTerminal } = await import('./lib.mjs');
endWithNpm();
try {
  const turbo = ['node_modules/turbo/bin/turbo', 'run', 'build', '--output-logs=new-only', ...process.argv.slice(2)];
  const ended = await runInTerminal(turbo, { TURBO_TELEMETRY_DISABLED: '1' });
  process.exit(ended === 0 ? 0 : 1);
} catch (error) {
  fail(error);
}
