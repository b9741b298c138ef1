import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ownInputs, sbomPlugin } from './bundling/builds.mjs';
import { ROOT } from './lib.mjs';

const SOURCES = 'apps/console/src';
/** The view that most readers see first: it comes with the page, not only when the page has asked for it. */
const FIRST_VIEW = 'views/overview/overview.tsx';
/** Where the API serves it. */
const BASE = '/console';

/**
 * Builds the console: `index.html`, `build.json`, and assets whose names change with their content, each also
 * compressed. The assets of the previous build stay: open tabs still load them.
 * @param put writes a file atomically
 * @returns the sources that it was made of
 */
export async function buildConsole(dist, put) {
  const { script, style, preloads, assets, sources } = await bundleConsole(dist);
  const names = assets.map(({ path }) => basename(path));
  const before = lastBuild(dist);
  const previous = before.script === script ? before.previous : before.assets;
  mkdirSync(join(dist, 'assets'), { recursive: true });
  for (const files of await Promise.all(assets.map(pack)))
    for (const [name, contents] of files) put(join(dist, 'assets', name), contents);
  // The page comes after the assets that it names.
  put(join(dist, 'index.html'), pageOf({ script, style, preloads }));
  put(join(dist, 'build.json'), JSON.stringify({ script, assets: names, previous }));
  const kept = new Set([...names, ...previous].flatMap((name) => [name, `${name}.br`, `${name}.gz`]));
  for (const name of readdirSync(join(dist, 'assets')))
    if (!kept.has(name)) rmSync(join(dist, 'assets', name), { force: true });
  return sources;
}

async function bundleConsole(dist) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: `${SOURCES}/main.tsx` },
    outdir: 'apps/console/dist',
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [await sbomPlugin(dist)],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  const [path, main] = outputOf(`${SOURCES}/main.tsx`);
  const [firstPath, first] = outputOf(`${SOURCES}/${FIRST_VIEW}`);
  const importsOf = ({ imports }) => imports.filter(({ kind }) => kind === 'import-statement').map((one) => one.path);
  // The style sheet of the entry also holds those of the views that are loaded later; theirs are copies.
  const style = basename(main.cssBundle);
  return {
    script: basename(path),
    style,
    preloads: [...new Set([...importsOf(main), firstPath, ...importsOf(first)])].map((one) => basename(one)),
    assets: outputFiles.filter((file) => file.path.endsWith('.js') || basename(file.path) === style),
    sources: [
      ...ownInputs(metafile),
      ...['index.html', 'icon.svg'].map((name) => `${SOURCES}/${name}`),
      'scripts/parts/console.mjs',
    ],
  };
}

function lastBuild(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8'));
  } catch {
    return { script: '', assets: [], previous: [] };
  }
}

async function pack({ path, contents }) {
  const name = basename(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(contents, { params }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  return [
    [name, contents],
    [`${name}.br`, br],
    [`${name}.gz`, gz],
  ];
}

function pageOf({ script, style, preloads }) {
  const icon = readFileSync(join(ROOT, SOURCES, 'icon.svg'), 'base64');
  const head = [
    `<link rel="icon" href="data:image/svg+xml;base64,${icon}">`,
    `<link rel="stylesheet" href="${BASE}/assets/${style}">`,
    ...preloads.map((name) => `<link rel="modulepreload" href="${BASE}/assets/${name}">`),
    `<script type="module" src="${BASE}/assets/${script}"></script>`,
  ];
  return readFileSync(join(ROOT, SOURCES, 'index.html'), 'utf8').replace('<!-- assets -->', head.join('\n    '));
}
