import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { digestOf, loadModule, ownInputs, sbomPlugin } from './bundling/builds.mjs';
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
  const [browser, site] = await Promise.all([bundleBrowser(dist), loadModule(`${APP}/src/main.ts`)]);
  const sources = new Set([...browser.sources, ...site.sources, 'scripts/parts/portal.mjs', CHANGE_DAYS]);
  const read = (path) => {
    const isThere = existsSync(join(ROOT, path));
    sources.add(path);
    return isThere ? readFileSync(join(ROOT, path), 'utf8') : null;
  };
  const pages = site.module.makeSite({
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
