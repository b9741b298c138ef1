import type { OpenApiDocument } from '@pts/contract/openapi/document';
import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { V1 } from '../http/envelope.ts';
import type { Page } from './assets.ts';
import { createFile, sendFile } from './static-file.ts';

/** Own content only. Swagger UI's style sheet embeds its arrows as `data:` images. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI document and its page, without authentication: they contain no secrets. */
export function referenceRouter(document: OpenApiDocument, { html, assets }: Page): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const file = createFile(Buffer.from(JSON.stringify(document, null, 2)), 'application/json; charset=utf-8');
  for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
    router.get(path, sendFile(file, 'public, max-age=300'));
    router.all(path, readOnly);
  }
  router.get('/docs', secure, sendFile(html, 'no-cache'));
  router.get('/docs/', (_request, response) => response.redirect(301, '../docs'));
  for (const [name, asset] of assets)
    router.get(`/docs/${name}`, sendFile(asset, 'public, max-age=31536000, immutable'));
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') return void response.redirect(302, 'docs');
    const { title, version } = document.info;
    response.json(V1.success({ name: title, version, docs: '/docs', openapi: '/openapi.json' }));
  });
  return router;
}

const secure: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  });
  next();
};

const readOnly: RequestHandler = (_request, response) => {
  response.set('Allow', 'GET, HEAD');
  throw new ServiceError('method_not_allowed', { text: 'This path supports only GET.' });
};
