import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a version is stated outside of package.json files: as an image's tag, in the name of the migration's Job. */
const STATED =
  /(?:newTag: |- version=|parcel-tracking-migrate-|parcel-tracking\/[a-z-]+:)v?(\d+\.\d+\.\d+[-.a-z0-9]*)/g;
const TEXTS = ['k8s', 'docker', 'docs', '.ci'];

/** Where a checkout states a version of its own: the place, and the version. */
export function statedVersions(root: string): [place: string, version: string][] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const filesIn = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
  );
  const manifests = workspaces.map((path): [string, string] => [path, JSON.parse(read(path)).version]);
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: Record<string, Locked> };
  const locked = Object.entries(lock.packages)
    .filter(([path]) => !path.includes('node_modules'))
    .map(([path, { version }]): [string, string] => [`package-lock.json, ${path || 'the root'}`, version]);
  const texts = ['README.md', ...TEXTS.flatMap(filesIn)].flatMap((path) =>
    Array.from(read(path).matchAll(STATED), ([, version = '']): [string, string] => [path, version]),
  );
  return [...manifests, ['package-lock.json', lock.version], ...locked, ...texts];
}

/** The first section of the changelog: `Unreleased`, or a version. */
export function newestSection(root: string): string {
  return /^## (.*)$/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))?.[1] ?? '';
}

type Locked = { version: string };
