import { NoAnswerError } from './errors.ts';
import { readLines } from './ndjson.ts';
import { openStream } from './open-stream.ts';
import { type CallOptions, withRetries } from './request.ts';
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
      yield line;
      if (line.type === 'summary') return;
    }
  } finally {
    stream.close();
  }
}
