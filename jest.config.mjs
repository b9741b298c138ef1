import { availableParallelism } from 'node:os';

const base = {
  testEnvironment: 'node',
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

/** Three tiers: `unit` needs nothing, `int` needs Postgres and Redis, `e2e` starts the built processes. */
export default {
  // A busy machine is no fault: tests wait for what they assert, up to their own deadlines. Jest takes no notice of a
  // time that is set for a project.
  testTimeout: 60_000,
  // Most tests wait for something: also a small machine runs two files at once.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,apps}/*/src/**/*.test.ts', '<rootDir>/tests/*.test.ts'],
      testPathIgnorePatterns: [...base.testPathIgnorePatterns, '\\.int\\.test\\.ts$'],
    },
    {
      ...base,
      displayName: 'int',
      testMatch: ['<rootDir>/{packages,apps}/*/src/**/*.int.test.ts'],
    },
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/tests/{e2e,chaos}/**/*.test.ts'] },
  ],
};
