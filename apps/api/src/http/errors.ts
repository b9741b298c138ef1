import { ERRORS, ServiceError } from '@pts/core/errors';
import { joined, jsonIn, message } from '@pts/core/languages/message';
import { lettersOf } from '@pts/core/sent-instead';
import { isDatabaseUnreachable, isPassing, isTooSlow } from '@pts/db/errors';
import type { Logger } from '@pts/runtime/logger';
import type { Took } from '@pts/runtime/process/loop';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { createBaseUrlFinder, helpAddress, helpLink } from './addresses.ts';
import { type Envelope, messageLanguage, V1 } from './answers.ts';
import { endUnread, isWorthClosing } from './body.ts';
import type { Route, StreamOperation } from './operation.ts';

/** Retry-After of a 429 (spec section 7). */
const BACK_OFF_SECONDS = 120;
const UNAVAILABLE_RETRY_SECONDS = 5;

export type ErrorOptions = {
  logger: Logger;
  /** Reports outages of the database. Default: nothing does. */
  took?: Took | undefined;
  envelope?: Pick<Envelope, 'error'>;
  /** Where the portal is; by default as the client has reached the API. */
  publicBaseUrl?: string | undefined;
};

/**
 * The only place that turns an error into a response. An unexpected error becomes an opaque 500; its cause is logged.
 */
export function respondError({
  logger,
  took = () => false,
  envelope = V1,
  publicBaseUrl,
}: ErrorOptions): ErrorRequestHandler {
  const findBaseUrl = createBaseUrlFinder(publicBaseUrl);
  return (error: unknown, request, response, _next) => {
    const known = toApiError(error);
    const { number, http } = ERRORS[known.error];
    // A refusal while the process waits for its database is not an error; the wait has been logged.
    const isWaiting = error instanceof ServiceError && error.error === 'unavailable';
    if (http >= 500 && !isWaiting && !took(error))
      logger.error({ err: error, requestId: response.locals.requestId, path: request.path }, 'request failed');
    response.locals.errorNumber = number;
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    const retryAfter = retryAfterOf(known);
    if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
    const docs_url = helpAddress(findBaseUrl(request), number);
    response.status(http).set('Link', helpLink(docs_url));
    // RFC 9110, section 11.6.1: a 401 names the scheme.
    if (http === 401) response.set('WWW-Authenticate', 'Bearer');
    const body = envelope.error(number, known.text, known.fields, { ...known.details, docs_url });
    const text = jsonIn(messageLanguage(request), body);
    if (http === 413 || isWorthClosing(request)) closeWith(request, response, text);
    else response.type('json').send(text);
  };
}

/** The length lets the client have the answer before the connection ends. */
function closeWith(request: Request, response: Response, text: string): void {
  response.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(text)) }).type('json');
  void endUnread(request, response, text);
}

function retryAfterOf({ error, retryAfterSeconds }: ServiceError): number | undefined {
  if (error === 'too_many_requests') return retryAfterSeconds ?? BACK_OFF_SECONDS;
  return error === 'unavailable' ? UNAVAILABLE_RETRY_SECONDS : retryAfterSeconds;
}

/** The client-visible form of an error. */
export function toApiError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDatabaseUnreachable(error) && !isTooSlow(error)) return new ServiceError('unavailable');
  if (isPassing(error)) return new ServiceError('unavailable', { text: message('too_slow') });
  return fromHttp(error) ?? new ServiceError('internal');
}

/** Express's own errors: malformed URLs. */
function fromHttp(error: unknown): ServiceError | null {
  const { status } = (typeof error === 'object' && error !== null ? error : {}) as { status?: unknown };
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  return new ServiceError('bad_request', error instanceof URIError ? { text: message('bad_percent') } : {});
}

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path'>;

const PREFIX = '/api/v1';
/** Prefixes that are left out, repeated or of another version. */
const PREFIXES = /^(\/(api|v\d{1,3})){1,9}(?=\/)/i;
const ID = /^(?:[0-9a-f]{24}|\d{1,18})$/;

/**
 * The error for an unknown path. If it is that of an operation without its prefix, in capitals, in the singular or with
 * a slash too many, it says which to use.
 */
export function noRoute(
  operations: readonly AnyRoute[],
  { method, path }: { method: string; path: string },
): ServiceError {
  const single = path.replaceAll(/\/\/+/g, '/');
  const given = single.replace(PREFIXES, '').replace(/\/$/, '').split('/');
  const exact = operations.filter((operation) => fits(operation.path.split('/'), given, (word) => word.toLowerCase()));
  const meant = exact.length > 0 ? exact : operations.filter(({ path }) => fits(path.split('/'), given, lettersOf));
  const [first] = meant;
  if (!first) {
    if (/^\/v4(\/|$)/.test(single))
      return new ServiceError('not_found', { text: message('no_route_of_v4', { method, path: single }) });
    // A variable that is not set; an address that ends with a slash has it before all words.
    const isEmpty = /[^/]\/\//.test(path.replace(/^(\/+(api|v\d{1,3}))*\/+/i, ''));
    const code = isEmpty ? 'no_route_empty_part' : 'no_route';
    return new ServiceError('not_found', { text: message(code, { method, path }) });
  }
  const methods = meant
    .filter((operation) => operation.path === first.path)
    .map((operation) => operation.method.toUpperCase());
  const known = first.path.split('/').map((part, n) => (part.startsWith(':') ? given[n] : part));
  const instead = { methods: joined('or', methods), known: `${PREFIX}${known.join('/')}` };
  return new ServiceError('not_found', { text: message('no_route_instead', { method, path, ...instead }) });
}

function fits(known: readonly string[], given: readonly string[], formOf: (word: string) => string): boolean {
  if (known.length !== given.length) return false;
  return known.every((part, n) => {
    const word = given[n] ?? '';
    return part.startsWith(':') ? ID.test(word) : formOf(part) === formOf(word);
  });
}
