import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type StaticFile } from '../static/static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the portal. A page's address has no `.html`. */
export type PortalFile = { address: string; kind: 'page' | 'asset' | 'text'; file: StaticFile };

/**
 * Reads the developer portal into memory, as its build has left it.
 * @returns null if it has not been built.
 */
export function readPortal(dist = distOf(import.meta.url)): PortalFile[] | null {
  const folder = join(dist, 'public');
  if (!existsSync(join(dist, 'version.json'))) return null;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const extension = extname(path);
      const address = `/${relative(folder, path)
        .replaceAll(sep, '/')
        .replace(/\.html$/, '')}`;
      const kind = extension === '.html' ? 'page' : address.startsWith('/docs/assets/') ? 'asset' : 'text';
      return {
        address,
        kind,
        file: createFile(readFileSync(path), TYPES[extension] ?? '', { br: readFileSync(`${path}.br`) }),
      };
    });
}

/** The portal's `dist`: seen from the API's bundle, or from its sources. */
function distOf(self: string): string {
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../..' : '../..', 'portal/dist');
}
