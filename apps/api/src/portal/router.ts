import { posix } from 'node:path';
import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { FOREVER, pagePolicy } from '../static/page-policy.ts';
import { sendFile } from '../static/static-file.ts';
import type { PortalFile } from './files.ts';

/** The developer portal, without authentication: it contains no data. */
export function portalRouter(files: readonly PortalFile[]): Router {
  const senders = new Map(files.map((file) => [file.address, { ...file, send: senderOf(file) }]));
  const router = Router({ caseSensitive: true, strict: true });
  // One route for all: a request for something else passes it at once.
  router.get(['/docs', '/docs.md', '/docs/', '/docs/*page', '/llms.txt'], (request, response, next) => {
    const { path } = request;
    const found = senders.get(path);
    if (found?.kind === 'page') pagePolicy(request, response, () => {});
    if (found) return found.send(request, response, next);
    const page = path.replace(/\/$/, '');
    if (!senders.has(page)) throw noPage();
    // Relative, because a proxy may have put a prefix in front of the address.
    response.redirect(301, `../${posix.basename(page)}`);
  });
  return router;
}

function senderOf({ kind, address, file }: PortalFile): RequestHandler {
  // The name of the icon does not change with its content.
  return sendFile(file, kind === 'asset' && !address.endsWith('.svg') ? FOREVER : 'no-cache');
}

function noPage(): ServiceError {
  return new ServiceError('not_found', { text: 'The developer portal has no such page. GET /docs is its first one.' });
}
