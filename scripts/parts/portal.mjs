import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { ownInputs } from './bundling/own-sources.mjs';
import { sbomPlugin } from './bundling/sbom.mjs';
import { CHANGE_DAYS, changeDays } from './change-days.mjs';
import { ROOT } from './lib.mjs';

const APP = 'apps/portal';
/** Where the files are that the API serves below its root. */
const PUBLIC = 'public';
/** Compression quality: the best for assets; with it, hundreds of pages and the search indexes would take too long. */
const QUALITY = { page: 7, index: 9, asset: 11 };

/**
 * Builds the portal: a page for each guide, operation and error, in HTML and as Markdown, with its assets and search
 * index, each also compressed.
 * @param put writes a file atomically
 * @returns the files that it was made of
 */
export async function buildPortal(dist, put) {
  const [browser, { makeSite, inputs }] = await Promise.all([bundleBrowser(dist), loadSite(dist)]);
  const sources = new Set([...browser.sources, ...inputs, 'scripts/parts/portal.mjs', CHANGE_DAYS]);
  const read = (path) => {
    const isThere = existsSync(join(ROOT, path));
    sources.add(path);
    return isThere ? readFileSync(join(ROOT, path), 'utf8') : null;
  };
  const pages = makeSite({
    read,
    changedOn: changeDays(),
    assets: browser.names,
    nameFor: (index) => `search-${digestOf(index)}.json`,
  });
  const files = [...browser.assets, ...pages.map(({ path, text }) => ({ path, contents: Buffer.from(text) }))];
  const written = await Promise.all(files.map((file) => write(join(dist, PUBLIC), file, put)));
  removeOthers(join(dist, PUBLIC), new Set(written.flat()));
  // The last one: its presence says that the build is complete.
  put(join(dist, 'version.json'), JSON.stringify({ files: files.length }));
  return [...sources];
}

/** The scripts and styles that browsers load. */
async function bundleBrowser(dist) {
  const { build } = await import('esbuild');
  const common = {
    absWorkingDir: ROOT,
    outdir: `${APP}/dist/${PUBLIC}/docs/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
  };
  const results = await Promise.all([
    build({
      ...common,
      entryPoints: [`${APP}/src/browser/main.ts`],
      format: 'esm',
      splitting: true,
      plugins: [await sbomPlugin(dist)],
    }),
    build({ ...common, entryPoints: [`${APP}/src/browser/theme.ts`], format: 'iife' }),
    build({ ...common, entryPoints: [`${APP}/src/styles/main.css`] }),
  ]);
  const [script, theme, style] = results.map(({ metafile }) => {
    const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint);
    return basename(path);
  });
  const icon = `${APP}/src/styles/icon.svg`;
  const assets = results
    .flatMap(({ outputFiles }) => outputFiles)
    .map(({ path, contents }) => ({ path: `docs/assets/${basename(path)}`, contents, quality: QUALITY.asset }));
  return {
    names: { script, theme, style },
    assets: [
      ...assets,
      { path: 'docs/assets/icon.svg', contents: readFileSync(join(ROOT, icon)), quality: QUALITY.asset },
    ],
    sources: [...results.flatMap(({ metafile }) => ownInputs(metafile)), icon],
  };
}

/** Loads the code that makes the pages: it is TypeScript, so it is bundled and then run. */
async function loadSite(dist) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${APP}/src/main.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`,
    },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const [{ contents }] = outputFiles;
  const file = join(dist, `.site-${digestOf(contents)}-${process.pid}.mjs`);
  mkdirSync(dist, { recursive: true });
  writeFileSync(file, contents);
  try {
    const { makeSite } = await import(file);
    return { makeSite, inputs: ownInputs(metafile) };
  } finally {
    rmSync(file);
  }
}

const digestOf = (contents) =>
  createHash('sha256').update(contents).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8);

/** Writes a file and its compressed form. @returns the paths of both */
async function write(folder, { path, contents, quality = path.endsWith('.json') ? QUALITY.index : QUALITY.page }, put) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  put(target, contents);
  put(`${target}.br`, await promisify(brotliCompress)(contents, { params }));
  return [path, `${path}.br`];
}

/** Removes what an earlier build has left behind, but not what another one is writing. */
function removeOthers(folder, kept) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isPartial = /\.\d+$/.test(entry.name);
    if (entry.isFile() && !isPartial && !kept.has(relative(folder, path).replaceAll('\\', '/')))
      rmSync(path, { force: true });
  }
}
