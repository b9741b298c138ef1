// npm test: sets the checkout up, starts the servers that tests need, runs the tests, stops the servers, and prints the
// slowest files. The last line is `N passed, N failed`. Arguments go to jest: `npm test -- packages/db`, `npm test --
// --selectProjects local`. `npm run test:all` runs what only releases and nights need as well: tests/release. `npm test
// -- tests/release/tls` runs one of it.
import './parts/node-version.mjs';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { env } from 'node:process';
import { answerHelp } from './parts/help.mjs';

answerHelp(import.meta.url);
const { endWithNpm, ScriptError, ROOT } = await import('./parts/lib.mjs');
const { setUp, step } = await import('./parts/setup.mjs');
const { bundle } = await import('./parts/bundle.mjs');
endWithNpm();

const STUCK = 'stuck';
const ALL = '--all';
const SLOWEST = 20;
let counts = { passed: 0, failed: 0 };
try {
  // Bundles are built once jest has chosen the tests: tests/jest/build.mjs.
  await setUp({ apps: [] });
  const servers = await step(process.stdout, 'Starting PostgreSQL and Redis for the tests', startServers);
  try {
    counts = await runJest(process.argv.slice(2), servers.env);
    printSlowest(counts.files);
  } finally {
    await servers.stop();
  }
} catch (error) {
  process.stderr.write(`\n${error instanceof ScriptError ? error.message : (error?.stack ?? error)}\n`);
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exit(counts.passed > 0 && counts.failed === 0 ? 0 : 1);

/** The starter is TypeScript. Bundled, it runs in this process: its servers outlive a crash of jest and end with us. */
async function startServers() {
  const file = join(ROOT, '.cache', `test-servers.${process.pid}.mjs`);
  const { outputFiles } = await bundle('packages/testing/src/servers/servers.ts', file);
  await (await import('esbuild')).stop();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, outputFiles.find(({ path }) => path === file).contents);
  try {
    const { startTestServers } = await import(file);
    return await startTestServers(env, (line) => process.stdout.write(`\n  ${line} `));
  } catch (error) {
    throw new ScriptError(error.message);
  } finally {
    rmSync(file);
  }
}

/** Runs all tests, or those that `args` choose, and counts them. A file that could not run counts as a failed test. */
async function runJest(args, servers) {
  const scratch = mkdtempSync(join(tmpdir(), 'pts-tests-'));
  const results = join(scratch, 'results.json');
  try {
    const code = await jest(
      [...args.filter((arg) => arg !== ALL), ...tiers(args), '--json', `--outputFile=${results}`],
      servers,
      () => existsSync(results),
    );
    if (!existsSync(results)) throw new ScriptError(`jest ended (${code}) without results`);
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
      readFileSync(results, 'utf8'),
    );
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    if (code === STUCK)
      process.stderr.write('Something that the tests left open kept jest running; it was killed. That is a failure.\n');
    // Another reason for jest to fail: an exit code that the counts do not explain.
    return { passed: numPassedTests, failed: failed || (code === 0 ? 0 : 1), files: testResults };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** All but what only releases and nights need, unless that is asked for. */
function tiers(args) {
  const areNamed = args.some(
    (arg) => arg === ALL || arg.startsWith('--selectProjects') || arg.includes('tests/release'),
  );
  return areNamed ? [] : ['--selectProjects', 'unit', 'local', 'int', 'e2e'];
}

/**
 * Prints what a whole run spends its time on: the files that took longest, with the sum of all, in seconds of a worker.
 */
function printSlowest(files) {
  const timed = files.map(({ name, startTime, endTime }) => ({
    name: relative(ROOT, name),
    seconds: (endTime - startTime) / 1000,
  }));
  if (timed.length <= SLOWEST) return;
  const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
  process.stdout.write(`\nThe slowest of ${timed.length} files, of ${total.toFixed(0)} s in all:\n`);
  for (const { name, seconds } of timed.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
}

/** Resolves with its exit code. Open handles may keep jest running once it is done: then we end it. */
function jest(args, servers, isDone) {
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: ROOT,
    env: { ...env, ...servers },
    stdio: 'inherit',
  });
  // On a signal, jest ends first; then the servers are stopped as after any run.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  let stuck = false;
  const watch = setInterval(() => {
    if (!isDone()) return;
    clearInterval(watch);
    setTimeout(() => {
      stuck = child.kill('SIGKILL');
    }, 60_000).unref();
  }, 500);
  return new Promise((resolve) => {
    child.on('error', () => resolve('it could not be started'));
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      resolve(stuck ? STUCK : (code ?? signal));
    });
  });
}
