import type { OpenApiDocument } from '@pts/contract/openapi/document';
import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { V1 } from '../http/envelope.ts';
import { createFile, sendFile } from '../static/static-file.ts';

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
  throw new ServiceError('method_not_allowed', { text: 'This path supports only GET.' });
};
