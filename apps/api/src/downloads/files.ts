import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type StaticFile } from '../static/static-file.ts';

const SUMS = 'SHA256SUMS';

/** What the build has packed: packages by their names, and their checksums. */
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
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const sums = read(SUMS);
  const byName = new Map(
    sums
      .toString()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  return {
    packages: new Map(names.map((name) => [name, packed(read(name))])),
    sums: createFile(sums, 'text/plain; charset=utf-8'),
    sumOf: (name) => byName.get(name) ?? '',
  };
}

/** It is compressed already. */
function packed(body: Buffer): StaticFile {
  return { ...createFile(body, 'application/gzip'), packed: () => null };
}

/** Seen from the API's bundle, or from its sources. */
function folderOf(self: string): string {
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../dist/downloads' : 'downloads');
}
