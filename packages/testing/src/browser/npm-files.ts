import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 300_000;

/**
 * Makes files from a package of npm, once: below `.cache`, outside of the dependencies, ignored by git.
 * @param make writes them into `into`, from the package's own folder
 * @returns the folder of the files
 */
export async function filesFromNpm(
  name: string,
  npmPackage: { name: string; version: string },
  make: (packageDir: string, into: string) => void | Promise<void>,
): Promise<string> {
  const home = join(process.cwd(), '.cache', name);
  if (existsSync(home)) return home;
  mkdirSync(dirname(home), { recursive: true });
  const work = mkdtempSync(`${home}.`);
  try {
    const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const [command = 'npm', ...first] = npm;
    const options = ['--prefix', work, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run(command, [...first, 'install', ...options, `${npmPackage.name}@${npmPackage.version}`], {
      timeout: INSTALL_MS,
      cwd: work,
    });
    const into = join(work, 'made');
    mkdirSync(into);
    await make(join(work, 'node_modules', npmPackage.name), into);
    try {
      renameSync(into, home);
    } catch (error) {
      // Another process has been faster.
      if (!existsSync(home)) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return home;
}
