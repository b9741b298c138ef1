// npm run new-provider -- NAME: makes the folder of a provider from a template and its line in the index, formatted and
// with tests that pass. docs/new-carrier.md guides you through the rest.
import './parts/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesOf, nameFault, withProvider } from './new-provider/files.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { fail, ScriptError, ROOT } = await import('./parts/lib.mjs');
const { setUp } = await import('./parts/setup.mjs');
const [name = '', root = ROOT] = process.argv.slice(2);

try {
  const providers = join(root, 'packages/carriers/src/providers');
  const fault = nameFault(name, readdirSync(providers));
  if (fault) throw new ScriptError(fault);
  // The formatter is one of the dependencies.
  await setUp({ apps: [] });
  for (const [path, text] of filesOf(name)) {
    const file = join(providers, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const index = join(providers, 'index.ts');
  writeFileSync(index, withProvider(readFileSync(index, 'utf8'), name));
  format(join(providers, name), index);
  process.stdout.write(`Made packages/carriers/src/providers/${name} and its line in the index.
Put answers of the API into its fixtures, then fill it in until its tests pass again:  npm test -- providers/${name}
Then write its settings where they belong:  npm run generate-settings
docs/new-carrier.md guides you through it.\n`);
} catch (error) {
  fail(error);
}

/** Sorts the imports and breaks the lines that a long name made too long. */
function format(...paths) {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const { status, stderr } = spawnSync(process.execPath, [biome, 'check', '--write', ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new ScriptError(`The files were made, but could not be formatted:\n${stderr}`);
}
