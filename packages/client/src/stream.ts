import { NoAnswerError, TrackingApiError } from './errors.ts';
import { readLines } from './ndjson.ts';
import { openStream } from './open-stream.ts';
import { type CallOptions, withRetries } from './request.ts';
import { statusOf } from './response.ts';
import { type StreamNumbers, toBody } from './stream-body.ts';
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
  const open = () => {
    const init = { ...body.init(), headers: { 'Content-Type': 'application/x-ndjson' } };
    const reading = { read: readLines, onClose: body.stop, throwCause: body.throwIfFaulty };
    return openStream(wire, { name: 'streamBatch', accept: 'application/x-ndjson', init, ...reading }, options);
  };
  const stream = await withRetries(wire, 'streamBatch', retries, open);
  try {
    for (;;) {
      const line = (await stream.next()) as StreamLine | null;
      if (line === null) throw new NoAnswerError({ reason: 'cut_off', message: 'the stream ended before its summary' });
      if (endsStream(line)) throw refusalOf(line, stream.requestId);
      yield line;
      if (line.type === 'summary') return;
    }
  } finally {
    stream.close();
  }
}

/** The last line of a stream that the service ended, for instance because the key was revoked. */
type Ending = StreamLine & { errorCode: number; errorMessage: string; docs_url: string };

function endsStream(line: StreamLine): line is Ending {
  return line.type === 'error' && line.index === null;
}

function refusalOf({ errorCode: code, errorMessage: message, docs_url }: Ending, requestId: string | null) {
  return new TrackingApiError({ code, status: statusOf(code), message, requestId, docsUrl: docs_url });
}
