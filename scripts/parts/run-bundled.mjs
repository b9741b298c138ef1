// Sets the checkout up, bundles a program of bench/ and runs it: with signals passed on, and with its exit code.
import { join } from 'node:path';
import { begin } from './begin.mjs';
import { asksForHelp } from './help.mjs';

/**
 * `entry` is the program's file, `name` that of its bundle; `apps` are the services that it starts, unless it only
 * prints its help. The bundle is as deep below the root as the sources, so that paths relative to the file work in it,
 * too.
 */
export function runBundled({ entry, name, apps = [] }) {
  return begin({ apps: asksForHelp() ? [] : apps, out: process.stderr }, async ({ ROOT, runInTerminal }) => {
    const { bundleInto } = await import('./bundle.mjs');
    const file = join(ROOT, `.cache/${name}/run/${name}.mjs`);
    await bundleInto(file, entry);
    const code = await runInTerminal(['--enable-source-maps', file, ...process.argv.slice(2)]);
    process.exit(typeof code === 'number' ? code : 1);
  });
}
