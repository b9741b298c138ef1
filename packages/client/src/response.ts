import { type FieldError, NoAnswerError, type NoAnswerReason, TrackingApiError } from './errors.ts';

type Envelope = {
  code: number;
  message: string;
  data: { errors?: FieldError[]; next_cursor?: string; events_removed?: boolean; docs_url?: string };
};

/** The data of an answer's envelope (spec section 2.1). @throws TrackingApiError, NoAnswerError */
export function dataOf(response: Response, text: string): unknown {
  const envelope = parse(text);
  if (!isEnvelope(envelope)) throw notTheApi(response, text);
  if (response.ok && envelope.code === 200) return envelope.data;
  const { code, message, data } = envelope;
  const { errors: fields = [], next_cursor: nextCursor = null, docs_url: docsUrl = null } = data;
  const eventsRemoved = data.events_removed === true;
  throw new TrackingApiError({ code, message, fields, nextCursor, eventsRemoved, docsUrl, ...aboutOf(response) });
}

/** Proxies, wrong URLs and captive portals answer with their own pages. */
function notTheApi(response: Response, text: string): NoAnswerError {
  const about = aboutOf(response);
  const location = response.headers.get('location');
  const start = text.slice(0, 80).replaceAll(/\s+/g, ' ').trim();
  const isJson = parse(text) !== undefined;
  const what = location
    ? `a redirect to ${location}`
    : isJson
      ? `JSON that is not a response of the service: ${start}`
      : `not JSON: ${start}`;
  return new NoAnswerError({ reason: 'not_the_api', message: `HTTP ${about.status}, ${what}`, ...about });
}

/** The HTTP status of an error number, for an error inside of a stream, which began with 200. */
export function statusOf(code: number): number {
  return code > 599 ? 400 : code;
}

/** No response. fetch has the reason only in the cause, which for several addresses has a code but no text. */
export function noAnswer(
  url: string,
  { reason, why, cause }: { reason?: NoAnswerReason; why?: string; cause?: unknown },
): NoAnswerError {
  const { message, code } = innermost(cause);
  const found = reason ?? (NEVER_SENT.includes(code || message) ? 'not_sent' : 'network');
  const { origin, pathname } = new URL(url);
  return new NoAnswerError({
    reason: found,
    message: `no answer from ${origin}${pathname}: ${why ?? (message || code || 'it failed')}`,
    cause,
  });
}

/** Failures before a connection exists: nothing can have been carried out. */
const NEVER_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // One to which fetch never connects, such as 22. It has no code.
  'bad port',
  // Nothing speaks TLS there, or its certificate is not trusted.
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

function innermost(error: unknown): { message: string; code: string } {
  const { cause, message = '', code = '', library, reason } = (error ?? {}) as Partial<Record<string, string>>;
  if (cause) return innermost(cause);
  // The message of OpenSSL names its source files.
  return { message: library && reason ? `${library}: ${reason}` : message, code };
}

function aboutOf({ status, headers }: Response) {
  return { status, requestId: headers.get('x-request-id'), retryAfterSeconds: readRetryAfter(headers) };
}

/** Retry-After is seconds, of which some proxies send fractions, or a date. */
function readRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text));
  // A number alone would be read as a year or a month.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { code, message, data } = value as Partial<Envelope>;
  return Number.isInteger(code) && typeof message === 'string' && typeof data === 'object' && data !== null;
}
