// Sets the checkout up, bundles a program of bench/ and runs it: with signals passed on, and with its exit code.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.mjs';
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
    const { outputFiles } = await bundle(entry, file);
    await (await import('esbuild')).stop();
    mkdirSync(dirname(file), { recursive: true });
    for (const { path, contents } of outputFiles) writeFileSync(path, contents);
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
