// npm run new-provider -- NAME: makes the folder of a provider from a template, whose tests fail until it is filled in, and its
// line in the index. docs/new-carrier.md guides you through the rest.
import './node-version.mjs';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesOf, nameFault, withProvider } from './new-provider/files.mjs';

const { fail, Problem, ROOT } = await import('./lib.mjs');
const [name = '', root = ROOT] = process.argv.slice(2);

try {
  const providers = join(root, 'packages/carriers/src/providers');
  const fault = nameFault(name, readdirSync(providers));
  if (fault) throw new Problem(fault);
  for (const [path, text] of filesOf(name)) {
    const file = join(providers, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const index = join(providers, 'index.ts');
  writeFileSync(index, withProvider(readFileSync(index, 'utf8'), name));
  process.stdout.write(`Made packages/carriers/src/providers/${name} and its line in the index.
Fill it in until its tests pass:  npm test -- providers/${name}
Then write its settings where they belong:  npm run generate-providers
docs/new-carrier.md guides you through it.\n`);
} catch (error) {
  fail(error);
}
