// Sets the checkout up, bundles a program of bench/ and runs it: with signals passed on, and with its exit code.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bundleInto } from './bundle.mjs';
import { asksForHelp } from './help.mjs';
import { endWithNpm, fail, ROOT } from './lib.mjs';
import { setUp } from './setup.mjs';

/**
 * `entry` is the program's file, `name` that of its bundle; `apps` are the services that it starts, unless it only
 * prints its help. The bundle is as deep below the root as the sources, so that paths relative to the file work in it,
 * too.
 */
export async function runBundled({ entry, name, apps = [] }) {
  endWithNpm();
  const file = join(ROOT, `.cache/${name}/run/${name}.mjs`);
  try {
    await setUp({ apps: asksForHelp() ? [] : apps, out: process.stderr });
    await bundleInto(file, entry);
  } catch (error) {
    fail(error);
  }
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}
