import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { stop } from 'esbuild';

/** The build script is JavaScript. */
const SCRIPT = join(import.meta.dirname, '../../scripts/parts/console.mjs');
type BuildConsole = (dist: string, put: typeof writeFileSync) => Promise<string[]>;
type Build = { script: string; assets: string[]; previous: string[] };

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'pts-console-'));
});
afterEach(() => rmSync(dist, { recursive: true }));
afterAll(() => stop());

const build = async (): Promise<Build> => {
  const { buildConsole } = (await import(SCRIPT)) as { buildConsole: BuildConsole };
  await buildConsole(dist, writeFileSync);
  return JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8'));
};

test('the page names assets that exist, each also compressed, and nothing of another origin', async () => {
  const { script, assets } = await build();
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const named = Array.from(html.matchAll(/"\/console\/assets\/([^"]+)"/g), ([, name]) => name ?? '');
  expect(named).toContain(script);
  expect(named.some((name) => name.endsWith('.css'))).toBe(true);
  expect(named.filter((name) => !assets.includes(name))).toEqual([]);
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const name of assets) {
    const body = readFileSync(join(dist, 'assets', name));
    expect(brotliDecompressSync(readFileSync(join(dist, 'assets', `${name}.br`))).equals(body)).toBe(true);
    expect(gunzipSync(readFileSync(join(dist, 'assets', `${name}.gz`))).equals(body)).toBe(true);
  }
});

test('the assets of the previous build stay, those before it go; building again changes nothing', async () => {
  mkdirSync(join(dist, 'assets'));
  for (const name of ['main-OLD.js', 'main-OLDER.js'])
    for (const suffix of ['', '.br', '.gz']) writeFileSync(join(dist, 'assets', `${name}${suffix}`), '');
  const before: Build = { script: 'main-OLD.js', assets: ['main-OLD.js'], previous: ['main-OLDER.js'] };
  writeFileSync(join(dist, 'build.json'), JSON.stringify(before));
  const first = await build();
  expect(first.previous).toEqual(['main-OLD.js']);
  expect(existsSync(join(dist, 'assets/main-OLD.js.br'))).toBe(true);
  expect(readdirSync(join(dist, 'assets')).filter((name) => name.startsWith('main-OLDER'))).toEqual([]);
  expect(await build()).toEqual(first);
});
