import type { StreamInput } from './types.ts';

export type StreamNumbers = Iterable<StreamInput> | AsyncIterable<StreamInput>;

/** The input of the stream: one number, or one object with a number and optional fields, per line. */
export type StreamBody = {
  /** Whether it can be sent again. */
  isRepeatable: boolean;
  init(): RequestInit;
  /** Stops reading the input. */
  stop(): void;
  /** @throws the error of the input */
  throwIfFaulty(): void;
};

/** @throws TypeError for a string: it would be sent character by character. */
export function toBody(numbers: StreamNumbers): StreamBody {
  if (typeof numbers === 'string') throw new TypeError('track.stream takes a list of numbers, not a string');
  if (Symbol.asyncIterator in numbers) return streamed(numbers[Symbol.asyncIterator]());
  const text = Array.from(numbers, toLine).join('');
  return { isRepeatable: true, init: () => ({ body: text }), stop: () => {}, throwIfFaulty: () => {} };
}

/** Reads the next number only when the connection has room for it. */
function streamed(input: AsyncIterator<StreamInput>): StreamBody {
  const encoder = new TextEncoder();
  let fault: { error: unknown } | null = null;
  let isOver = false;
  const stop = () => {
    if (isOver) return;
    isOver = true;
    // Not awaited: an input that is waiting for its own source would block the caller.
    Promise.resolve(input.return?.()).catch(() => {});
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await input.next();
          if (!done) return controller.enqueue(encoder.encode(toLine(value)));
          isOver = true;
          controller.close();
        } catch (error) {
          fault = { error };
          isOver = true;
          controller.error(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  return {
    isRepeatable: false,
    init: () => ({ body, duplex: 'half' }),
    stop,
    throwIfFaulty: () => {
      if (fault) throw fault.error;
    },
  };
}

function toLine(number: StreamInput): string {
  return `${JSON.stringify(number)}\n`;
}
