import { randomUUID } from 'node:crypto';
import type { Logger } from '@pts/runtime/logger';
import type { RequestHandler } from 'express';
import type { ApiMetrics } from '../metrics.ts';
import type { Caller } from './operation.ts';

/** A client's own request id is kept if it is short and plain, so that clients cannot inject text into the log. */
const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives every request an id and, when it is done, one wide log line. Never a key, a secret or a body. */
export function requestLog(logger: Logger, metrics: ApiMetrics): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const given = request.get('X-Request-Id') ?? '';
    const requestId = PLAIN_ID.test(given) ? given : randomUUID();
    response.locals.requestId = requestId;
    response.set('X-Request-Id', requestId);
    response.on('close', () => {
      const durationMs = Math.round(performance.now() - startedAt);
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const status = response.statusCode;
      metrics.requests.observe({ route, method: request.method, status: String(status) }, durationMs / 1000);
      const accountId = (response.locals.caller as Caller | undefined)?.account.id;
      const { errorNumber } = response.locals;
      // Probes run every few seconds and fail during start-up: not worth an info line.
      const level = route === '/healthz' ? 'debug' : 'info';
      logger[level](
        {
          requestId,
          method: request.method,
          path: response.locals.loggedPath ?? request.originalUrl.split('?')[0],
          status,
          errorNumber,
          accountId,
          durationMs,
        },
        'request',
      );
    });
    next();
  };
}
