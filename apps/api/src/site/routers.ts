import { posix } from 'node:path';
import type { OpenApiDocument } from '@pts/contract/openapi/document';
import { ServiceError } from '@pts/core/errors';
import { type Html, html } from '@pts/core/html';
import { message } from '@pts/core/languages/message';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { createBaseUrlOf } from '../http/addresses.ts';
import { V1 } from '../http/answers.ts';
import { type ConsoleFiles, createFile, type Downloads, type PortalFile, type StaticFile, sendFile } from './files.ts';

/**
 * The console's files, without authentication: they contain no data. Every other path below /console is a view of its
 * page.
 */
export function consoleRouter({ html, build, assets }: ConsoleFiles): Router {
  const router = Router({ caseSensitive: true });
  for (const [name, asset] of assets) router.get(`/console/assets/${name}`, sendFile(asset, FOREVER));
  router.all('/console/assets/*name', noAsset);
  router.get('/console/build.json', sendFile(build, 'no-cache'));
  // Without a parameter, which a malformed % would break.
  router.get(['/console', /^\/console\//], pagePolicy, sendFile(html, 'no-cache'));
  return router;
}

/** Never the page: a browser would run it as a script. */
const noAsset: RequestHandler = () => {
  throw new ServiceError('not_found', { text: message('not_in_console') });
};

/** The page that browsers get at an address without one, and the folder that its links are relative to. */
const MISSING = {
  en: { address: '/docs/404', folder: '/docs/' },
  zh: { address: '/docs/zh/404', folder: '/docs/zh/' },
};
/** A longer address is that of no link: its page would be larger than it is worth. */
const MAX_DEPTH = 5;

/** The developer portal, without authentication: it contains no data. */
export function portalRouter(files: readonly PortalFile[]): Router {
  const senders = new Map(files.map((file) => [file.address, { ...file, send: senderOf(file) }]));
  const [en, zh] = [MISSING.en, MISSING.zh].map(({ address, folder }) => {
    const page = senders.get(address);
    senders.delete(address);
    return page && { ...page.file, folder };
  });
  const router = Router({ caseSensitive: true, strict: true });
  // One route for all: a request for something else passes it at once. It has no parameter, which a malformed % would
  // break.
  router.get(['/docs', '/docs.md', /^\/docs\//, '/llms.txt'], (request, response, next) => {
    const { path } = request;
    const found = senders.get(path);
    if (found?.kind === 'page') pagePolicy(request, response, () => {});
    if (found) return found.send(request, response, next);
    const page = path.replace(/\/$/, '');
    if (!senders.has(page)) return sendMissing(request, response, path.startsWith(MISSING.zh.folder) ? zh : en);
    // Relative, because a proxy may have put a prefix in front of the address.
    response.redirect(301, `../${posix.basename(page)}`);
  });
  return router;
}

function senderOf({ kind, address, file }: PortalFile): RequestHandler {
  // The name of the icon does not change with its content.
  return sendFile(file, kind === 'asset' && !address.endsWith('.svg') ? FOREVER : 'no-cache');
}

/**
 * Answers a browser with the page for a missing one; other clients get an error like any other.
 * @throws ServiceError `not_found`
 */
function sendMissing(request: Request, response: Response, page?: StaticFile & { folder: string }): void {
  const depth = request.path.slice(page?.folder.length).split('/').length - 1;
  if (!page || depth > MAX_DEPTH || request.accepts(['json', 'html']) !== 'html') throw noPage();
  // Its links are relative to its folder; the address may be deeper.
  const body = page.body.toString().replace(/ (href|src|data-root|data-search)="(?!#)/g, `$&${'../'.repeat(depth)}`);
  pagePolicy(request, response, () => {});
  response.status(404).set({ 'Content-Type': page.type, Vary: 'Accept' }).end(body);
}

function noPage(): ServiceError {
  return new ServiceError('not_found', { text: message('not_in_portal') });
}

/** An upgrade replaces them. */
const CACHED = 'public, max-age=300';

/** The packages of this version, without authentication: they are for everybody who can reach the installation. */
export function downloadsRouter(downloads: Downloads, version: string, publicBaseUrl: string | undefined): Router {
  const router = Router({ caseSensitive: true });
  const baseUrlOf = createBaseUrlOf(publicBaseUrl);
  router.get('/downloads', pagePolicy, (request, response) => {
    const page = downloadsPage(downloads, baseUrlOf(request), version);
    response.set('Cache-Control', 'no-cache').type('html').send(page);
  });
  router.get('/downloads/style.css', sendFile(createFile(Buffer.from(STYLE), 'text/css; charset=utf-8'), CACHED));
  router.get('/downloads/SHA256SUMS', sendFile(downloads.sums, CACHED));
  for (const [name, file] of downloads.packages) router.get(`/downloads/${name}`, sendFile(file, CACHED));
  router.all('/downloads/*name', noFile);
  return router;
}

const noFile: RequestHandler = () => {
  throw new ServiceError('not_found', { text: message('not_in_downloads') });
};

type Offered = Readonly<Record<string, string>>;
/** The purpose of each package for npm; packages with a version in their names are the same. */
const NPM: Offered = {
  'pts-client.tgz': 'The client for JavaScript and TypeScript, and pts, the command line. No dependencies.',
  'pts-webhook-verifier.tgz': 'Verifies signed webhooks. No dependencies.',
};
const LANGUAGES: Offered = {
  'pts-client-python.tgz': 'The client for Python 3.10 or newer.',
  'pts-client-go.tgz': 'The client for Go 1.23 or newer.',
  'pts-client-php.tgz': 'The client for PHP 8.1 or newer.',
  'pts-client-java.tgz': 'The client for Java 11 or newer.',
};
const EXAMPLES: Offered = {
  'pts-examples.tgz': 'The programs of the quickstart, which need nothing but Node, and receivers.',
  'vectors.json': 'Sample pushes with the expected results, to test a verifier in any language.',
};

/** How a client for another language is installed, and the examples; what follows is in the portal. */
const INSTALL: Readonly<Record<string, (url: string) => string>> = {
  'pts-examples.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-python.tgz': (url) => `pip install ${url}`,
  'pts-client-go.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-php.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-java.tgz': (url) => `curl -sS ${url} | tar -xz && mvn -q -f pts-client-java install`,
};

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 4px; }
code { overflow-wrap: anywhere; }
`;

/**
 * The page at /downloads.
 * @param baseUrl how the reader reaches the installation
 */
function downloadsPage({ packages, sumOf }: Downloads, baseUrl: string, version: string): string {
  const [npm = [], others = [], examples = []] = [NPM, LANGUAGES, EXAMPLES].map((offered) =>
    Object.entries(offered).filter(([name]) => packages.has(name)),
  );
  const list = (items: [string, string][]) =>
    html`<ul>${items.map(([name, text]) => item(name, text, baseUrl, sumOf(name)))}</ul>`;
  const command = `npm install ${npm.map(([name]) => `${baseUrl}/downloads/${name}`).join(' ')}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Downloads: Parcel Tracking Service</title>
<link rel="stylesheet" href="${baseUrl}/downloads/style.css">
</head>
<body>
<h1>Downloads</h1>
<p>The packages of this installation, version ${version}. Those for npm need Node 20.3 or newer.</p>
<pre><code>${command}
npx pts login --url ${baseUrl}
npx pts listen --forward-to http://localhost:3000/hooks</code></pre>
${list(npm)}
${
  others.length > 0
    ? html`<h2>Other languages</h2>
${list(others)}
<p><a href="${baseUrl}/docs/clients">Clients for other languages</a> has the remaining steps, and examples.</p>`
    : null
}
${examples.length > 0 ? html`<h2>Examples</h2>${list(examples)}` : null}
<p>Under names with the version, files stay as they are until the next upgrade; <a href="${baseUrl}/downloads/SHA256SUMS">SHA256SUMS</a> has all checksums.</p>
</body>
</html>
`;
  return page.markup;
}

function item(name: string, text: string, baseUrl: string, sum: string): Html {
  const install = INSTALL[name];
  return html`<li><a href="${baseUrl}/downloads/${name}">${name}</a>: ${text}${install ? html`<br><code>${install(`${baseUrl}/downloads/${name}`)}</code>` : null}<br>SHA-256 <code>${sum}</code></li>`;
}

/** The OpenAPI document, without authentication: it contains no secrets. The root leads on to the portal. */
export function referenceRouter(document: OpenApiDocument): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const file = createFile(Buffer.from(JSON.stringify(document, null, 2)), 'application/json; charset=utf-8');
  for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
    router.get(path, sendFile(file, 'public, max-age=300'));
    router.all(path, readOnly);
  }
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') return void response.redirect(302, 'docs');
    const { title, version } = document.info;
    response.json(V1.success({ name: title, version, docs: '/docs', openapi: '/openapi.json' }));
  });
  return router;
}

const readOnly: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new ServiceError('method_not_allowed', { text: message('only_methods', { methods: 'GET' }) });
};

/** Own content only, never in a frame. Style sheets embed small images as `data:`. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page that the API serves. */
const pagePolicy: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  });
  next();
};

/** The `Cache-Control` of files whose address changes with their content. */
const FOREVER = 'public, max-age=31536000, immutable';
