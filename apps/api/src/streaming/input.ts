import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BYTES, MAX_STREAMED, MAX_UNREADABLE, sizeText } from '@pts/contract/limits';
import { type ErrorName, ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { requireList } from '../endpoints/bulk-items.ts';
import { askForBody, checkShape } from '../http/body.ts';
import type { TimeSlices } from '../http/bulkhead.ts';

/** Bounds of a JSON body. */
export const STREAM_JSON = {
  maxBytes: BODY_BYTES.streamJson,
  tooLarge: message('use_ndjson'),
} as const;

/** The input for one number: its index, and its value or fault. */
export type Item = { index: number; value: unknown } | { index: number; fault: ServiceError };

/**
 * The numbers of a request, piece by piece: from a JSON body, which is read as a whole, or from lines, which are read
 * as they arrive.
 * @throws ServiceError for a body that cannot be understood at all, before anything is registered.
 */
export async function openInput(
  request: IncomingMessage,
  response: ServerResponse,
  readJson: () => Promise<unknown>,
  slices: TimeSlices,
): Promise<AsyncIterable<readonly Item[]>> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ServiceError('unsupported_media_type', { text: message('stream_encoded') });
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return itemsOf(await readJson());
  if (type !== 'application/x-ndjson' && type !== 'application/ndjson')
    throw new ServiceError('unsupported_media_type', { text: message('stream_type') });
  askForBody(request, response);
  return readLines(request, slices);
}

function itemsOf(body: unknown): AsyncIterable<readonly Item[]> {
  const items = requireList(body);
  if (items.length > MAX_STREAMED) throw tooMany(message('nothing_registered'));
  return (async function* () {
    yield items.map((value, index) => ({ index, value }));
  })();
}

async function* readLines(request: IncomingMessage, slices: TimeSlices): AsyncGenerator<readonly Item[]> {
  const read = { lines: 0, unreadable: 0 };
  try {
    for await (const lines of linesOf(bounded(request, slices), BODY_BYTES.streamLine)) {
      const { items, fault } = toItems(lines, read);
      yield items;
      if (fault) throw fault;
      await slices.next();
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    yield [{ index: read.lines, fault: error }];
  }
}

/** The items of lines up to a limit, and the limit. */
function toItems(lines: readonly Line[], read: { lines: number; unreadable: number }) {
  const items: Item[] = [];
  for (const line of lines) {
    if (read.lines >= MAX_STREAMED) return { items, fault: tooMany(REST) };
    if (read.unreadable >= MAX_UNREADABLE) return { items, fault: tooManyUnreadable() };
    const item = toItem(read.lines, line);
    if ('fault' in item) read.unreadable += 1;
    read.lines += 1;
    items.push(item);
  }
  return { items, fault: null };
}

/** Limits an endless body; complete lines before the limit count, a partial line does not. */
async function* bounded(request: IncomingMessage, slices: TimeSlices): AsyncGenerator<Buffer> {
  let bytes = 0;
  // Leaving the loop must not close the connection: the response continues.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    slices.resume();
    bytes += chunk.length;
    if (bytes > BODY_BYTES.stream) throw tooLong();
    yield chunk;
    // A chunk without a line, blank or part of one, costs time as well.
    await slices.next();
  }
}

function toItem(index: number, line: Line): Item {
  if ('fault' in line) {
    const isLong = line.fault === 'too_long';
    const size = sizeText(BODY_BYTES.streamLine);
    if (isLong) return { index, fault: fault('bad_request', message('line_too_long', { size })) };
    return { index, fault: fault('bad_request', message('line_not_utf8')) };
  }
  if (!/^["{[]/.test(line.text)) return { index, value: line.text };
  try {
    checkShape(line.text);
    return { index, value: JSON.parse(line.text) };
  } catch (error) {
    if (error instanceof ServiceError) return { index, fault: error };
    return { index, fault: fault('bad_request', message('line_unreadable')) };
  }
}

/** The end of a message about lines, which are registered as they arrive. */
const REST = message('rest_not_registered');

function tooMany(outcome: Message): ServiceError {
  return fault('batch_too_large', message('stream_too_many', { max: MAX_STREAMED, outcome }));
}

function tooManyUnreadable(): ServiceError {
  return fault(
    'bad_request',
    message('stream_unreadable', { max: MAX_UNREADABLE.toLocaleString('en'), outcome: REST }),
  );
}

function tooLong(): ServiceError {
  const size = sizeText(BODY_BYTES.stream);
  return fault('payload_too_large', message('stream_too_large', { size, outcome: REST }));
}

function fault(error: ErrorName, text: Message): ServiceError {
  return new ServiceError(error, { text });
}

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
/** The most pieces of an incomplete line. */
const MAX_PIECES = 64;
/** The most lines that are passed on together. */
const MAX_TOGETHER = 64;

/** A line of an upload, or its fault. */
export type Line = { text: string } | { fault: 'too_long' | 'not_utf8' };

/**
 * The lines of a body as it arrives, some at a time. Of an incomplete line, at most `maxBytes` are kept in memory; a
 * longer line is reported as a fault and skipped, and so is one that is not UTF-8. Empty lines, and those of only
 * spaces and tabs, are skipped at almost no cost: a body may have millions of them.
 */
export async function* linesOf(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let rest: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) rest = [];
    else rest.push(piece);
    // A line that arrives byte by byte would cost far more than its bytes.
    if (rest.length >= MAX_PIECES) rest = [Buffer.concat(rest)];
  };
  const finish = (): Line | null => {
    if (bytes === 0) return null;
    const isTooLong = bytes > maxBytes;
    const line = Buffer.concat(rest);
    rest = [];
    bytes = 0;
    return isTooLong ? { fault: 'too_long' } : decode(line);
  };
  for await (const chunk of body) {
    let from = bytes === 0 ? pastBlank(chunk, 0) : 0;
    for (let end = chunk.indexOf(LINE_FEED, from); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, end));
      from = pastBlank(chunk, end + 1);
      const line = finish();
      if (line) lines.push(line);
      if (lines.length < MAX_TOGETHER) continue;
      yield lines;
      lines = [];
    }
    if (from < chunk.length) take(chunk.subarray(from));
    if (lines.length > 0) yield lines;
    lines = [];
  }
  const last = finish();
  if (last) yield [last];
}

/** The start of the first line that is not blank; leading spaces are ignored. */
function pastBlank(chunk: Buffer, at: number): number {
  let from = at;
  for (let code = chunk[from]; code === SPACE || code === LINE_FEED || code === RETURN || code === TAB; ) {
    from += 1;
    code = chunk[from];
  }
  return from;
}

/** A line that is blank in another way (no-break spaces) counts as one: each costs as much as any other. */
function decode(line: Buffer): Line {
  return isUtf8(line) ? { text: line.toString('utf8').trim() } : { fault: 'not_utf8' };
}
