import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cachedWithApt, installWithApt } from './apt.ts';

const INSTALLED = '/usr/lib/postgresql';
const NEEDED = ['postgres', 'initdb', 'pg_dump', 'pg_restore', 'psql'];

/** A PostgreSQL with its command line, which the one in node_modules does not have: the folder with bin/ and lib/. */
export type SystemPostgres = { binaries: string; env: NodeJS.ProcessEnv };

/** The newest one that is installed, or the system's, unpacked into .cache. @throws when there is none to install */
export async function systemPostgres(): Promise<SystemPostgres> {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(INSTALLED, version));
  const binaries = folders.find((folder) => NEEDED.every((program) => existsSync(join(folder, 'bin', program))));
  if (binaries !== undefined) return { binaries, env: {} };
  const { stdout } = await promisify(execFile)('apt-cache', ['show', 'postgresql']);
  const version = /^Version: (\d+)/m.exec(stdout)?.[1];
  if (version === undefined)
    throw new Error('This test needs pg_dump and its server: install the packages postgresql and postgresql-client.');
  const wanted = {
    name: `postgresql-${version}`,
    server: `usr/lib/postgresql/${version}/bin/postgres`,
    cache: 'postgresql',
  };
  const { server, env } = cachedWithApt(wanted) ?? (await installWithApt(wanted));
  return { binaries: dirname(dirname(server)), env };
}
