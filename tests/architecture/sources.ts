import { posix } from 'node:path';
import { exists, filesIn, read } from '../deployment/repository.ts';

/** A file of ours; its path is relative to the repository's root. */
export type Source = { path: string; text: string };

export type Workspace = { path: string; name: string; dependencies: string[] };

export type Repository = { sources: Source[]; workspaces: Workspace[]; rootDevDependencies: string[] };

type Manifest = { name: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

const manifest = (path: string): Manifest => JSON.parse(read(path));
const namesIn = (dependencies: Record<string, string> = {}) => Object.keys(dependencies);

/** Every hand-written source file: of the workspaces and of scripts/. */
export function readRepository(): Repository {
  const workspaces = ['packages', 'apps']
    .flatMap((folder) => filesIn(folder).filter((path) => /^\w+\/[^/]+\/package\.json$/.test(path)))
    .map((path) => {
      const { name, dependencies } = manifest(path);
      return { path: posix.dirname(path), name, dependencies: namesIn(dependencies) };
    });
  const folders = [...workspaces.map(({ path }) => `${path}/src`).filter(exists), 'scripts'];
  const paths = folders
    .flatMap(filesIn)
    .filter((path) => /\.(tsx?|mjs)$/.test(path) && !/\/generated\/|\.d\.ts$/.test(path));
  return {
    sources: paths.map((path) => ({ path, text: read(path) })),
    workspaces,
    rootDevDependencies: namesIn(manifest('package.json').devDependencies),
  };
}

/** Tests, and code that only tests use: `x.test.ts`, and all below a folder `testing`. */
export function isForTests(path: string): boolean {
  return /\.test\.tsx?$|^(packages|apps)\/[^/]+\/src\/(.*\/)?testing\//.test(path);
}

const SPECIFIERS = [
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
  /\brequire(?:\.resolve)?\(\s*['"]([^'"]+)['"]/g,
];

/** What a file imports, types included. */
export function importsOf({ text }: Source): string[] {
  return SPECIFIERS.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, specifier]) => specifier ?? ''));
}

/** The package that a specifier names, `null` for a path and for Node's own modules. */
export function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The workspace that a file is in. */
export function homeOf(path: string, { workspaces }: Repository): Workspace | undefined {
  return workspaces.find((workspace) => path.startsWith(`${workspace.path}/`));
}

/** The workspace that an import refers to: by its path if it is relative, otherwise by its name. */
export function targetOf(source: Source, specifier: string, repository: Repository): Workspace | undefined {
  return specifier.startsWith('.')
    ? homeOf(posix.join(posix.dirname(source.path), specifier), repository)
    : repository.workspaces.find(({ name }) => name === packageOf(specifier));
}

/** The code of a file without its comments. */
export function codeOf({ text }: Source): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
