import { type OperationId, ROUTES } from '@pts/contract/routes';
import { type Failure, NoAnswerError, TrackingApiError } from './errors.ts';
import { dataOf, noAnswer } from './response.ts';
import { MAX_TIMER_MS, notNegative, retryDelayMs } from './retry.ts';
import type { Wire } from './wire.ts';

/** Options of a single call. */
export type CallOptions = {
  /** Aborts the call, also while it waits for a retry; the abort reason is thrown. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /**
   * For a POST: for 24 hours, the service carries it out once under this key (1 to 255 visible ASCII characters), also if
   * another process of yours repeats it. By default, each call that is not harmless to repeat has a key of its own.
   */
  idempotencyKey?: string | undefined;
  /** Adds `status_text` and `sub_status_text` in this language to trackings and shipments. */
  lang?: string | undefined;
};

type Query = Readonly<Record<string, string | number | undefined>>;

/** A file as the body. It can be sent again. */
export type FileBody = { content: string | Uint8Array<ArrayBuffer> | Blob; type: string };

export type Input = { id?: string; replayId?: string; query?: Query | undefined; body?: unknown; file?: FileBody };

/** Runs an operation, with retries where safe, and returns its data. @throws TrackingApiError, NoAnswerError */
export function call<T>(wire: Wire, name: OperationId, input: Input, options: CallOptions = {}): Promise<T> {
  if (!Object.hasOwn(ROUTES, name)) throw new TypeError(`there is no operation "${name}"; /openapi.json lists the ids`);
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
  const { lang } = options;
  const url = urlOf(wire, name, lang === undefined ? input : { ...input, query: { ...input.query, lang } });
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
