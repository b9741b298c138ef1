import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AptPackage, cachedWithApt, installWithApt } from '@pts/testing/servers/apt';

/** A command that runs PHP with curl; `lacks` says why there is none. */
type Php = { command: string[]; lacks?: string };

const PACKAGE: AptPackage = { name: 'php-cli', also: ['php-curl'], server: /^php\d/, cache: 'php' };

/** The system's PHP, or one that is downloaded for the tests alone; a machine without apt-get has none. */
export async function findPhp(): Promise<Php> {
  const probe = 'exit(extension_loaded("curl") ? 0 : 1);';
  if (spawnSync('php', ['-r', probe]).status === 0) return { command: ['php'] };
  try {
    const { server, env, home = '' } = cachedWithApt(PACKAGE) ?? (await installWithApt(PACKAGE));
    const extension = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((path) => /\bcurl\.so$/.test(path));
    const libraries = `LD_LIBRARY_PATH=${env.LD_LIBRARY_PATH ?? ''}`;
    const command = ['env', libraries, server, '-n', '-d', `extension=${join(home, extension ?? '')}`];
    if (spawnSync(command[0] ?? '', [...command.slice(1), '-r', probe]).status === 0) return { command };
    return { command, lacks: 'the PHP of apt-get does not run' };
  } catch {
    return { command: [], lacks: 'PHP is not installed, and apt-get has none' };
  }
}
