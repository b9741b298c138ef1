import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallbackReceiver } from '@pts/carriers/providers/configured';
import { ERRORS, type ErrorName, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { clientNetwork } from '@pts/core/networks';
import type { Logger } from '@pts/runtime/logger';
import { receiveCallback } from '@pts/service/callbacks';
import { type Request, type Response, Router } from 'express';
import type { ApiDeps } from './deps.ts';
import { createBaseUrlFinder, helpAddress } from './http/addresses.ts';
import { askForBody, readBytes, refuseDeclared } from './http/body.ts';
import { toApiError } from './http/errors.ts';
import type { Limiter } from './http/limits/limits.ts';
import type { ApiMetrics } from './metrics.ts';

const MAX_BYTES = 1024 * 1024;
const BODY_TIMEOUT_MS = 30_000;

type Deps = ApiDeps & {
  logger: Logger;
  metrics: ApiMetrics;
  limiter: Pick<Limiter, 'takeAuthFailure'>;
  /** Where the portal is; by default as the provider has reached the API. */
  publicBaseUrl: string | undefined;
};

/** Refuses the callback, as text: not every provider reads JSON. */
type Refuse = (error: ErrorName, text: string) => void;

/**
 * POST /callbacks/{provider}/{token}: the callbacks of providers. The token is checked before anything is read, the
 * signature before anything is stored, and the response that ends the provider's retries comes after everything is
 * stored. Wrong tokens count against their network, like wrong keys; a right one is accepted from any network.
 */
export function callbackRouter(receivers: readonly CallbackReceiver[], deps: Deps): Router {
  const router = Router({ caseSensitive: true });
  const findBaseUrl = createBaseUrlFinder(deps.publicBaseUrl);
  const refuserOf = (request: Request, response: Response): Refuse => {
    return (name, text) => {
      const { number, http } = ERRORS[name];
      const help = helpAddress(findBaseUrl(request), number);
      response.status(http).type('text/plain').send(`${text}\nSee ${help}\n`);
    };
  };
  router.post('/:provider/:token', async (request, response) => {
    const { provider, token } = request.params;
    const receiver = receivers.find((each) => each.provider.name === provider && isSame(each.token, token));
    const refuse = refuserOf(request, response);
    if (!receiver) return refuseStranger(deps, request, response, refuse);
    try {
      await receive(deps, receiver, { request, response, refuse });
    } catch (error) {
      failed(deps, receiver, error, response, refuse);
    }
  });
  return router;
}

/** @throws ServiceError `too_many_requests` for a network with too many wrong tokens or keys. */
async function refuseStranger(
  { limiter, metrics }: Deps,
  request: Request,
  response: Response,
  refuse: Refuse,
): Promise<void> {
  response.set('Connection', 'close');
  const mayTry = await limiter.takeAuthFailure(clientNetwork(request.ip ?? ''));
  metrics.callbacksRefused.inc({ reason: mayTry ? 'wrong_token' : 'limited' });
  if (!mayTry)
    throw new ServiceError('too_many_requests', {
      text: message('too_many_callbacks'),
    });
  refuse('not_found', 'No such address.');
}

async function receive(
  deps: Deps,
  receiver: CallbackReceiver,
  { request, response, refuse }: { request: Request; response: Response; refuse: Refuse },
): Promise<void> {
  const { wire, provider } = receiver;
  const maxBytes = wire.maxBodyBytes ?? MAX_BYTES;
  refuseDeclared(request, maxBytes);
  askForBody(request, response);
  const bytes = await readBytes(request, { maxBytes, timeoutMs: BODY_TIMEOUT_MS, take: () => {} });
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const received = await receiveCallback({ ...deps, request: response.locals.context }, receiver, {
    headers,
    rawBody: bytes.toString('utf8'),
  });
  deps.metrics.callbacks.inc({ provider: provider.name, result: received.kind });
  deps.logger.info({ provider: provider.name, ...received }, 'callback received');
  switch (received.kind) {
    case 'forged':
      return refuse('unauthorized', 'The signature is wrong.');
    case 'unreadable':
      return refuse('bad_request', 'The callback could not be read.');
    case 'accepted':
      if (received.unwatched > 0) deps.metrics.callbacksUnwatched.inc({ provider: provider.name }, received.unwatched);
      response.status(wire.accepted.status).set('Content-Type', wire.accepted.type).end(wire.accepted.body);
      return;
    default:
      return received satisfies never;
  }
}

/** Not ours: 4xx. Ours: 5xx, so that the provider repeats the callback. */
function failed(
  { logger, metrics }: Deps,
  { provider }: CallbackReceiver,
  error: unknown,
  response: Response,
  refuse: Refuse,
): void {
  const known = toApiError(error);
  const { http } = ERRORS[known.error];
  if (http >= 500) logger.error({ err: error, provider: provider.name }, 'a callback could not be stored');
  metrics.callbacks.inc({ provider: provider.name, result: http >= 500 ? 'failed' : 'refused' });
  if (response.headersSent) return;
  // Unread bytes must not be taken for the next request.
  response.set('Connection', 'close');
  refuse(known.error, known.message);
}

/** Takes the same time for any difference, also in length. */
function isSame(secret: string, given: string): boolean {
  const [a, b] = [secret, given].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
