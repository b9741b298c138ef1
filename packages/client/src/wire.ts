import type { Failure } from './errors.ts';
import { createPacer, type Pacer, type Sleep, UNPACED } from './pacer.ts';
import { notNegative } from './retry.ts';

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
  /** The timeout of one attempt, including its response; for a stream, the longest silence. Default 30 s; `Infinity` for none. */
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
    throw new TypeError(`The address of the service must be such as https://api.example.com, not "${baseUrl}"`);
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
