import { type OperationId, ROUTES } from '@pts/contract/routes';
import { isCursorOutdated, NoAnswerError, TrackingApiError } from './errors.ts';
import {
  type CallOptions,
  dataOf,
  type Input,
  isFailure,
  noAnswer,
  statusOf,
  timeoutOf,
  urlOf,
  type Wire,
  withRetries,
} from './request.ts';
import type { StreamedEvent, StreamInput, StreamLine } from './types.ts';

/**
 * POST /track/batch-stream: registers any number of trackings and yields the service's lines as they arrive. Async
 * input is sent as it arrives and cannot be retried. Leaving the loop aborts the request.
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

export type StreamNumbers = Iterable<StreamInput> | AsyncIterable<StreamInput>;

/** The input of the stream: one number, or one object with a number and optional fields, per line. */
type StreamBody = {
  /** Whether it can be sent again. */
  isRepeatable: boolean;
  init(): RequestInit;
  /** Stops reading the input. */
  stop(): void;
  /** @throws the error of the input */
  throwIfFaulty(): void;
};

/** @throws TypeError for a string: it would be sent character by character. */
function toBody(numbers: StreamNumbers): StreamBody {
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

/** A response that is read as it arrives; null: it is over. */
type OpenStream<T> = { requestId: string | null; next(): Promise<T | null>; close(): void };

/** The request that is sent, and how its response is read. */
type StreamRequest<T> = {
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
 * Opens a stream. It fails when the service has sent nothing for as long as the call's timeout; the time that the
 * reader takes does not count. @throws TrackingApiError, NoAnswerError
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

const NAME = 'streamEvents';
/** A stream that has ended is opened again after this time: the service may be restarting. */
const AGAIN_MS = 1000;

/**
 * GET /events/stream: the events after a cursor, then each new one as it is stored, without an end. Connects again by
 * itself. After a failover of the service, events may come again. Leaving the loop ends the request.
 * @param from a cursor or `latest`, or the number of newest events to start with; defaults to the oldest event.
 * @throws TrackingApiError if the service refuses, also when events after the cursor were removed; NoAnswerError if it
 *   cannot be reached in as many tries as allowed.
 */
export async function* streamEvents(
  wire: Wire,
  from: { after?: string | undefined; last?: number | undefined },
  options: CallOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  let cursor = from.after;
  for (;;) {
    const opened = await withRetries(wire, NAME, options, () =>
      open(wire, cursor === undefined ? from : { after: cursor }, options),
    );
    if ('continueAfter' in opened) {
      cursor = opened.continueAfter;
      continue;
    }
    try {
      for (;;) {
        const next = await nextOf(opened);
        if (next === null) break;
        if (next.event === 'error') {
          const refusal = refusalInEnvelope(next.data, opened.requestId);
          if (continuationOf(refusal) === null && refusal.status < 500) throw refusal;
          cursor = continuationOf(refusal) ?? cursor;
          break;
        }
        if (next.id !== '') cursor = next.id;
        if (next.data !== '') yield { ...JSON.parse(next.data), cursor };
      }
    } finally {
      opened.close();
    }
    await wire.sleep(AGAIN_MS, options.signal);
  }
}

type EventStream = OpenStream<ServerSentEvent>;

/** The stream from a place on, or the cursor that the service names instead. */
async function open(
  wire: Wire,
  query: { after?: string | undefined; last?: number | undefined },
  options: CallOptions,
): Promise<EventStream | { continueAfter: string }> {
  const request = { name: NAME, accept: 'text/event-stream', query, read: readServerSentEvents } as const;
  try {
    return await openStream(wire, request, options);
  } catch (error) {
    const cursor = continuationOf(error);
    if (cursor === null) throw error;
    return { continueAfter: cursor };
  }
}

/** A connection that was lost is the end of the stream: the next one continues it. */
async function nextOf(stream: EventStream): Promise<ServerSentEvent | null> {
  try {
    return await stream.next();
  } catch (error) {
    if (error instanceof NoAnswerError && (error.reason === 'network' || error.reason === 'timeout')) return null;
    throw error;
  }
}

/** The cursor that a refusal names to continue after, if no event is missed; null for any other error. */
export function continuationOf(error: unknown): string | null {
  return isCursorOutdated(error) && !error.eventsRemoved ? error.nextCursor : null;
}

function refusalInEnvelope(envelope: string, requestId: string | null): TrackingApiError {
  const { code, message, data } = JSON.parse(envelope);
  const { next_cursor: nextCursor, events_removed: eventsRemoved, docs_url: docsUrl } = data;
  return new TrackingApiError({
    code,
    status: statusOf(code),
    message,
    requestId,
    nextCursor,
    eventsRemoved,
    docsUrl,
  });
}

/** In characters: a parcel's whole history has a few thousand. */
const LONGEST_LINE = 4_000_000;

/**
 * The values of newline-delimited JSON, each as soon as its line is complete.
 * @throws NoAnswerError for invalid JSON
 */
async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of piecesOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw notTheApi(rest);
    for (const line of lines) if (line.trim() !== '') yield parse(line);
  }
  const last = jsonIn(rest);
  if (last !== undefined) yield last;
}

function parse(line: string): unknown {
  const value = jsonIn(line);
  if (value === undefined) throw notTheApi(line);
  return value;
}

/** Undefined for a line that is not JSON, such as one that was cut off. */
function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notTheApi(line: string): NoAnswerError {
  return new NoAnswerError({
    reason: 'not_the_api',
    message: `a line of the stream is not valid JSON: ${line.slice(0, 80)}`,
  });
}

/** A server-sent event: its name, its data, and the last id that the stream has named. */
type ServerSentEvent = { event: string; data: string; id: string };

/**
 * The events of a stream as they arrive. A block without data, such as a heartbeat, yields an event with empty data: it
 * may have an id, and shows that the stream is alive.
 * @throws NoAnswerError for a line that does not end.
 */
async function* readServerSentEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of piecesOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new NoAnswerError({
        reason: 'not_the_api',
        message: `a line of the stream is too long: ${rest.slice(0, 80)}`,
      });
    for (const line of lines) {
      const [name, value] = fieldOf(line.replace(/\r$/, ''));
      if (name === 'id') id = value;
      else if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === '' && value === '') {
        yield { event, data: data.join('\n'), id };
        event = '';
        data = [];
      }
    }
  }
}

/** `name: value`; a comment has an empty name. */
function fieldOf(line: string): [name: string, value: string] {
  const at = line.indexOf(':');
  if (at < 0) return [line, ''];
  return [at === 0 ? ':' : line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}
