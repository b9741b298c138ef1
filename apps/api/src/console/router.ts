import { ServiceError } from '@pts/core/errors';
import { type RequestHandler, Router } from 'express';
import { FOREVER, pagePolicy } from '../static/page-policy.ts';
import { sendFile } from '../static/static-file.ts';
import type { ConsoleFiles } from './files.ts';

/** The console's files, without authentication: they contain no data. Every other path below /console is a view of its page. */
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
  throw new ServiceError('not_found', { text: 'This file is not part of the console, or of its previous build.' });
};
