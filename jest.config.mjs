import { availableParallelism } from 'node:os';

const base = {
  testEnvironment: '<rootDir>/tests/jest/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/.standalone', '<rootDir>/.cache', '/dist/'],
};

const SOURCES = '<rootDir>/{packages,apps}/*/src/**/*';

/**
 * Four tiers: `unit` is quick, opens no socket and starts no program, which its environment enforces; `local` does, but
 * needs no server; `int` needs Postgres and Redis; `e2e` starts the built processes.
 */
export default {
  // A busy machine is no fault: tests wait for what they assert, up to their own deadlines. Jest takes no notice of a
  // time that is set for a project.
  testTimeout: 180_000,
  // Most tests wait for something: also a small machine runs four files at once.
  maxWorkers: Math.max(4, availableParallelism() - 1),
  // The modules of a file that has run are not freed: a worker that holds too many of them is replaced.
  workerIdleMemoryLimit: '1GB',
  // What a file leaves open fails that file (tests/jest/environment.mjs); a busy machine takes its time to end a process.
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
      testMatch: ['<rootDir>/tests/{e2e,chaos}/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/jest/build.mjs',
    },
  ],
};
