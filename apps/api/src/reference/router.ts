import type { OpenApiDocument } from '@pts/contract/openapi/document';
import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { V1 } from '../http/envelope.ts';
import { FOREVER, pagePolicy } from '../static/page-policy.ts';
import { createFile, sendFile } from '../static/static-file.ts';
import type { Page } from './assets.ts';

/** The OpenAPI document and its page, without authentication: they contain no secrets. */
export function referenceRouter(document: OpenApiDocument, { html, assets }: Page): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const file = createFile(Buffer.from(JSON.stringify(document, null, 2)), 'application/json; charset=utf-8');
  for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
    router.get(path, sendFile(file, 'public, max-age=300'));
    router.all(path, readOnly);
  }
  router.get('/docs', pagePolicy, sendFile(html, 'no-cache'));
  router.get('/docs/', (_request, response) => response.redirect(301, '../docs'));
  for (const [name, asset] of assets) router.get(`/docs/${name}`, sendFile(asset, FOREVER));
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
