import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './postgres-home.ts';
import { readFromStart } from './read-from-start.ts';
import { Tether } from './tether.ts';

const CLUSTER = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--no-sync', '--no-instructions'];
/** From PostgreSQL 17 on, a locale may be built in: the same everywhere. */
const LOCALE = {
  builtin: ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  libc: ['--locale=C.UTF-8'],
};
/** A cluster that is being created: data.partial.<pid>. */
const PARTIAL = 'data.partial.';

/** Created next to the data folder, then renamed to it: if we are killed in between, the next start creates it again. */
export async function createCluster(
  home: Home,
  binaries: string,
  log: (line: string) => void,
  locale: keyof typeof LOCALE,
): Promise<void> {
  log('creating the database cluster');
  for (const name of readdirSync(home.dir).filter((entry) => entry.startsWith(PARTIAL)))
    rmSync(join(home.dir, name), { recursive: true, force: true, maxRetries: 10 });
  rmSync(home.dataDir, { recursive: true, force: true });
  const passwordFile = join(home.dir, 'password');
  writeFileSync(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  if (home.user) chownSync(passwordFile, home.user.uid, home.user.gid);
  const partial = join(home.dir, `${PARTIAL}${process.pid}`);
  await initdb(home, binaries, [`--pgdata=${partial}`, `--pwfile=${passwordFile}`, ...LOCALE[locale]]);
  renameSync(partial, home.dataDir);
}

/** As a child that ends with us, but does not get the terminal's Ctrl-C: we handle that first. */
async function initdb(home: Home, binaries: string, args: string[]): Promise<void> {
  const output = openSync(join(home.dir, 'log'), 'w+', 0o600);
  try {
    const tether = new Tether(join(binaries, 'bin/initdb'), [...args, ...CLUSTER], {
      stopSignal: 'TERM',
      output,
      env: { LC_ALL: 'C' },
      ...home.user,
    });
    if ((await tether.exited) === 0) return;
    const said = readFromStart(output).replaceAll('\0', '').trim().split('\n').slice(-10).join('\n');
    throw new Error(`could not create the embedded PostgreSQL in ${home.dir}:\n${said}`);
  } finally {
    closeSync(output);
  }
}
