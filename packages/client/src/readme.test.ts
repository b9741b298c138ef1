import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { createClient } from './client.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The methods in a page's table, by the part of the client that has them. */
function methodsIn(page: string): Record<string, string[]> {
  const rows = page.matchAll(/^\| `(\w+)` \| ((?:`\w+` ?)+)\|$/gm);
  return Object.fromEntries(
    Array.from(rows, ([, part = '', names = '']) => [part, Array.from(names.matchAll(/\w+/g), String).sort()]),
  );
}

test.each(['packages/client/README.md', 'docs/zh/client.md'])('%s names every method of the client', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8');
  const { call: _, ...parts } = createClient({ baseUrl: 'https://api.example.com', apiKey: 'tk_1' });
  const methods = Object.entries(parts).map(([part, own]) => [part, Object.keys(own).sort()]);
  expect(methodsIn(page)).toEqual(Object.fromEntries(methods));
  expect(page).toContain('| `call` |');
});

test.each([
  ...['packages/client/README.md', 'docs/cli.md', 'docs/first-push.md'],
  ...['docs/zh/client.md', 'docs/zh/cli.md', 'docs/zh/first-push.md'],
  'apps/api/src/site/routers.ts',
])('%s names the version of Node that the client needs', (path) => {
  const since = manifest.engines.node.replace('>=', '');
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(` ${since} `);
  // It uses `AbortSignal.any`, and `crypto` without an import.
  expect(Number.parseFloat(since)).toBeGreaterThanOrEqual(20.3);
});
