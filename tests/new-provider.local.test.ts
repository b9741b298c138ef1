import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROVIDERS = 'packages/carriers/src/providers';

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'pts-new-provider-'));
  mkdirSync(join(checkout, PROVIDERS, 'taken'), { recursive: true });
  cpSync(join(root, PROVIDERS, 'index.ts'), join(checkout, PROVIDERS, 'index.ts'));
});
afterEach(() => rmSync(checkout, { recursive: true }));

function newProvider(name: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/new-provider.mjs', name, checkout], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}
const read = (path: string) => readFileSync(join(checkout, PROVIDERS, path), 'utf8');

test('a new provider is a complete folder and a line in the index', () => {
  const { status, said } = newProvider('blue-fox');
  expect([status, said]).toEqual([0, expect.stringContaining('npm test -- providers/blue-fox')]);
  expect(readdirSync(join(checkout, PROVIDERS, 'blue-fox')).sort()).toEqual(
    ['client.ts', 'codes.ts', 'fixtures', 'manifest.ts', 'parse.test.ts', 'parse.ts'].sort(),
  );
  const manifest = read('blue-fox/manifest.ts');
  for (const part of ["name: 'blue-fox'", 'export const blueFox', "'BLUE_FOX_API_KEY'"])
    expect(manifest).toContain(part);
  const index = read('index.ts');
  expect(index).toContain("import { blueFox } from './blue-fox/manifest.ts';");
  expect(index).toMatch(/ProviderManifest\[\] = \[\n {2}blueFox,\n/);
});

test.each([
  ['', 'Say its name'],
  ['Blue Fox', 'Say its name'],
  ['../fox', 'Say its name'],
  ['taken', 'There is a provider taken already'],
])('the name %j is refused, and nothing written', (name, words) => {
  const { status, said } = newProvider(name);
  expect([status, said]).toEqual([1, expect.stringContaining(words)]);
  expect(readdirSync(join(checkout, PROVIDERS)).sort()).toEqual(['index.ts', 'taken']);
});
