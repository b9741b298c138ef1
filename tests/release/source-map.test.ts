import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, stop } from 'esbuild';

/** The build script is JavaScript. */
const SCRIPT = join(import.meta.dirname, '../../scripts/parts/bundling/source-map.mjs');
type OwnSourceMap = (text: string) => string;

/** In the bundle, the dependency is between two sources of ours. */
const FILES = {
  'first.ts': `export const first: string[] = [];

first.push('first');`,
  'node_modules/dependency/index.js': `export function inDependency(work) {
  return work();
}`,
  'main.ts': `import { first } from './first.ts';
import { inDependency } from 'dependency';

type Work = () => never;

const ours: Work = () => {
  throw new Error(first.join());
};
try {
  inDependency(ours);
} catch (error) {
  console.log((error as Error).stack);
}`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-source-map-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stop();
});

test('a stack trace names our sources, and the place in the bundle for a dependency, of which the map has nothing', async () => {
  const { ownSourceMap } = (await import(SCRIPT)) as { ownSourceMap: OwnSourceMap };
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['main.ts'],
    outfile: 'bundle.mjs',
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'linked',
    minifyWhitespace: true,
    write: false,
  });
  const [map, bundle] = outputFiles.map(({ text }) => text);
  const own = ownSourceMap(map ?? '');
  writeFileSync(join(folder, 'bundle.mjs'), bundle ?? '');
  writeFileSync(join(folder, 'bundle.mjs.map'), own);

  const stack = execFileSync(process.execPath, ['--enable-source-maps', 'bundle.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const frames = stack.split('\n').filter((line) => line.includes(folder));
  expect(frames).toEqual([
    expect.stringMatching(/at ours \(.*main\.ts:7:9\)/),
    expect.stringMatching(/at inDependency \(.*bundle\.mjs:\d+:\d+\)/),
    expect.stringMatching(/main\.ts:10:3\)?$/),
  ]);
  expect(JSON.parse(own).sources).toEqual(['first.ts', 'main.ts']);
});
