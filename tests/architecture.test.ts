import { PROVIDERS } from '@pts/carriers/providers/index';
import { settingsOf } from '@pts/carriers/providers/manifest';
import { JOBS } from '@pts/queue/catalog';
import * as rules from './architecture/rules.ts';
import { type Repository, readRepository } from './architecture/sources.ts';

const repository = readRepository();
const { oneWay, byName, testsOnly, oneOwner, pureCore, environment, declared, noBarrels, oneMeaning } = rules;
const handledJobs = rules.handledJobs(Object.keys(JOBS));
const providersApart = rules.providersApart(PROVIDERS.flatMap(settingsOf).map(({ env }) => env));

describe('in this repository', () => {
  test('there is something to check', () => {
    expect(repository.workspaces.length).toBeGreaterThan(10);
    expect(repository.sources.length).toBeGreaterThan(150);
  });

  test.each<[string, rules.Rule]>([
    ['imports run one way: apps, packages, core', oneWay],
    ['a package is imported by its name', byName],
    ['production code does not use test code', testsOnly],
    ['each wrapped part is used by its owner only', oneOwner],
    ['core is pure', pureCore],
    ['only main.ts reads the environment', environment],
    ['a package declares what it imports', declared],
    ['there are no barrel files', noBarrels],
    ["an exported type's name means one thing", oneMeaning],
    ['every job has a handler', handledJobs],
    ['only the index knows a provider', providersApart],
  ])('%s', (_promise, rule) => {
    expect(rule(repository)).toEqual([]);
  });
});

/** A repository of one file; its packages declare only what the rules need. */
function having(path: string, text: string): Repository {
  const workspaces = repository.workspaces.map((workspace) => ({
    ...workspace,
    dependencies: ['@pts/core', '@pts/queue', '@pts/carriers', '@pts/client', 'pg'],
  }));
  return { sources: [{ path, text }], workspaces, rootDevDependencies: ['fast-check'] };
}

describe('each fence', () => {
  // biome-ignore format: one violation per line is readable as a table
  test.each<[string, rules.Rule, path: string, text: string, fix: string]>([
    ['an app that imports an app', oneWay, 'apps/api/src/a.ts', `import { x } from '@pts/sandbox-carrier/app';`, 'Move what both need into a package'],
    ['a package that imports an app', oneWay, 'packages/db/src/a.ts', `import type { X } from '@pts/api/deps';`, 'Move what both need into a package'],
    ['a package that imports its neighbour', oneWay, 'packages/db/src/a.ts', `import { x } from '@pts/queue/catalog';`, 'Take it as an argument'],
    ['core that imports a package', oneWay, 'packages/core/src/a.ts', `import {\n  x,\n  y,\n} from '@pts/carriers/registry/registry';`, 'core imports nothing of ours'],
    ['a client that imports more than types of the contract', oneWay, 'packages/client/src/a.ts', `import { common } from '@pts/contract/common';`, 'Take it as an argument'],
    ['a console that reads past the API', oneWay, 'apps/console/src/a.tsx', `import { find } from '@pts/service/find';`, 'over the public API'],
    ['a verifier with imports', oneWay, 'packages/webhook-verifier/src/a.ts', `import { sign } from '@pts/core/webhook/push';`, 'receivers install only this package'],
    ['production code that uses the tests\' tools', oneWay, 'apps/api/src/a.ts', `const { x } = await import('@pts/testing/database');`, 'only tests use it'],
    ['a path into another package', byName, 'packages/db/src/a.ts', `import { fold } from '../../core/src/tracking/fold.ts';`, 'Import the package by its name'],
    ['production code that uses a helper of tests', testsOnly, 'packages/carriers/src/http/http.ts', `import { x } from './testing/local-server.ts';`, 'into a file of its own'],
    ['Prisma outside of db', oneOwner, 'apps/api/src/a.ts', `import { Prisma } from '@prisma/client';`, 'Call a function of @pts/db'],
    ['undici outside of egress', oneOwner, 'apps/webhook-dispatcher/src/a.ts', `import { request } from 'undici';`, 'Send with @pts/egress'],
    ['core that reads files', pureCore, 'packages/core/src/a.ts', `import { readFile } from 'node:fs/promises';`, 'Move the I/O'],
    ['core that reads the time', pureCore, 'packages/core/src/a.ts', 'const now = Date.now();', 'Take the time as an argument'],
    ['core that draws lots', pureCore, 'packages/core/src/a.ts', 'const x = Math.random();', 'Take random bytes as an argument'],
    ['an app that reads the environment', environment, 'apps/api/src/serve.ts', 'const port = process.env.PORT;', 'take the value as an argument'],
    ['an undeclared import', declared, 'packages/db/src/a.ts', `import got from 'got';`, 'packages/db/package.json does not declare it. Add got'],
    ['a development dependency in production', declared, 'apps/api/src/a.ts', `import fc from 'fast-check';`, 'Add fast-check'],
    ['a barrel', noBarrels, 'packages/core/src/tracking/index.ts', `export { fold } from './fold.ts';`, 'import the file itself'],
    ['a type with a taken name', oneMeaning, 'packages/core/src/a.ts', 'export type Step = 1;\nexport type Step = 2;', 'rename one'],
    ['an app that imports a provider', providersApart, 'apps/api/src/a.ts', `import { kuaidi100 } from '@pts/carriers/providers/kuaidi100/index';`, 'from its manifest'],
    ['an app that names a provider\'s setting', providersApart, 'apps/api/src/a.ts', `const key = env.KUAIDI100_KEY;`, 'from the provider\'s manifest'],
    ['a job without a handler', handledJobs, 'apps/api/src/a.ts', `startWorker<'query' | 'retrack'>(`, `startWorker<'deliver'>`],
  ])('stops %s', (_what, rule, path, text, fix) => {
    expect(rule(having(path, text)).join('\n')).toContain(fix);
  });
});
