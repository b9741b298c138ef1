// npm run verify: format, lint, types, unused code, duplicated code, licences and known vulnerabilities of
// dependencies, unit tests and the import fence. Needs no servers; without the npm registry, vulnerabilities are not
// looked up. `npm run verify -- --static` leaves the tests out; other arguments go to jest.
import { begin } from './parts/begin.mjs';
import { answerHelp } from './parts/help.mjs';

answerHelp(import.meta.url);
const { fail, run, runInTerminal } = await begin({ apps: [] }, (lib) => lib);
// It needs one core, for as long as the next four together.
const duplication = run(process.execPath, ['node_modules/jscpd/bin/jscpd']).then(
  () => undefined,
  ({ message }) => message,
);
const checks = [
  ['Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']],
  ['Types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['Types of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/console']],
  ['Types of the portal', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/portal']],
  ['Unused code', ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints']],
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
process.stdout.write('\nDuplicated code\n');
const duplicated = await duplication;
if (duplicated) {
  process.stdout.write(`${duplicated}\n`);
  failed.push('Duplicated code');
}
if (failed.length > 0) fail(`Failed: ${failed.join(', ')}`);
process.stdout.write('\nAll good.\n');
