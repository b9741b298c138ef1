// The code generators that the OpenAPI document is checked with: where each is found, how it is installed, and how its
// code is compiled.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { env, platform } from 'node:process';
import { Problem, ROOT, run } from '../parts/lib.mjs';

const CACHE = join(ROOT, '.cache/generators');
const VENV = join(CACHE, 'python');
const PYTHON_CLIENT = 'openapi-python-client==0.29.1';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const JAR_VERSION = '7.25.0';
const JAR = {
  url: `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${JAR_VERSION}/openapi-generator-cli-${JAR_VERSION}.jar`,
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};
const TSC = packageFile('.', 'typescript', 'bin/tsc');

const IMPORT_ALL = `
import importlib, pkgutil, api
for module in pkgutil.walk_packages(api.__path__, 'api.'):
    importlib.import_module(module.name)
`;

/**
 * Each one: `find` returns the command of an installed tool (from its environment variable, or on the PATH), or null;
 * `install` gets it into .cache; `check` generates code from a document in a folder of its own, and compiles it.
 * Failures are Problems.
 */
export const GENERATORS = [
  {
    name: 'openapi-typescript',
    find: () => [process.execPath, packageFile('packages/contract', 'openapi-typescript', 'bin/cli.js')],
    async check([command, ...args], document, folder) {
      await run(command, [...args, document, '-o', join(folder, 'api.ts')]);
      await compileTypeScript(folder);
    },
  },
  {
    name: 'openapi-python-client',
    find: () => located('OPENAPI_PYTHON_CLIENT', 'openapi-python-client'),
    async install() {
      const tool = join(VENV, platform === 'win32' ? 'Scripts' : 'bin', 'openapi-python-client');
      if (!existsSync(tool)) {
        await run(platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', VENV]);
        await run(join(tool, '../python'), ['-m', 'pip', 'install', '--quiet', PYTHON_CLIENT]);
      }
      return [tool];
    },
    async check([command], document, folder) {
      const target = join(folder, 'api');
      await run(command, ['generate', '--path', document, '--output-path', target, '--meta', 'none']);
      // The tool's own Python has the imports of its code.
      await run(interpreterOf(command), ['-c', IMPORT_ALL], { cwd: folder });
    },
  },
  {
    name: 'oapi-codegen',
    find: () => located('OAPI_CODEGEN', 'oapi-codegen'),
    async install() {
      const tool = join(CACHE, 'bin', platform === 'win32' ? 'oapi-codegen.exe' : 'oapi-codegen');
      if (!existsSync(tool)) await run('go', ['install', OAPI_CODEGEN], { variables: { GOBIN: join(CACHE, 'bin') } });
      return [tool];
    },
    async check([command], document, folder) {
      await run(command, ['-package', 'api', '-generate', 'types,client', '-o', join(folder, 'api.go'), document]);
      for (const args of [
        ['mod', 'init', 'example.com/api'],
        ['mod', 'tidy'],
        ['vet', './...'],
      ])
        await run('go', args, { cwd: folder });
    },
  },
  {
    name: 'openapi-generator, typescript-fetch',
    find: findOpenApiGenerator,
    install: installOpenApiGenerator,
    async check([command, ...args], document, folder) {
      await run(command, [...args, 'generate', '-g', 'typescript-fetch', '-i', document, '-o', folder]);
      await compileTypeScript(folder);
    },
  },
  {
    name: 'openapi-generator, java',
    find: () => (onPath('mvn') ? findOpenApiGenerator() : null),
    install: installOpenApiGenerator,
    async check([command, ...args], document, folder) {
      await run(command, [...args, 'generate', '-g', 'java', '-i', document, '-o', folder]);
      await run(executable('mvn'), ['-q', '-B', 'compile'], { cwd: folder });
    },
  },
];

function findOpenApiGenerator() {
  const jar = env.OPENAPI_GENERATOR_JAR;
  if (jar) return ['java', '-jar', jar];
  return located('OPENAPI_GENERATOR', 'openapi-generator-cli') ?? located('OPENAPI_GENERATOR', 'openapi-generator');
}

/** Gets the program into .cache. @returns the command that runs it */
export async function installOpenApiGenerator() {
  const jar = join(CACHE, `openapi-generator-cli-${JAR_VERSION}.jar`);
  if (!existsSync(jar)) {
    const response = await fetch(JAR.url);
    if (!response.ok) throw new Problem(`${JAR.url} answered ${response.status}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== JAR.sha256) throw new Problem(`${JAR.url} has the SHA-256 ${digest}, not ${JAR.sha256}`);
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(jar, bytes);
  }
  return ['java', '-jar', jar];
}

/** Every .ts file of a folder, strictly. */
async function compileTypeScript(folder) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
    lib: ['ES2022', 'DOM'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  await run(process.execPath, [TSC, '-p', folder]);
}

function packageFile(from, name, file) {
  const manifest = createRequire(join(ROOT, from, 'package.json')).resolve(`${name}/package.json`);
  return join(manifest, '..', file);
}

/** The command that a variable names, or that is on the PATH. */
function located(variable, name) {
  const path = env[variable] || onPath(name);
  return path ? [path] : null;
}

function onPath(name) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, executable(name))).find((path) => existsSync(path)) ?? null;
}

/** On Windows, programs are .exe files, but Maven is a batch file. */
function executable(name) {
  if (platform !== 'win32') return name;
  return name === 'mvn' ? 'mvn.cmd' : `${name}.exe`;
}

/** The Python that a script begins with. */
function interpreterOf(script) {
  const [, path] = /^#!\s*(\S+)/.exec(readFileSync(script, 'utf8')) ?? [];
  return path && !path.endsWith('/env') ? path : join(script, '..', platform === 'win32' ? 'python.exe' : 'python3');
}
