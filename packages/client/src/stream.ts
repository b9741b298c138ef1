import { ROUTES } from '@pts/contract/routes';
import { NoAnswerError } from './errors.ts';
import { readLines } from './ndjson.ts';
import { type CallOptions, isFailure, urlOf, withRetries } from './request.ts';
import { dataOf, noAnswer } from './response.ts';
import { type StreamBody, type StreamNumbers, toBody } from './stream-body.ts';
import type { StreamLine } from './types.ts';
import type { Wire } from './wire.ts';

/**
 * POST /track/batch-stream: registers any number of trackings and yields the service's lines as they arrive. Async input
 * is sent as it arrives and cannot be retried. Leaving the loop aborts the request.
 * @throws TrackingApiError, NoAnswerError, and what `numbers` or the signal throws
 */
export async function* streamBatch(
  wire: Wire,
  numbers: StreamNumbers,
  options: CallOptions = {},
): AsyncGenerator<StreamLine, void, undefined> {
  const body = toBody(numbers);
  const retries = body.isRepeatable ? options : { ...options, maxRetries: 0 };
  const stream = await withRetries(wire, 'streamBatch', retries, async () => {
    await wire.pacer.take(ROUTES.streamBatch.limit, options.signal);
    return open(wire, body, options);
  });
  try {
    for (;;) {
      const line = await stream.next();
      if (line === null) throw new NoAnswerError({ reason: 'cut_off', message: 'the stream ended before its summary' });
      yield line;
      if (line.type === 'summary') return;
    }
  } finally {
    stream.close();
  }
}

/** Null: the stream is over. */
type OpenStream = { next(): Promise<StreamLine | null>; close(): void };

async function open(
  wire: Wire,
  body: StreamBody,
  { signal, timeoutMs = wire.timeoutMs }: CallOptions,
): Promise<OpenStream> {
  const url = urlOf(wire, 'streamBatch', {});
  const ending = new AbortController();
  const close = () => {
    ending.abort();
    body.stop();
  };
  /** Waits for the service up to the maximum silence. The time that the reader of the lines takes does not count. */
  const patiently = async <T>(work: Promise<T>): Promise<T> => {
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
      body.throwIfFaulty();
      if (isSilent) throw noAnswer(url, { reason: 'timeout', why: `nothing came for ${timeoutMs / 1000} s` });
      throw isFailure(error) ? error : noAnswer(url, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  const request = {
    method: 'POST',
    redirect: 'manual' as const,
    ...body.init(),
    headers: { ...wire.headers, Accept: 'application/x-ndjson', 'Content-Type': 'application/x-ndjson' },
    signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
  };
  const asked = wire.fetch(url, request);
  const learn = (response: Response | null) => wire.pacer.learn(ROUTES.streamBatch.limit, response);
  asked.then(learn, () => learn(null));
  const lines = readLines(await patiently(asked.then(streamOf)));
  return {
    next: async () => {
      const { value, done } = await patiently(lines.next());
      return done ? null : (value as StreamLine);
    },
    close,
  };
}

/** A refusal comes in the envelope of every other answer. */
async function streamOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body && response.headers.get('content-type')?.startsWith('application/x-ndjson'))
    return response.body;
  dataOf(response, await response.text());
  throw new NoAnswerError({
    reason: 'not_the_api',
    message: `HTTP ${response.status}, a response that is not a stream`,
    status: response.status,
  });
}
