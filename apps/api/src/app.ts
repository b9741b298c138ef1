import type { CallbackReceiver } from '@pts/carriers/providers/configured';
import { ServiceError } from '@pts/core/errors';
import { createSharedPing } from '@pts/db/connection';
import type { Logger } from '@pts/runtime/logger';
import type { Took } from '@pts/runtime/process/loop';
import express, { type Express, type RequestHandler, Router } from 'express';
import { callbackRouter } from './callbacks.ts';
import { compatV4 } from './compat-v4.ts';
import { operations, operatorOperations } from './endpoints/index.ts';
import { privateAnswers, V4, VARY_BY_KEY } from './http/answers.ts';
import type { Authenticator } from './http/authenticate.ts';
import { createJsonReader } from './http/body.ts';
import { forAccounts, forOperators } from './http/call.ts';
import { type ErrorOptions, noRoute, respondError } from './http/errors.ts';
import { type MountOptions, mount } from './http/mount.ts';
import type { OperatorHolder } from './http/operation.ts';
import { requestLog } from './http/request-log.ts';
import { trustProxies } from './http/server.ts';
import { mcpRouter } from './mcp/router.ts';
import type { ApiMetrics } from './metrics.ts';
import { pagesRouter } from './pages/router.ts';
import { type OidcSettings, sessionRouter } from './session.ts';
import type { Site } from './site/files.ts';
import { consoleRouter, downloadsRouter, portalRouter, referenceRouter } from './site/routers.ts';

type AppOptions = Omit<MountOptions, 'readJson' | 'audience'> & {
  authenticator: Authenticator;
  /** The authenticator of operators' keys; null: there are no operations for them. */
  operatorAuthenticator: Authenticator<OperatorHolder> | null;
  logger: Logger;
  metrics: ApiMetrics;
  site: Site;
  /** The identity provider that people sign in with. */
  oidc?: OidcSettings | undefined;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
  /** The providers whose callbacks are received. */
  callbackReceivers: readonly CallbackReceiver[];
  trustProxy: string;
  compatV4: boolean;
  /** Whether the API is ready; until then, each call gets `unavailable`. */
  isOpen(): boolean;
};

/**
 * The API as an Express app: request id and log, health, the OpenAPI document, the console, the portal, the operations
 * under /api/v1, errors as JSON.
 */
export function createApp({
  logger,
  metrics,
  site,
  oidc,
  took,
  callbackReceivers,
  trustProxy,
  compatV4: withV4,
  authenticator,
  operatorAuthenticator,
  isOpen,
  ...more
}: AppOptions): Express {
  const slicesOf = (accountId: string) => more.deps.bulkhead.slices(accountId);
  const options = { ...more, audience: forAccounts(authenticator), readJson: createJsonReader({ slicesOf }) };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A repeated query parameter stays an array, which its schema refuses.
  app.set('query parser', 'simple');
  trustProxies(app, trustProxy);
  app.use(requestLog(logger, metrics), privateAnswers);
  const gate: RequestHandler = (_request, _response, next) => {
    if (!isOpen()) throw new ServiceError('unavailable');
    next();
  };
  // The operations come first, because Express tries routes in their order.
  const v1 = Router({ caseSensitive: true });
  const gates = [varyByKey, gate];
  v1.use(gates);
  mount(v1, operations, options);
  if (operatorAuthenticator)
    mount(v1, operatorOperations, { ...options, audience: forOperators(operatorAuthenticator) });
  app.use('/api/v1', v1);
  const ping = createSharedPing(options.deps.db);
  app.get('/healthz', gate, async (_request, response) => {
    await ping();
    response.json({ status: 'ok' });
  });
  app.use('/callbacks', gate, callbackRouter(callbackReceivers, { ...options, ...options.deps, logger, metrics }));
  app.use('/t', pagesRouter({ ...options, ...options.deps, logger }, [gate]));
  app.use('/session', sessionRouter({ ...options, ...options.deps, authenticator, logger, oidc }, [gate]));
  app.get('/robots.txt', robots);
  const { version } = site.document.info;
  app.use(referenceRouter(site.document));
  if (site.console) app.use(consoleRouter(site.console));
  else logger.warn('the console is not built, so /console is not served');
  if (site.portal) app.use(portalRouter(site.portal));
  else logger.warn('the portal is not built, so /docs is not served');
  if (site.downloads) app.use(downloadsRouter(site.downloads, version, options.publicBaseUrl));
  else logger.warn('the packages are not built, so /downloads is not served');
  const errors = { logger, took, publicBaseUrl: options.publicBaseUrl };
  app.use(mcpRouter(version, errors, gates, options));
  if (withV4) app.use('/v4', v4Router(errors, gates, options));
  app.use(nothingHere);
  app.use(respondError(errors));
  return app;
}

/** The operations of the API family's version 4, in its own envelope, errors included. */
function v4Router(errors: Omit<ErrorOptions, 'envelope'>, gates: RequestHandler[], options: MountOptions): Router {
  const v4 = Router({ caseSensitive: true });
  v4.use(gates);
  mount(v4, compatV4, options, V4);
  v4.use(nothingHere);
  v4.use(respondError({ ...errors, envelope: V4 }));
  return v4;
}

/** Pages of buyers and answers of the API are not for search engines. */
const robots: RequestHandler = (_request, response) => {
  response
    .set('Cache-Control', 'public, max-age=86400')
    .type('text/plain')
    .send('User-agent: *\nDisallow: /t/\nDisallow: /api/\n');
};

const varyByKey: RequestHandler = (_request, response, next) => {
  response.setHeader('Vary', VARY_BY_KEY);
  next();
};

const nothingHere: RequestHandler = ({ method, baseUrl, path }) => {
  throw noRoute(operations, { method, path: `${baseUrl}${path}` });
};
