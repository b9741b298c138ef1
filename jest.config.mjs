import { availableParallelism } from 'node:os';

const CORES = availableParallelism();
/** Whether only unit tests were asked for: `--selectProjects unit`, perhaps with other options. */
const onlyUnit = /--selectProjects[ =]unit( --.*)?$/.test(process.argv.join(' '));

const base = {
  testEnvironment: '<rootDir>/tests/jest/environment.mjs',
  runtime: '<rootDir>/tests/jest/runtime.mjs',
  transform: {},
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/.standalone', '<rootDir>/.cache', '/dist/'],
};

const SOURCES = '<rootDir>/{packages,apps}/*/src/**/*';

/**
 * Five tiers: `unit` is quick, opens no socket and starts no program, which its environment enforces; `local` does, but
 * needs no server; `int` needs Postgres and Redis; `e2e` starts the built processes, and a browser. `release` is
 * for releases and nights: deployment, generators, packages, failovers, chaos (`npm run test:all`, or a path below
 * tests/release).
 */
export default {
  // A busy machine is not a fault: tests wait for what they assert, up to their own deadlines. Jest ignores a
  // timeout that is set for a project.
  testTimeout: 300_000,
  // Many tests wait for something, so even a small machine runs five files at once; more would only slow each other
  // down. Unit tests do not wait, and each worker has to load what they import.
  maxWorkers: onlyUnit ? CORES : Math.max(5, CORES - 1),
  // A worker that holds too much of what its files have left behind is replaced.
  workerIdleMemoryLimit: '1GB',
  // A file fails for what it leaves open (tests/jest/environment.mjs); a busy machine may be slow to end a process.
  workerGracefulExitTimeout: 30_000,
  openHandlesTimeout: 30_000,
  testSequencer: '<rootDir>/tests/jest/sequencer.mjs',
  projects: [
    {
      ...base,
      displayName: 'unit',
      testEnvironmentOptions: { alone: true },
      testMatch: [`${SOURCES}.test.ts`, '<rootDir>/{bench,tests}/*.test.ts', '<rootDir>/bench/*/*.test.ts'],
      testPathIgnorePatterns: [...base.testPathIgnorePatterns, '\\.(local|int)\\.test\\.ts$'],
    },
    { ...base, displayName: 'local', testMatch: [`${SOURCES}.local.test.ts`, '<rootDir>/tests/*.local.test.ts'] },
    { ...base, displayName: 'int', testMatch: [`${SOURCES}.int.test.ts`, '<rootDir>/bench/*/*.int.test.ts'] },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/{e2e,browser}/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/jest/build.mjs',
    },
    {
      ...base,
      displayName: 'release',
      testMatch: ['<rootDir>/tests/release/*.test.ts'],
      globalSetup: '<rootDir>/tests/jest/build.mjs',
    },
  ],
};
