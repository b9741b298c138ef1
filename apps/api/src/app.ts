import { ApiError } from '@pts/core/errors';
import { pingDatabase } from '@pts/db/client';
import type { Logger } from '@pts/runtime/logger';
import express, { type Express, Router } from 'express';
import { endpoints } from './endpoints/index.ts';
import type { ApiMetrics } from './metrics.ts';
import { type MountOptions, mount } from './mount.ts';
import { requestLog } from './request-log.ts';
import { respondError } from './respond-error.ts';

export type AppOptions = MountOptions & { logger: Logger; metrics: ApiMetrics; trustProxy: string };

/** The API as an Express app: request id and log, health, the endpoints under /api/v1, and errors as JSON. */
export function createApp({ logger, metrics, trustProxy, ...options }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A query parameter that comes twice stays visible as such, and is refused by its schema.
  app.set('query parser', 'simple');
  app.set('trust proxy', /^\d+$/.test(trustProxy) ? Number(trustProxy) : trustProxy);
  app.use(requestLog(logger, metrics));
  app.get('/healthz', async (_request, response) => {
    await pingDatabase(options.deps.db);
    response.json({ status: 'ok' });
  });
  const v1 = Router({ caseSensitive: true });
  mount(v1, endpoints, options);
  app.use('/api/v1', v1);
  app.use((request) => {
    throw new ApiError('not_found', { text: `There is nothing at ${request.method} ${request.path}.` });
  });
  app.use(respondError(logger));
  return app;
}
