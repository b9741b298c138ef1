import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type StaticFile } from '../static/static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** What the build of the console has left: its page, which build it is, and its assets by their names. */
export type ConsoleFiles = { html: StaticFile; build: StaticFile; assets: ReadonlyMap<string, StaticFile> };

/**
 * Reads the console into memory, with the assets of its previous build, which open tabs may still ask for.
 * @param publicBaseUrl how clients reach the API; its path goes in front of the addresses in the page.
 * @returns null if it has not been built.
 */
export function readConsole(publicBaseUrl?: string, dist = distOf(import.meta.url)): ConsoleFiles | null {
  if (!existsSync(join(dist, 'index.html'))) return null;
  const read = (name: string) => readFileSync(join(dist, name));
  const names = readdirSync(join(dist, 'assets')).filter((name) => extname(name) in TYPES);
  const assets = names.map((name) => {
    const packed = { br: read(`assets/${name}.br`), gzip: read(`assets/${name}.gz`) };
    return [name, createFile(read(`assets/${name}`), TYPES[extname(name)] ?? '', packed)] as const;
  });
  const prefix = publicBaseUrl ? new URL(publicBaseUrl).pathname.replace(/\/$/, '') : '';
  const html = read('index.html').toString().replaceAll('"/console/', `"${prefix}/console/`);
  return {
    html: createFile(Buffer.from(html), 'text/html; charset=utf-8'),
    build: createFile(read('build.json'), 'application/json; charset=utf-8'),
    assets: new Map(assets),
  };
}

/** The console's `dist`: seen from the API's bundle, or from its sources. */
function distOf(self: string): string {
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../..' : '../..', 'console/dist');
}
