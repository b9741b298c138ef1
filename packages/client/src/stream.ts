import { NoAnswerError } from './errors.ts';
import { readLines } from './ndjson.ts';
import { OPERATIONS } from './operations.ts';
import { patience, streamOf } from './patience.ts';
import { type CallOptions, urlOf, withRetries } from './request.ts';
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
  const stream = await withRetries(wire, 'track.stream', retries, async () => {
    await wire.pacer.take(OPERATIONS['track.stream'].limit, options.signal);
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
  const url = urlOf(wire, 'track.stream', {});
  const ending = new AbortController();
  const close = () => {
    ending.abort();
    body.stop();
  };
  const patiently = patience({ url, timeoutMs, signal, close, throwOwn: body.throwIfFaulty });
  const request = {
    method: 'POST',
    redirect: 'manual' as const,
    ...body.init(),
    headers: { ...wire.headers, Accept: 'application/x-ndjson', 'Content-Type': 'application/x-ndjson' },
    signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
  };
  const asked = wire.fetch(url, request);
  const learn = (response: Response | null) => wire.pacer.learn(OPERATIONS['track.stream'].limit, response);
  asked.then(learn, () => learn(null));
  const lines = readLines(await patiently(asked.then((response) => streamOf(response, 'application/x-ndjson'))));
  return {
    next: async () => {
      const { value, done } = await patiently(lines.next());
      return done ? null : (value as StreamLine);
    },
    close,
  };
}
