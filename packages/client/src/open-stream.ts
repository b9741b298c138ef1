import { type OperationId, ROUTES } from '@pts/contract/routes';
import { NoAnswerError } from './errors.ts';
import { type CallOptions, type Input, isFailure, timeoutOf, urlOf } from './request.ts';
import { dataOf, noAnswer } from './response.ts';
import type { Wire } from './wire.ts';

/** A response that is read as it arrives; null: it is over. */
export type OpenStream<T> = { requestId: string | null; next(): Promise<T | null>; close(): void };

/** What is sent, and how its response is read. */
export type StreamRequest<T> = {
  name: OperationId;
  /** The media type of the response. */
  accept: string;
  id?: string;
  query?: Input['query'];
  init?: RequestInit & { headers?: Record<string, string> };
  read(body: ReadableStream<Uint8Array>): AsyncGenerator<T>;
  /** Called when the stream ends. */
  onClose?(): void;
  /** Called after a failure. @throws the error that is its cause */
  throwCause?(): void;
};

/**
 * Opens a stream. It fails when the service has sent nothing for as long as the call's timeout; the time that the reader takes
 * does not count. @throws TrackingApiError, NoAnswerError
 */
export async function openStream<T>(
  wire: Wire,
  { name, accept, id, query, init = {}, read, onClose = () => {}, throwCause = () => {} }: StreamRequest<T>,
  options: CallOptions,
): Promise<OpenStream<T>> {
  const { method, limit } = ROUTES[name];
  const { signal } = options;
  const timeoutMs = timeoutOf(wire, options);
  const url = urlOf(wire, name, { ...(id === undefined ? {} : { id }), query });
  await wire.pacer.take(limit, signal);
  const ending = new AbortController();
  const close = () => {
    ending.abort();
    onClose();
  };
  const patiently = async <R>(work: Promise<R>): Promise<R> => {
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      ending.abort();
    }, timeoutMs);
    try {
      return await work;
    } catch (error) {
      close();
      signal?.throwIfAborted();
      throwCause();
      if (isSilent) throw noAnswer(url, { reason: 'timeout', why: `nothing came for ${timeoutMs / 1000} s` });
      throw isFailure(error) ? error : noAnswer(url, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  const requested = wire.fetch(url, {
    ...init,
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: { ...wire.headers, Accept: accept, ...init.headers },
    signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
  });
  const learn = (response: Response | null) => wire.pacer.learn(limit, response);
  requested.then(learn, () => learn(null));
  const { body, requestId } = await patiently(requested.then((response) => opened(response, accept)));
  const values = read(body);
  return {
    requestId,
    next: async () => {
      const { value, done } = await patiently(values.next());
      return done ? null : value;
    },
    close,
  };
}

/** A refusal comes in the envelope of every other answer. */
async function opened(response: Response, accept: string) {
  const { ok, body, status, headers } = response;
  const requestId = headers.get('x-request-id');
  if (ok && body && headers.get('content-type')?.startsWith(accept)) return { body, requestId };
  dataOf(response, await response.text());
  throw new NoAnswerError({
    reason: 'not_the_api',
    message: `HTTP ${status}, a response that is not a stream`,
    status,
    requestId,
  });
}

/** The pieces of a body as they arrive. Safari has no async iterator of its streams. */
export async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}
