import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AptPackage, cachedWithApt, installWithApt } from '@pts/testing/servers/programs';

/** A command that runs PHP with curl; `lacks` says why there is none. */
type Php = { command: string[]; lacks?: string };

/** With what a generated client needs: Guzzle, and the extensions that it uses. */
const PACKAGE: AptPackage = {
  name: 'php-cli',
  also: ['php-curl', 'php-mbstring', 'php-guzzlehttp-guzzle'],
  server: /^php\d/,
  cache: 'php-guzzle',
};
const EXTENSIONS = ['curl', 'mbstring', 'tokenizer'];

/** The system's PHP, or one that is downloaded for the tests alone; a machine without apt-get has none. */
export async function findPhp(): Promise<Php> {
  const probe = 'exit(extension_loaded("curl") ? 0 : 1);';
  if (spawnSync('php', ['-r', probe]).status === 0) return { command: ['php'] };
  try {
    const { server, env, home = '' } = cachedWithApt(PACKAGE) ?? (await installWithApt(PACKAGE));
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    const extensions = files.filter((path) => EXTENSIONS.some((name) => path.endsWith(`/${name}.so`)));
    const settings = [
      ...extensions.map((path) => `extension=${join(home, path)}`),
      `include_path=.:${join(home, 'usr/share/php')}`,
    ].flatMap((setting) => ['-d', setting]);
    const libraries = `LD_LIBRARY_PATH=${env.LD_LIBRARY_PATH ?? ''}`;
    const command = ['env', libraries, server, '-n', ...settings];
    if (spawnSync(command[0] ?? '', [...command.slice(1), '-r', probe]).status === 0) return { command };
    return { command, lacks: 'the PHP of apt-get does not run' };
  } catch {
    return { command: [], lacks: 'PHP is not installed, and apt-get has none' };
  }
}
