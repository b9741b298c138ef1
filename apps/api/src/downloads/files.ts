import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type StaticFile } from '../static/static-file.ts';

const SUMS = 'SHA256SUMS';

const TYPES: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.json': 'application/json; charset=utf-8',
};

/** What the build has packed: packages and examples by their names, and their checksums. */
export type Downloads = {
  packages: ReadonlyMap<string, StaticFile>;
  sums: StaticFile;
  /** SHA-256 in hexadecimal, by name. */
  sumOf(name: string): string;
};

/** Reads the packages into memory. @returns null if they have not been built. */
export function readDownloads(folder = folderOf(import.meta.url)): Downloads | null {
  if (!existsSync(join(folder, SUMS))) return null;
  const read = (name: string) => readFileSync(join(folder, name));
  const sums = read(SUMS);
  const byName = new Map(
    sums
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  return {
    packages: new Map([...byName.keys()].map((name) => [name, offered(name, read(name))])),
    sums: createFile(sums, 'text/plain; charset=utf-8'),
    sumOf: (name) => byName.get(name) ?? '',
  };
}

function offered(name: string, body: Buffer): StaticFile {
  const file = createFile(body, TYPES[extname(name)] ?? '');
  // An archive is compressed already.
  return name.endsWith('.tgz') ? { ...file, packed: () => null } : file;
}

/** Seen from the API's bundle, or from its sources. */
function folderOf(self: string): string {
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../dist/downloads' : 'downloads');
}
