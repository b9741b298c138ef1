// npm run verify: format, lint, types, unused code, duplicated code, licences and known vulnerabilities of dependencies, unit tests
// and the import fence. Needs no servers; without the npm registry, vulnerabilities are not looked up.
// `npm run verify -- --static` leaves the tests out; other arguments go to jest.
import './parts/node-version.mjs';
import { answerHelp } from './parts/help.mjs';

answerHelp(import.meta.url);
const { endWithNpm, fail, runInTerminal } = await import('./parts/lib.mjs');
endWithNpm();
try {
  const { setUp } = await import('./parts/setup.mjs');
  await setUp({ apps: [] });
} catch (error) {
  fail(error);
}
const checks = [
  ['Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']],
  ['Types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['Types of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/console']],
  ['Types of the portal', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/portal']],
  ['Unused code', ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints']],
  ['Duplicated code', ['node_modules/jscpd/bin/jscpd']],
  ['Licences of dependencies', ['scripts/licenses.mjs']],
  ['Known vulnerabilities of dependencies', ['scripts/audit.mjs']],
];
if (process.argv[2] !== '--static') {
  // Unit tests do not wait, so more workers than cores would only load more modules.
  const workers = ['--maxWorkers', '100%'];
  const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'unit', ...workers, ...process.argv.slice(2)];
  checks.push(['Unit tests and the import fence', jest]);
}
const failed = [];
for (const [label, args] of checks) {
  process.stdout.write(`\n${label}\n`);
  const ended = await runInTerminal(args);
  if (typeof ended === 'string') process.exit(1);
  if (ended !== 0) failed.push(label);
}
if (failed.length > 0) fail(`Failed: ${failed.join(', ')}`);
process.stdout.write('\nAll good.\n');
