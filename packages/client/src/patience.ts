import { NoAnswerError } from './errors.ts';
import { isFailure } from './request.ts';
import { dataOf, noAnswer } from './response.ts';

type Patience = {
  url: string;
  /** The longest silence of the service. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Ends the request. */
  close(): void;
  /** @throws what the caller's own input threw */
  throwOwn?(): void;
};

/**
 * Waits for parts of an answer that arrive one by one. The time between two waits, which the reader takes, does not count.
 * @returns a function that throws TrackingApiError, NoAnswerError, the reason of the signal, or what `throwOwn` throws.
 */
export function patience({ url, timeoutMs, signal, close, throwOwn = () => {} }: Patience) {
  return async <T>(work: Promise<T>): Promise<T> => {
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      close();
    }, timeoutMs);
    try {
      return await work;
    } catch (error) {
      close();
      signal?.throwIfAborted();
      throwOwn();
      if (isSilent) throw noAnswer(url, { reason: 'timeout', why: `nothing came for ${timeoutMs / 1000} s` });
      throw isFailure(error) ? error : noAnswer(url, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The body of an answer of this media type. A refusal comes in the envelope of every other answer. */
export async function streamOf(response: Response, type: string): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body && response.headers.get('content-type')?.startsWith(type)) return response.body;
  dataOf(response, await response.text());
  throw new NoAnswerError({
    reason: 'not_the_api',
    message: `HTTP ${response.status}, a response that is not a stream`,
    status: response.status,
  });
}
