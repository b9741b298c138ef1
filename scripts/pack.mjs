// npm run pack -- client | webhook-verifier [--out DIR]: builds a publishable package of this repository into an npm
// tarball: plain JavaScript, type declarations, README. Prints the tarball's path.
import './parts/node-version.mjs';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { env } from 'node:process';
import { refuseUnknownOptions } from './parts/help.mjs';
import { fail, isMain, ROOT, run, ScriptError } from './parts/lib.mjs';

/**
 * The packages that may be published, by the name of their folder: the files behind their import paths and programs,
 * and whether they need Node.
 */
const PUBLISHABLE = {
  client: {
    entries: { '.': 'client.ts', './errors': 'errors.ts' },
    platform: 'neutral',
    programs: { pts: 'cli/main.ts' },
  },
  'webhook-verifier': { entries: { '.': 'package.ts' }, platform: 'node' },
};

/**
 * Builds a package and packs it. Nothing in the repository changes.
 * @param {string} name its folder below packages
 * @param {string} out where the tarball goes
 * @returns {Promise<string>} the tarball's path
 */
export async function pack(name, out) {
  const plan = Object.hasOwn(PUBLISHABLE, name) ? PUBLISHABLE[name] : undefined;
  if (!plan)
    throw new ScriptError(
      `There is no publishable package "${name}". Choose ${Object.keys(PUBLISHABLE).join(' or ')}.`,
    );
  const stage = mkdtempSync(join(tmpdir(), 'pts-pack-'));
  try {
    await buildJavaScript(name, plan, stage);
    await buildPrograms(name, plan, stage);
    await buildTypes(name, plan, stage);
    copyFiles(name, plan, stage);
    const npm = env.npm_execpath?.endsWith('.js') ? [process.execPath, env.npm_execpath] : ['npm'];
    const [command, ...args] = [...npm, 'pack', '--ignore-scripts'];
    await run(command, args, { cwd: stage });
    const [tarball] = readdirSync(stage).filter((file) => file.endsWith('.tgz'));
    mkdirSync(out, { recursive: true });
    cpSync(join(stage, tarball), join(out, tarball));
    return resolve(out, tarball);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

async function buildJavaScript(name, { entries, platform }, stage) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.values(entries).map((file) => `packages/${name}/src/${file}`),
    outdir: join(stage, 'dist'),
    bundle: true,
    splitting: true,
    platform,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  });
}

/** Each program is one file, with everything that it uses inside. */
async function buildPrograms(name, { programs = {} }, stage) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(programs).map(([out, file]) => ({ in: `packages/${name}/src/${file}`, out })),
    outdir: join(stage, 'dist'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'silent',
  });
}

/** Declarations of the package and of the workspace packages whose types it uses, side by side as in the repository. */
async function buildTypes(name, { entries }, stage) {
  const types = join(stage, 'dist/types');
  const config = join(stage, 'tsconfig.json');
  const compilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
    // The service needs Node; a client need not.
    lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'],
    types: ['node'],
    // Found as sources: what is found in node_modules is not emitted.
    paths: {
      '@pts/contract/*': [join(ROOT, 'packages/contract/src/*.ts')],
      '@pts/core/*': [join(ROOT, 'packages/core/src/*.ts')],
    },
    typeRoots: [join(ROOT, 'node_modules/@types')],
    rootDir: join(ROOT, 'packages'),
    outDir: types,
  };
  const files = Object.values(entries).map((file) => join(ROOT, 'packages', name, 'src', file));
  writeFileSync(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, files }));
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]);
  rmSync(config);
  for (const file of declarationsIn(types)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(
        /((?:from|import\()\s*['"])([^'"]+)(['"])/g,
        (_, before, path, after) => before + published(path, file, types) + after,
      ),
    );
  }
}

function declarationsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => join(folder, path));
}

/** An import path as it works outside of this repository. */
function published(path, file, types) {
  const [, workspace, inner] = /^@pts\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (!workspace) return path.replace(/^(\.\.?\/.*)\.ts$/, '$1.js');
  const target = relative(dirname(file), join(types, workspace, 'src', `${inner}.js`)).replaceAll('\\', '/');
  return target.startsWith('.') ? target : `./${target}`;
}

function copyFiles(name, { entries, programs = {} }, stage) {
  const folder = join(ROOT, 'packages', name);
  const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { version, engines, repository, license } = {
    ...JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')),
    ...own,
  };
  const extra = own.files ?? [];
  for (const path of extra) cpSync(join(folder, path), join(stage, path), { recursive: true });
  const exports = Object.fromEntries(
    Object.entries(entries).map(([path, file]) => {
      const base = file.replace(/\.ts$/, '');
      return [path, { types: `./dist/types/${name}/src/${base}.d.ts`, default: `./dist/${base}.js` }];
    }),
  );
  for (const path of extra.filter((path) => path.endsWith('.json'))) exports[`./${path}`] = `./${path}`;
  const manifest = {
    name: own.name,
    version,
    description: own.description,
    type: 'module',
    sideEffects: false,
    engines,
    repository,
    license,
    files: ['dist', ...extra],
    // Older resolvers of TypeScript look here.
    types: exports['.'].types,
    main: exports['.'].default,
    exports,
    bin: Object.fromEntries(Object.keys(programs).map((program) => [program, `dist/${program}.js`])),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url, ['--out']);
  const [name = '', flag, out = ROOT] = process.argv.slice(2);
  try {
    if (flag !== undefined && flag !== '--out')
      throw new ScriptError(`No such option: ${flag}.\n\nnpm run pack -- NAME [--out DIR]`);
    process.stdout.write(`${await pack(name, out)}\n`);
  } catch (error) {
    fail(error);
  } finally {
    await (await import('esbuild')).stop();
  }
}
