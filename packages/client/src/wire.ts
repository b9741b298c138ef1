import type { Failure } from './errors.ts';
import { createPacer, type Pacer, type Sleep, UNPACED } from './pacer.ts';

/** How the client speaks to the service: the options of `createClient`, checked and filled up. */
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

/** A request that is about to be sent again. */
export type Retry = { operation: string; error: Failure; retries: number; delayMs: number };

export type ClientOptions = {
  /** Where the service is, with or without /api/v1. */
  baseUrl: string;
  apiKey: string;
  /** How long one attempt may take, its answer included; for a stream, the longest silence. 30 s if not given. */
  timeoutMs?: number;
  /** How often a request is sent again at most. 3 if not given; 0 for never. */
  maxRetries?: number;
  /** A longer wait than this is not waited: the error is thrown at once. As long as the service asks if not given. */
  maxRetryDelayMs?: number;
  /** Told before each wait: for logs. What it throws ends the request. */
  onRetry?(retry: Retry): void;
  /** Whether requests wait for a place below the service's limits, instead of being refused with 429. True if not given. */
  pace?: boolean;
  /** Sent first in the User-Agent header. */
  userAgent?: string;
  fetch?: typeof fetch;
  /** Waits, for tests. Must end early when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** A number from 0 up to 1, for tests. */
  random?(): number;
};

const AGENT = 'parcel-tracking-client/1';

/** @throws TypeError when the options cannot lead to the service. */
export function createWire(options: ClientOptions): Wire {
  const { baseUrl, apiKey, userAgent } = options;
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(`baseUrl must be an address such as https://api.example.com, not "${baseUrl}"`);
  // What cannot stand in a header would fail later, and less clearly.
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('apiKey is empty or contains invalid characters');
  const send = options.fetch ?? fetch;
  const wait = options.sleep ?? sleep;
  return {
    apiUrl: `${baseUrl.replace(/\/{1,99}$/, '').replace(/\/api\/v1$/, '')}/api/v1`,
    headers: { 'X-API-Key': apiKey, 'User-Agent': userAgent ? `${userAgent} ${AGENT}` : AGENT },
    fetch: (...request) => send(...request),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 3,
    maxRetryDelayMs: options.maxRetryDelayMs ?? Number.POSITIVE_INFINITY,
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
