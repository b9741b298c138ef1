import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OpenApiDocument } from '@pts/contract/openapi/document';
import type { Request, RequestHandler } from 'express';
import { apiDocument } from '../endpoints/index.ts';
import { isUnchanged } from '../http/answers.ts';

/**
 * Everything that the API serves to everybody, in memory: its document, and what has been built of the console, the
 * portal and the packages.
 */
export type Site = {
  document: OpenApiDocument;
  console: ConsoleFiles | null;
  portal: readonly PortalFile[] | null;
  downloads: Downloads | null;
};

/** Reads hundreds of files: once per process. */
export function readSite(publicBaseUrl: string | undefined): Site {
  return {
    document: apiDocument(publicBaseUrl),
    console: readConsole(publicBaseUrl),
    portal: readPortal(),
    downloads: readDownloads(),
  };
}

const CONSOLE_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The output of the console's build: its page, which build it is, and its assets by their names. */
export type ConsoleFiles = { html: StaticFile; build: StaticFile; assets: ReadonlyMap<string, StaticFile> };

/**
 * Reads the console into memory, with the assets of its previous build, which open tabs may still ask for.
 * @param publicBaseUrl how clients reach the API; its path goes in front of the addresses in the page.
 * @returns null if it has not been built.
 */
export function readConsole(publicBaseUrl?: string, dist = distOf('console')): ConsoleFiles | null {
  if (!existsSync(join(dist, 'index.html'))) return null;
  const read = (name: string) => readFileSync(join(dist, name));
  const names = readdirSync(join(dist, 'assets')).filter((name) => extname(name) in CONSOLE_TYPES);
  const assets = names.map((name) => {
    const packed = { br: read(`assets/${name}.br`), gzip: read(`assets/${name}.gz`) };
    return [name, createFile(read(`assets/${name}`), CONSOLE_TYPES[extname(name)] ?? '', packed)] as const;
  });
  const prefix = publicBaseUrl ? new URL(publicBaseUrl).pathname.replace(/\/$/, '') : '';
  const html = read('index.html').toString().replaceAll('"/console/', `"${prefix}/console/`);
  return {
    html: createFile(Buffer.from(html), 'text/html; charset=utf-8'),
    build: createFile(read('build.json'), 'application/json; charset=utf-8'),
    assets: new Map(assets),
  };
}

const PORTAL_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the portal. A page's address has no `.html`. */
export type PortalFile = { address: string; kind: 'page' | 'asset' | 'text'; file: StaticFile };

/**
 * Reads the developer portal into memory, as its build has left it.
 * @returns null if it has not been built.
 */
export function readPortal(dist = distOf('portal')): PortalFile[] | null {
  const folder = join(dist, 'public');
  if (!existsSync(join(dist, 'version.json'))) return null;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in PORTAL_TYPES)
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const extension = extname(path);
      const address = `/${relative(folder, path)
        .replaceAll(sep, '/')
        .replace(/\.html$/, '')}`;
      const kind = extension === '.html' ? 'page' : address.startsWith('/docs/assets/') ? 'asset' : 'text';
      return {
        address,
        kind,
        file: createFile(readFileSync(path), PORTAL_TYPES[extension] ?? '', { br: readFileSync(`${path}.br`) }),
      };
    });
}

/** The `dist` of an app: seen from the API's bundle, or from its sources. */
function distOf(app: string): string {
  const self = import.meta.url;
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../..' : '../..', app, 'dist');
}

const SUMS = 'SHA256SUMS';

const DOWNLOAD_TYPES: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.json': 'application/json; charset=utf-8',
};

/** The files that the build has packed: packages and examples by their names, and their checksums. */
export type Downloads = {
  packages: ReadonlyMap<string, StaticFile>;
  sums: StaticFile;
  /** SHA-256 in hexadecimal, by name. */
  sumOf(name: string): string;
};

/** Reads the packages into memory. @returns null if they have not been built. */
export function readDownloads(folder = folderOf(import.meta.url)): Downloads | null {
  if (!existsSync(join(folder, SUMS))) return null;
  const read = (name: string) => readFileSync(join(folder, name));
  const sums = read(SUMS);
  const byName = new Map(
    sums
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  );
  return {
    packages: new Map([...byName.keys()].map((name) => [name, offered(name, read(name))])),
    sums: createFile(sums, 'text/plain; charset=utf-8'),
    sumOf: (name) => byName.get(name) ?? '',
  };
}

function offered(name: string, body: Buffer): StaticFile {
  const file = createFile(body, DOWNLOAD_TYPES[extname(name)] ?? '');
  // An archive is compressed already.
  return name.endsWith('.tgz') ? { ...file, packed: () => null } : file;
}

/** Seen from the API's bundle, or from its sources. */
function folderOf(self: string): string {
  return join(dirname(fileURLToPath(self)), self.endsWith('.ts') ? '../../dist/downloads' : 'downloads');
}

const pack = promisify(gzip);

/** The encodings that a file may be sent in, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];
/** The forms of a file that the build has compressed. */
type Packed = Readonly<Partial<Record<Encoding, Buffer>>>;

/** A file in memory, with its compressed forms. */
export type StaticFile = {
  body: Buffer;
  type: string;
  digest: string;
  /** Null if there is no such form. Gzip is made at the first request for it, unless the build has made it. */
  packed(encoding: Encoding): Promise<Buffer> | null;
};

export function createFile(body: Buffer, type: string, { br, gzip: zipped }: Packed = {}): StaticFile {
  let gzipped = zipped && Promise.resolve(zipped);
  return {
    body,
    type,
    digest: createHash('sha256').update(body).digest('base64url').slice(0, 16),
    packed(encoding) {
      if (encoding === 'br') return br ? Promise.resolve(br) : null;
      gzipped ??= pack(body);
      return gzipped;
    },
  };
}

/** Answers with a file or 304. The ETag is weak: it is the same with and without compression. */
export function sendFile(file: StaticFile, cacheControl: string): RequestHandler {
  const tag = `W/"${file.digest}"`;
  return async (request, response) => {
    response.set({
      'Content-Type': file.type,
      'Cache-Control': cacheControl,
      ETag: tag,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    if (isUnchanged(request, tag)) return void response.status(304).end();
    for (const encoding of ENCODINGS) {
      const packed = accepts(request, encoding) ? file.packed(encoding) : null;
      if (packed) return void response.set('Content-Encoding', encoding).end(await packed);
    }
    response.end(file.body);
  };
}

/** Whether a client accepts an encoding at least as gladly as an unencoded file. */
function accepts(request: Request, encoding: Encoding): boolean {
  return request.acceptsEncodings(encoding, 'identity') === encoding;
}
