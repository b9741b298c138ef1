// npm run verify: format, lint, types, unit tests and the import fence. Needs no servers. `--static` leaves the tests out.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';

const { fail, jestEnv, ROOT } = await import('./lib.mjs');
try {
  const { setUp } = await import('./setup.mjs');
  await setUp({ apps: [] });
} catch (error) {
  fail(error);
}
const checks = [
  ['Format and lint', 'biome', ['ci', '.']],
  ['Types', 'tsc', ['--noEmit', '-p', 'tsconfig.json']],
];
if (process.argv[2] !== '--static') {
  checks.push(['Unit tests and the import fence', 'jest', ['--selectProjects', 'unit', ...process.argv.slice(2)]]);
}
const env = jestEnv();
const failed = checks.filter(([label, command, args]) => {
  process.stdout.write(`\n${label}\n`);
  return spawnSync(`${ROOT}/node_modules/.bin/${command}`, args, { cwd: ROOT, env, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) fail(`Failed: ${failed.map(([label]) => label).join(', ')}`);
process.stdout.write('\nAll good.\n');
