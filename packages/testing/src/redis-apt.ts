import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Outside of any package: kept between runs, ignored by git. */
const HOME = join(process.cwd(), '.cache/redis');
const SERVER = 'usr/bin/redis-server';

export type AptRedis = { server: string; env: NodeJS.ProcessEnv };

/** The Redis that an earlier run got, if any. */
export function aptRedis(): AptRedis | undefined {
  if (!existsSync(join(HOME, SERVER))) return undefined;
  return { server: join(HOME, SERVER), env: { LD_LIBRARY_PATH: readFileSync(join(HOME, 'library-path'), 'utf8') } };
}

/**
 * Downloads the packages of redis-server that the machine lacks and unpacks them into a folder of ours. It needs no root and
 * changes nothing on the system: no package gets installed, no service started.
 */
export async function installWithApt(): Promise<AptRedis> {
  const work = `${HOME}.${process.pid}`;
  const apt = (...args: string[]) =>
    run('apt-get', [...privateState(work), '-qq', '-y', ...args], { timeout: 300_000 });
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'root'])
      mkdirSync(join(work, folder), { recursive: true });
    await apt('update');
    await apt('install', '--no-install-recommends', '--download-only', 'redis-server');
    const packages = readdirSync(join(work, 'archives')).filter((file) => file.endsWith('.deb'));
    for (const file of packages) await run('dpkg-deb', ['-x', join(work, 'archives', file), join(work, 'root')]);
    if (!existsSync(join(work, 'root', SERVER))) throw new Error('apt-get gave no redis-server');
    writeFileSync(
      join(work, 'root/library-path'),
      libraryFolders(join(work, 'root'))
        .map((folder) => join(HOME, folder))
        .join(':'),
    );
    rmSync(HOME, { recursive: true, force: true });
    renameSync(join(work, 'root'), HOME);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const installed = aptRedis();
  if (!installed) throw new Error('the unpacked redis-server is gone');
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
