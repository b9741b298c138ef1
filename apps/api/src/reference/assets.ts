import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type StaticFile } from '../static/static-file.ts';

/** The files of the page, all served by us: its own, then those of Swagger UI. */
const TYPES = {
  'init.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

export type Page = { html: StaticFile; assets: ReadonlyMap<string, StaticFile> };

/**
 * Reads the page into memory: from next to the bundle, where the build puts it, or from the sources when they run directly.
 * @throws an Error that names a file which is missing.
 */
export function readPage(folders = foldersOf(import.meta.url)): Page {
  const assets = new Map(
    Object.entries(TYPES).map(([name, type]) => [name, createFile(read(name, folders), type)] as const),
  );
  const html = read('index.html', folders)
    .toString()
    // The URL of an asset contains its digest, so it can be cached forever.
    .replaceAll(/"docs\/([\w.-]+)"/g, (_all, name: string) => {
      const asset = assets.get(name);
      if (!asset) throw new Error(`The page of the API reference refers to ${name}, which is not one of its assets.`);
      return `"docs/${name}?v=${asset.digest}"`;
    });
  return { html: createFile(Buffer.from(html), 'text/html; charset=utf-8'), assets };
}

function foldersOf(self: string): string[] {
  const here = dirname(fileURLToPath(self));
  if (!self.endsWith('.ts')) return [join(here, 'reference')];
  return [join(here, 'page'), dirname(createRequire(self).resolve('swagger-ui-dist/package.json'))];
}

function read(name: string, folders: readonly string[]): Buffer {
  const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new Error(`${name} of the API reference is missing in ${folders.join(' and ')}. Build the API again.`);
  }
  return readFileSync(path);
}
