import { posix } from 'node:path';
import { ServiceError } from '@pts/core/errors';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { FOREVER, pagePolicy } from '../static/page-policy.ts';
import { type StaticFile, sendFile } from '../static/static-file.ts';
import type { PortalFile } from './files.ts';

/** What browsers get at an address without a page, and the folder that its links are relative to. */
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
  // One route for all: a request for something else passes it at once. It has no parameter, which a malformed % would break.
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

/** As a page to a browser; other clients get an error like any other. @throws ServiceError `not_found` */
function sendMissing(request: Request, response: Response, page?: StaticFile & { folder: string }): void {
  const depth = request.path.slice(page?.folder.length).split('/').length - 1;
  if (!page || depth > MAX_DEPTH || request.accepts(['json', 'html']) !== 'html') throw noPage();
  // Its links are relative to its folder; the address may be deeper.
  const body = page.body.toString().replace(/ (href|src|data-root|data-search)="(?!#)/g, `$&${'../'.repeat(depth)}`);
  pagePolicy(request, response, () => {});
  response.status(404).set({ 'Content-Type': page.type, Vary: 'Accept' }).end(body);
}

function noPage(): ServiceError {
  return new ServiceError('not_found', { text: 'The developer portal has no such page. GET /docs is its first one.' });
}
