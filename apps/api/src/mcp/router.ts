import { BODY_BYTES } from '@pts/contract/limits';
import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import type { Include } from '@pts/core/tracking/fields';
import { type Response as ExpressResponse, type Request, type RequestHandler, Router } from 'express';
import { createBaseUrlOf } from '../http/addresses.ts';
import type { Envelope } from '../http/answers.ts';
import { refuseDeclared } from '../http/body.ts';
import { type ErrorOptions, respondError } from '../http/errors.ts';
import { patientLimiter, requireAllowed } from '../http/limits/limits.ts';
import type { MountOptions } from '../http/mount.ts';
import type { Caller } from '../http/operation.ts';
import type { AnswerMessage } from './mcp-server.ts';

/** Room for the longest registration of 40 parcels. */
const MAX_BYTES = BODY_BYTES.bulk;

/** POST /mcp: the Model Context Protocol over streamable HTTP. */
export function mcpRouter(
  version: string,
  errors: ErrorOptions,
  gates: RequestHandler[],
  restOptions: MountOptions,
): Router {
  const { logger, took = () => false } = errors;
  const options = { ...restOptions, limiter: patientLimiter(restOptions.limiter) };
  const { deps, audience, limiter, readJson, publicBaseUrl } = options;
  const { authenticator } = audience;
  const baseUrlOf = createBaseUrlOf(publicBaseUrl);
  const onFault = (err: unknown) => void (took(err) || logger.error({ err }, 'a tool failed'));
  let server: Promise<AnswerMessage> | undefined;
  const answer: AnswerMessage = async (...message) => {
    // The SDK is loaded with the first message: it would add a fifth to the time of every start.
    server ??= import('./mcp-server.ts').then(({ createMcpServer }) =>
      createMcpServer(version, { ...options, onFault }),
    );
    return (await server)(...message);
  };
  const router = Router({ caseSensitive: true });
  router.use('/mcp', gates);
  router.post('/mcp', async (request, response) => {
    const holder = await authenticator.identify(request, () => refuseDeclared(request, MAX_BYTES));
    const baseUrl = baseUrlOf(request);
    refuseOtherOrigins(request, baseUrl);
    const { context } = response.locals;
    const ip = request.ip ?? null;
    const caller: Caller = { ...holder, baseUrl, query: {}, ip, language: null, include: FOR_AGENTS, request: context };
    response.locals.sender = audience.ownerOf(caller).logged;
    deps.bulkhead.seen(caller.account.id);
    await requireAllowed(limiter, 'mcp', caller.account);
    const body = await readJson(request, response, { maxBytes: MAX_BYTES, accountId: caller.account.id });
    await authenticator.confirm(request);
    if (Array.isArray(body)) throw new ServiceError('bad_request', { text: message('mcp_batches') });
    await send(response, await answer(caller, { headers: headersOf(request), body: body ?? null }));
  });
  router.all('/mcp', postOnly);
  // Clients show the message of an error in their own protocol only.
  router.use('/mcp', respondError({ ...errors, envelope: JSON_RPC }));
  return router;
}

/** The optional fields that agents read; ids and codes of events are of no use to them. */
const FOR_AGENTS: readonly Include[] = ['problem', 'milestones', 'proof', 'links'];

/** The protocol asks for it, against pages that were made to resolve to this address. */
function refuseOtherOrigins({ headers: { origin } }: Request, baseUrl: string): void {
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  throw new ServiceError('forbidden', { text: message('mcp_origin') });
}

/** The SDK asks for both types of answers, of which ours are always JSON. The body has been read. */
function headersOf({ headers }: Request): Headers {
  const { 'mcp-protocol-version': version } = headers;
  return new Headers({
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(typeof version === 'string' ? { 'MCP-Protocol-Version': version } : {}),
  });
}

async function send(response: ExpressResponse, answer: Response): Promise<void> {
  const text = await answer.text();
  response.status(answer.status);
  if (text === '') return void response.end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** JSON-RPC: the errors of a message that has not reached a tool. Its id may not have been read. */
const JSON_RPC: Pick<Envelope, 'error'> = {
  error: (code, message, fields, details = {}) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code, message, data: fields.length > 0 ? { errors: fields, ...details } : details },
  }),
};

/** There are no sessions to end, and the server starts no conversation. */
const postOnly: RequestHandler = (_request, response) => {
  response.set('Allow', 'POST');
  throw new ServiceError('method_not_allowed', { text: message('mcp_post_only') });
};
