import { randomUUID } from 'node:crypto';
import type { Logger } from '@pts/runtime/logger';
import { forRequest, type RequestContext, startSpan, traceIdOf } from '@pts/runtime/tracing/tracing';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiMetrics } from '../metrics.ts';

/** A client's own request id is kept if it is short and plain, so that clients cannot inject text into the log. */
const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Gives every request an id and, when it is done, one wide log line, with the parcels that it was about. Never a body;
 * the logger masks keys and links. If traces are on, it is their first span.
 */
export function requestLog(logger: Logger, metrics: ApiMetrics): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const given = request.get('X-Request-Id') ?? '';
    const requestId = PLAIN_ID.test(given) ? given : randomUUID();
    response.locals.requestId = requestId;
    response.set('X-Request-Id', requestId);
    const context: RequestContext = { requestId, span: startSpan(request.method, spanOf(request)), trackingIds: [] };
    response.locals.context = context;
    response.on('close', () => {
      const durationMs = Math.round(performance.now() - startedAt);
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const status = response.statusCode;
      const traceId = traceIdOf(context.span);
      const labels = { route, method: request.method, status: String(status) };
      metrics.requests.observe(labels, durationMs / 1000, traceId);
      if (status >= 500) metrics.failures.inc({ route });
      endSpan(context, route, request, response);
      const { errorNumber, sender } = response.locals as { errorNumber?: number; sender?: object };
      // Probes run every few seconds and fail during start-up: not worth an info line.
      const level = route === '/healthz' ? 'debug' : 'info';
      logger[level](
        {
          requestId,
          method: request.method,
          path: request.originalUrl.split('?')[0],
          status,
          errorNumber,
          ...sender,
          ...(context.trackingIds.length > 0 && { trackingIds: context.trackingIds }),
          durationMs,
          ...(traceId !== null && { traceId }),
        },
        'request',
      );
    });
    forRequest(context, next);
  };
}

/** A caller's trace goes on only behind a trusted proxy; otherwise ours is another one that links to it. */
function spanOf(request: Request): Parameters<typeof startSpan>[1] {
  const given = request.get('traceparent');
  if (given === undefined) return { kind: 'server' };
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const isOurs = isTrusted(request.socket.remoteAddress ?? '', 0);
  return { kind: 'server', ...(isOurs ? { parent: given } : { links: [given] }) };
}

function endSpan(
  { span, requestId, trackingIds }: RequestContext,
  route: string,
  { method }: Request,
  response: Response,
): void {
  if (span === null) return;
  const { statusCode } = response;
  span.rename(`${method} ${route}`);
  span.add({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': statusCode,
    'pts.request_id': requestId ?? '',
    'pts.tracking_ids': trackingIds,
  });
  span.end(statusCode >= 500 ? `status ${statusCode}` : undefined);
}
