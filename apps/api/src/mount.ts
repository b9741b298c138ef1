import { createHash } from 'node:crypto';
import { envelope, SUCCESS_MESSAGE } from '@pts/contract/common';
import { ApiError } from '@pts/core/errors';
import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import type { createAuthenticate } from './authenticate.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import type { Limiter } from './limits.ts';
import { createResponseCheck, createValidator } from './validate.ts';

const MAX_BODY = '1mb';

export type MountOptions = {
  deps: ApiDeps;
  authenticate: ReturnType<typeof createAuthenticate>;
  limiter: Limiter;
  /** How clients reach the API; absent: as the request came. */
  publicBaseUrl: string | undefined;
  /** Whether every answer is checked against its schema: in tests. */
  checkResponses: boolean;
};

/**
 * Puts endpoints under a router. All that they have in common is here: who asks, how often, what the input must be,
 * and how the answer is wrapped. Paths that are known refuse other methods with 405.
 */
export function mount(router: Router, endpoints: readonly Endpoint[], options: MountOptions): void {
  for (const entry of endpoints) router[entry.method](entry.path, handler(entry, options));
  for (const path of new Set(endpoints.map((entry) => entry.path))) {
    const methods = endpoints.filter((entry) => entry.path === path).map((entry) => entry.method.toUpperCase());
    router.all(path, (_request, response) => {
      response.set('Allow', methods.join(', '));
      throw new ApiError('method_not_allowed', { text: `This path takes ${methods.join(' or ')} only.` });
    });
  }
}

function handler(
  entry: Endpoint,
  { deps, authenticate, limiter, publicBaseUrl, checkResponses }: MountOptions,
): RequestHandler[] {
  const validate = createValidator(entry.request);
  const check = checkResponses ? createResponseCheck(envelope(entry.response)) : null;
  const admit: RequestHandler = async (request, response, next) => {
    const holder = await authenticate(request);
    const baseUrl = publicBaseUrl ?? `${request.protocol}://${request.host}`;
    const caller: Caller = { ...holder, baseUrl };
    response.locals.caller = caller;
    await limit(limiter, entry, caller, response);
    next();
  };
  const run: RequestHandler = async (request, response) => {
    const input = inputOf(entry, request);
    validate(input);
    const data = await entry.run(deps, response.locals.caller as Caller, input as never);
    const body = { code: 200, meta: 200, message: SUCCESS_MESSAGE, data };
    check?.(body);
    if (entry.cacheable) tag(response, body);
    if (entry.cacheable && request.fresh) response.status(304).end();
    else response.json(body);
  };
  return entry.input === 'body' ? [admit, requireJson, express.json({ limit: MAX_BODY }), run] : [admit, run];
}

/** A body's fields and those of its path are one input. */
function inputOf({ input }: Endpoint, request: Request): unknown {
  if (input === null) return {};
  const given: unknown = request[input] ?? {};
  const isPlain = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isPlain && Object.keys(request.params).length > 0 ? { ...given, ...request.params } : given;
}

/** An answer that seldom changes need not be sent twice. */
function tag(response: Response, body: object): void {
  response.set('ETag', `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`);
}

async function limit(limiter: Limiter, entry: Endpoint, caller: Caller, response: Response): Promise<void> {
  const usage = await limiter.take(entry.limit, caller.account.id);
  if (!usage) return;
  response.set({
    'RateLimit-Limit': String(usage.limit),
    'RateLimit-Remaining': String(usage.remaining),
    'RateLimit-Reset': String(usage.resetSeconds),
  });
  if (usage.allowed) return;
  throw new ApiError('too_many_requests', {
    text: `This endpoint takes ${usage.limit} requests a second from an account. Wait 120 seconds, then go on more slowly.`,
  });
}

/** A body of another type would be passed over in silence, and every field be reported missing. */
function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is('application/json')) throw new ApiError('unsupported_media_type');
  next();
}
