import { readdirSync, readFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const PROVIDERS = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'sandbox')
  .map(({ name }) => name);

/** A row of a table of codes whose trouble is of an unnamed kind. */
const UNNAMED = /^\s+['\w -]+: '(?:exception|undeliverable)',(?: \/\/ (.+))?$/;

test.each(PROVIDERS)('%s: every code of trouble names its problem, or says why it has none', (name) => {
  const lines = readFileSync(new URL(`${name}/parse.ts`, here), 'utf8').split('\n');
  expect(lines.filter((line) => UNNAMED.exec(line) !== null && UNNAMED.exec(line)?.[1] === undefined)).toEqual([]);
});
