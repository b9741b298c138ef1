import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CARRIERS = 'packages/carriers';
const PROVIDERS = `${CARRIERS}/src/providers`;

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'pts-new-provider-'));
  for (const path of ['biome.json', 'tsconfig.base.json', '.gitignore']) cpSync(join(root, path), join(checkout, path));
});
afterEach(() => rmSync(checkout, { recursive: true }));

function run(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}
const newProvider = (name: string) => run(root, 'scripts/new-provider.mjs', name, checkout);
const read = (path: string) => readFileSync(join(checkout, PROVIDERS, path), 'utf8');

describe('among the other providers', () => {
  beforeEach(() => {
    cpSync(join(root, CARRIERS), join(checkout, CARRIERS), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist)$/.test(path),
    });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    symlinkSync(join(root, CARRIERS, 'node_modules'), join(checkout, CARRIERS, 'node_modules'));
  });

  const tool = (path: string, ...args: string[]) => run(checkout, join(root, 'node_modules', path), ...args);
  /** Runs test files of the providers; of their tests those that `named` names. */
  function runTests(files: readonly string[], named = '') {
    const config = {
      rootDir: checkout,
      testEnvironment: join(root, 'tests/jest/environment.mjs'),
      runtime: join(root, 'tests/jest/runtime.mjs'),
      transform: {},
      testMatch: files.map((file) => join(checkout, PROVIDERS, file)),
    };
    return tool('jest/bin/jest.js', '--config', JSON.stringify(config), '-t', named);
  }

  // One name holds a word of the template, the other makes lines too long.
  test.each(['acme-parcels', 'the-parcels-of-the-far-north-and-of-the-islands'])(
    '%s passes format, lint, types and its own tests as it is made',
    (name) => {
      const { status, said } = newProvider(name);
      expect([status, said]).toEqual([0, expect.stringContaining(`npm test -- providers/${name}`)]);
      expect(tool('@biomejs/biome/bin/biome', 'ci', PROVIDERS)).toMatchObject({ status: 0 });
      writeFileSync(
        join(checkout, 'tsconfig.json'),
        JSON.stringify({
          extends: './tsconfig.base.json',
          include: [`${PROVIDERS}/${name}`, `${PROVIDERS}/manifests.test.ts`],
        }),
      );
      expect(tool('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json')).toEqual({ status: 0, said: '' });
      const tested = runTests([`${name}/parse.test.ts`, 'manifests.test.ts']);
      expect(tested).toMatchObject({ status: 0, said: expect.stringContaining('Test Suites: 2 passed') });
      const attacked = runTests(['hostile.local.test.ts'], name);
      expect(attacked).toMatchObject({ status: 0, said: expect.stringMatching(/Tests: .*1 passed/) });
    },
  );

  test('its test fits every form of answer: one parcel, many in a call, XML', () => {
    // Providers that are filled in, with the test that the template makes for their names.
    const FILLED_IN = ['royal-mail', 'gls', 'la-poste', 'postnord', 'canada-post', 'dpd'];
    for (const name of FILLED_IN) {
      rmSync(join(checkout, PROVIDERS, name, 'parse.test.ts'));
    }
    expect(newProvider('template').status).toBe(0);
    for (const name of FILLED_IN) {
      const variable = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      const made = read('template/parse.test.ts').replaceAll('template', variable);
      writeFileSync(join(checkout, PROVIDERS, name, 'parse.test.ts'), made);
    }
    const tested = runTests(FILLED_IN.map((name) => `${name}/parse.test.ts`));
    expect(tested).toMatchObject({ status: 0 });
    expect(tested.said).toContain(`Test Suites: ${FILLED_IN.length} passed`);
  });
});

describe('in the index', () => {
  beforeEach(() => {
    mkdirSync(join(checkout, PROVIDERS, 'taken'), { recursive: true });
    cpSync(join(root, PROVIDERS, 'index.ts'), join(checkout, PROVIDERS, 'index.ts'));
  });

  test('a new provider comes first, and its folder is complete', () => {
    expect(newProvider('blue-fox').status).toBe(0);
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
});
