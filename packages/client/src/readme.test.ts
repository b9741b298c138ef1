import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from './client.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The methods in a page's table, by the part of the client that has them. */
function methodsIn(page: string): Record<string, string[]> {
  const rows = readFileSync(join(ROOT, page), 'utf8').matchAll(/^\| `(\w+)` \| ((?:`\w+` ?)+)\|$/gm);
  return Object.fromEntries(
    Array.from(rows, ([, part = '', names = '']) => [part, Array.from(names.matchAll(/\w+/g), String).sort()]),
  );
}

test.each(['packages/client/README.md', 'docs/zh/client.md'])('%s names every method of the client', (page) => {
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  const methods = Object.entries(client).map(([part, own]) => [part, Object.keys(own).sort()]);
  expect(methodsIn(page)).toEqual(Object.fromEntries(methods));
});
