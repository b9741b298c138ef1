import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server from a package of the system. */
export type AptPackage = {
  name: string;
  /** Further packages that the machine must have. */
  also?: readonly string[];
  /** Its program: the path in the package or, if that has its version, what its name in usr/bin or bin looks like. */
  server: string | RegExp;
  /** A folder below `.cache`: outside of any package, kept between runs, ignored by git. */
  cache: string;
};
/** `home` has the files of the packages. */
export type AptServer = { server: string; env: NodeJS.ProcessEnv; home?: string };

const homeOf = ({ cache }: AptPackage) => join(process.cwd(), '.cache', cache);

/** The files that an earlier run has unpacked, if any. */
export function cachedWithApt(wanted: AptPackage): AptServer | undefined {
  const home = homeOf(wanted);
  const server = programIn(home, wanted);
  if (server === undefined) return undefined;
  return { server, env: { LD_LIBRARY_PATH: readFileSync(join(home, 'library-path'), 'utf8') }, home };
}

function programIn(root: string, { server }: AptPackage): string | undefined {
  if (typeof server === 'string') return existsSync(join(root, server)) ? join(root, server) : undefined;
  const programs = ['usr/bin', 'bin'].flatMap((bin) =>
    existsSync(join(root, bin))
      ? readdirSync(join(root, bin)).map((file) => ({ file, path: join(root, bin, file) }))
      : [],
  );
  return programs.find(({ file }) => server.test(file))?.path;
}

/**
 * Downloads a package, with those that it needs and the machine lacks, and unpacks them into a folder of ours. It needs no
 * root and changes nothing on the system: no package gets installed, no service started.
 */
export async function installWithApt(wanted: AptPackage): Promise<AptServer> {
  const home = homeOf(wanted);
  const work = `${home}.${process.pid}`;
  const root = join(work, 'root');
  const apt = (...args: string[]) =>
    run('apt-get', [...privateState(work), '-qq', '-y', ...args], { timeout: 300_000 });
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'root'])
      mkdirSync(join(work, folder), { recursive: true });
    await apt('update');
    await apt('install', '--no-install-recommends', '--download-only', wanted.name, ...(wanted.also ?? []));
    const packages = readdirSync(join(work, 'archives')).filter((file) => file.endsWith('.deb'));
    for (const file of packages) await run('dpkg-deb', ['-x', join(work, 'archives', file), root]);
    if (programIn(root, wanted) === undefined) throw new Error(`apt-get gave no ${wanted.name}`);
    const libraries = libraryFolders(root).map((folder) => join(home, folder));
    writeFileSync(join(root, 'library-path'), libraries.join(':'));
    try {
      renameSync(root, home);
    } catch (error) {
      // Test files run in several processes: another one may have been faster. What it uses must not be replaced.
      if (!existsSync(home)) throw error;
      if (!cachedWithApt(wanted)) {
        rmSync(home, { recursive: true, force: true });
        renameSync(root, home);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const installed = cachedWithApt(wanted);
  if (!installed) throw new Error(`the unpacked ${wanted.name} was deleted`);
  return installed;
}

function privateState(work: string): string[] {
  const settings = {
    'Dir::State::lists': join(work, 'lists'),
    'Dir::Cache': work,
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Log': work,
    'Debug::NoLocking': '1',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': userInfo().username,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function libraryFolders(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.so(\.|$)/.test(path));
  return [...new Set(files.map((path) => dirname(path)))];
}
