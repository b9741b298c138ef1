import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');

/** Paths are relative to the repository's root throughout. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** Every file below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** Every document of a YAML file. @throws when one cannot be parsed */
export function parseYaml<T>(path: string): T[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) throw new Error(`${path}: ${fault.message}`);
    return document.toJS() as T;
  });
}

/** The exporter of traces reads it itself: a collector may want a token. */
export const OF_EXPORTER = 'OTEL_EXPORTER_OTLP_HEADERS';

/** The variables `.env.example` lists, set or commented out. */
export function knownVariables(): Set<string> {
  return new Set(Array.from(read('.env.example').matchAll(/^#?\s*([A-Z][A-Z0-9_]*)=/gm), ([, name]) => name ?? ''));
}

/** The processes that have an image. `standalone` is run from the sources; browsers load the console and the portal. */
export function apps(): string[] {
  const isProcess = (name: string) => name !== 'standalone' && name !== 'portal';
  return readdirSync(join(ROOT, 'apps')).filter((name) => isProcess(name) && exists(`apps/${name}/src/main.ts`));
}
