import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { createBaseUrlOf } from '../http/base-url.ts';
import { pagePolicy } from '../static/page-policy.ts';
import { createFile, sendFile } from '../static/static-file.ts';
import { downloadsPage, STYLE } from './downloads-page.ts';
import type { Downloads } from './files.ts';

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
  throw new ServiceError('not_found', { text: 'There is no such file: /downloads lists those of this version.' });
};
