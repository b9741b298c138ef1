import type { Repeat } from '@pts/contract/operation';
import { type OperationId, ROUTES } from '@pts/contract/routes';
import { type Failure, type FieldError, NoAnswerError, type NoAnswerReason, TrackingApiError } from './errors.ts';
import type { Include } from './types.ts';

/** Options of a single call. */
export type CallOptions = {
  /** Aborts the call, also while it waits for a retry; the abort reason is thrown. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * For a POST: for 24 hours, the service carries it out once under this key (1 to 255 visible ASCII characters), also
   * if another process of yours repeats it. By default, each call that is not harmless to repeat has a key of its own.
   */
  idempotencyKey?: string | undefined;
  /** Adds `status_text` and `sub_status_text` in this language to trackings and shipments. */
  lang?: string | undefined;
  /** Adds these groups of optional fields to trackings and shipments; by default those of the account. */
  include?: readonly Include[] | undefined;
};

type Query = Readonly<Record<string, string | number | undefined>>;

/** A file as the body. It can be sent again. */
export type FileBody = { content: string | Uint8Array<ArrayBuffer> | Blob; type: string };

export type Input = { id?: string; replayId?: string; query?: Query | undefined; body?: unknown; file?: FileBody };

/** Runs an operation, with retries where safe, and returns its data. @throws TrackingApiError, NoAnswerError */
export function call<T>(wire: Wire, name: OperationId, input: Input, options: CallOptions = {}): Promise<T> {
  if (!Object.hasOwn(ROUTES, name))
    throw new TypeError(`there is no operation "${name}"; /openapi.json lists the operations`);
  const { method, limit, repeat } = ROUTES[name];
  const key = options.idempotencyKey ?? (repeat === 'keyed' ? newKey() : undefined);
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key))
    throw new TypeError(`idempotencyKey must have 1 to 255 visible ASCII characters, without spaces, not "${key}"`);
  const body = input.file?.content ?? (input.body === undefined ? null : JSON.stringify(input.body));
  const headers = {
    ...wire.headers,
    Accept: 'application/json',
    ...(body ? { 'Content-Type': input.file?.type ?? 'application/json' } : {}),
    ...(key !== undefined && method === 'post' ? { 'Idempotency-Key': key } : {}),
  };
  const { lang, include } = options;
  const wanted = { ...(lang !== undefined && { lang }), ...(include && { include: include.join(',') }) };
  const isPlain = Object.keys(wanted).length === 0;
  const url = urlOf(wire, name, isPlain ? input : { ...input, query: { ...input.query, ...wanted } });
  const timeoutMs = timeoutOf(wire, options);
  return withRetries(wire, name, options, async () => {
    await wire.pacer.take(limit, options.signal);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    let response: Response | null = null;
    try {
      response = await wire.fetch(url, { method: method.toUpperCase(), headers, body, signal, redirect: 'manual' });
      return dataOf(response, await response.text()) as T;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (timeout.aborted) throw noAnswer(url, { reason: 'timeout', why: `none within ${timeoutMs / 1000} s` });
      throw isFailure(error) ? error : noAnswer(url, { cause: error });
    } finally {
      wire.pacer.learn(limit, response);
    }
  });
}

/** Retries an action until it succeeds or no further retry is allowed. */
export async function withRetries<T>(
  wire: Wire,
  name: OperationId,
  { signal, maxRetries = wire.maxRetries }: CallOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { repeat } = ROUTES[name];
  notNegative('maxRetries', maxRetries);
  for (let retries = 0; ; retries += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { maxRetryDelayMs, random } = wire;
      const delayMs = retryDelayMs(error, retries, { repeat, maxRetries, maxRetryDelayMs, random });
      if (delayMs === null) throw error;
      wire.onRetry({ operation: name, error, retries, delayMs });
      await wire.sleep(delayMs, signal);
    }
  }
}

/** The timeout of a call; `Infinity` for none. @throws TypeError if it is no length of time */
export function timeoutOf(wire: Wire, { timeoutMs = wire.timeoutMs }: CallOptions): number {
  if (!(timeoutMs > 0)) throw new TypeError(`timeoutMs must be more than 0, not ${timeoutMs}`);
  return Math.min(Math.ceil(timeoutMs), MAX_TIMER_MS);
}

/** 128 random bits. `randomUUID` is missing in browsers where a page has no TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof TrackingApiError || error instanceof NoAnswerError;
}

/** The URL of an operation. @throws TypeError if the path needs an id and there is none */
export function urlOf(wire: Wire, name: OperationId, { id, replayId = '', query = {} }: Input): string {
  const path = ROUTES[name].path
    .replace(':id', () => {
      if (!id) throw new TypeError(`${name} needs an id`);
      return encodeURIComponent(id);
    })
    .replace(':replay_id', encodeURIComponent(replayId));
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value));
  return `${wire.apiUrl}${path}${given.size > 0 ? `?${given}` : ''}`;
}

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
    message: `no response from ${origin}${pathname}: ${why ?? (message || code || 'it failed')}`,
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

/** The longest wait of a timer, about 24 days: a longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** The default wait after a 429 (spec section 7). */
const BACK_OFF_MS = 120_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** Jitter, so that clients with the same Retry-After do not return at the same moment. */
const SPREAD_MS = 1000;

type RetryRule = {
  repeat: Repeat;
  maxRetries: number;
  /** The longest wait; beyond it, the error is thrown instead. */
  maxRetryDelayMs: number;
  /** From 0 up to 1. */
  random(): number;
};

/** @throws TypeError unless a limit of retries is 0 or more: with `NaN` they would never end, or not wait. */
function notNegative(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be 0 or more, not ${value}`);
  return value;
}

/**
 * How long to wait before a retry; null for no retry. Never shorter than Retry-After; without one the
 * delay is drawn from 0 to a limit that doubles each time (0.5 s, 1 s, 2 s … 30 s).
 * @param retries the number of retries so far.
 */
export function retryDelayMs(failure: Failure, retries: number, rule: RetryRule): number | null {
  if (retries >= rule.maxRetries || !mayRepeat(failure, rule.repeat)) return null;
  const statedMs = failure.retryAfterSeconds === null ? null : failure.retryAfterSeconds * 1000;
  const requested = statedMs ?? (failure.status === 429 ? BACK_OFF_MS : null);
  if (requested !== null) {
    const max = Math.min(rule.maxRetryDelayMs, MAX_TIMER_MS - SPREAD_MS);
    return requested > max ? null : requested + rule.random() * Math.min(SPREAD_MS, requested);
  }
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retries, rule.maxRetryDelayMs);
  return rule.random() * ceiling;
}

function mayRepeat(failure: Failure, repeat: Repeat): boolean {
  if (failure.status === 429) return true;
  if (failure.name === 'NoAnswerError' && failure.reason === 'not_sent') return true;
  if (repeat === 'once') return false;
  // The first try of this very request, under its key, is still running.
  if (failure.status === 409 && failure.retryAfterSeconds !== null) return true;
  return failure.status === null ? isLost(failure) : failure.status >= 500;
}

function isLost(failure: Failure): boolean {
  return failure.name === 'NoAnswerError' && (failure.reason === 'network' || failure.reason === 'timeout');
}

/** The options of `createClient`, checked and with defaults. */
export type Wire = {
  /** Ends in /api/v1. */
  apiUrl: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  timeoutMs: number;
  maxRetries: number;
  maxRetryDelayMs: number;
  sleep: Sleep;
  random(): number;
  onRetry(retry: Retry): void;
  pacer: Pacer;
};

/** A request that is about to be retried. */
export type Retry = { operation: string; error: Failure; retries: number; delayMs: number };

export type ClientOptions = {
  /** The URL of the service, with or without /api/v1. */
  baseUrl: string;
  apiKey: string;
  /**
   * The timeout of one attempt, including its response; for a stream, the longest silence. Default 30 s; `Infinity` for
   * none.
   */
  timeoutMs?: number;
  /** The maximum number of retries. Default 3; 0 for none. */
  maxRetries?: number;
  /** For a longer wait than this, the error is thrown at once. Default: wait as long as the service asks. */
  maxRetryDelayMs?: number;
  /** Called before each wait, for logs. If it throws, the request ends. */
  onRetry?(retry: Retry): void;
  /** Whether requests wait to stay below the service's limits instead of getting 429. Default true. */
  pace?: boolean;
  /** Sent first in the User-Agent header. */
  userAgent?: string;
  fetch?: typeof fetch;
  /** Replaces the wait, for tests. Must end early when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** A number from 0 up to 1, for tests. */
  random?(): number;
};

const AGENT = 'parcel-tracking-client/1';

/** @throws TypeError if requests cannot be sent there. */
export function requireAddress(baseUrl: string): void {
  if (!URL.canParse(baseUrl) || !/^https?:\/\/[^\s?#@]+$/i.test(baseUrl))
    throw new TypeError(`The address of the service must be a URL such as https://api.example.com, not "${baseUrl}"`);
}

/** The address without /api/v1: that of the documentation, too. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/{1,99}$/, '').replace(/\/api\/v1$/, '');
}

/** @throws TypeError if the options are invalid. */
export function createWire(options: ClientOptions): Wire {
  const { baseUrl, apiKey, userAgent } = options;
  requireAddress(baseUrl);
  // An invalid header value would fail later and less clearly.
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('The API key is empty or contains invalid characters');
  if (userAgent !== undefined && !/^[ -~]*$/.test(userAgent))
    throw new TypeError(`userAgent must consist of ASCII characters, not "${userAgent}"`);
  const send = options.fetch ?? fetch;
  const wait = options.sleep ?? sleep;
  return {
    apiUrl: `${rootOf(baseUrl)}/api/v1`,
    headers: { 'X-API-Key': apiKey, 'User-Agent': userAgent ? `${userAgent} ${AGENT}` : AGENT },
    fetch: async (...request) => send(...request),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: notNegative('maxRetries', options.maxRetries ?? 3),
    maxRetryDelayMs: notNegative('maxRetryDelayMs', options.maxRetryDelayMs ?? Number.POSITIVE_INFINITY),
    sleep: wait,
    pacer: options.pace === false ? UNPACED : createPacer(wait),
    random: options.random ?? Math.random,
    onRetry: options.onRetry ?? (() => {}),
  };
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Limits count requests per second (spec section 8); slightly longer, because requests can bunch up on the way. */
const WINDOW_MS = 1100;

/**
 * Keeps requests below the service's limits, as reported in RateLimit headers: a 429 costs two minutes, a place
 * in the queue one second. Each `take` is followed by one `learn`, whatever the outcome of the request.
 */
type Pacer = {
  /** Waits for a place. @throws the abort reason of the signal */
  take(limit: string, signal: AbortSignal | undefined): Promise<void>;
  /** @param answer null if there was none */
  learn(limit: string, answer: Response | null): void;
};

type Lane = {
  /** Requests per second; null until the first response, which all others wait for. */
  limit: number | null;
  /** When the latest requests were or will be sent. */
  places: number[];
  /** No request before this time, as the service requested. */
  notBefore: number;
  first: { answered: Promise<void>; settle(): void } | null;
};

const UNPACED: Pacer = { take: async () => {}, learn: () => {} };

/** Waits. Ends early when the signal aborts. */
type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export function createPacer(sleep: Sleep, now: () => number = () => performance.now()): Pacer {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { limit: null, places: [], notBefore: 0, first: null };
    lanes.set(name, lane);
    return lane;
  };
  return {
    async take(name, signal) {
      const lane = laneOf(name);
      while (lane.limit === null && lane.first) await unlessAborted(lane.first.answered, signal);
      if (lane.limit === null) lane.first = deferred();
      const waitMs = takePlace(lane, now()) - now();
      if (waitMs > 0) await sleep(waitMs, signal);
    },
    learn(name, answer) {
      const lane = laneOf(name);
      if (answer) learnFrom(answer, lane, now());
      lane.first?.settle();
      lane.first = null;
    },
  };
}

/** The next moment in which fewer than `limit` requests were sent within the last window. */
function takePlace(lane: Lane, at: number): number {
  const { limit, places, notBefore } = lane;
  const oldest = limit === null ? undefined : places.at(-limit);
  const place = Math.max(at, notBefore, oldest === undefined ? 0 : oldest + WINDOW_MS);
  lane.places = limit === Number.POSITIVE_INFINITY ? [] : [...places, place].slice(-(limit ?? 1));
  return place;
}

function learnFrom({ headers, ok }: Response, lane: Lane, at: number): void {
  const stated = Number(headers.get('ratelimit-limit') ?? Number.NaN);
  if (!(stated > 0)) {
    if (ok) lane.limit = Number.POSITIVE_INFINITY; // this service has none
    return;
  }
  lane.limit = stated;
  // Others may use the same key.
  if (headers.get('ratelimit-remaining') === '0')
    lane.notBefore = at + Number(headers.get('ratelimit-reset') ?? 0) * 1000;
}

function deferred(): NonNullable<Lane['first']> {
  let settle = () => {};
  const answered = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { answered, settle };
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', stop));
}
