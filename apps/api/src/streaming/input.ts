import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError, type ErrorName } from '@pts/core/errors';
import { listOf, noList } from '../bulk.ts';
import { notJson } from '../json-fault.ts';
import { type Line, linesOf } from './lines.ts';

/** Numbers that one stream takes. */
export const MOST_STREAMED = 10_000;
const MOST_JSON_BYTES = 4 * 1024 * 1024;
const MOST_LINE_BYTES = 16 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

/** What was sent for one number: its place in the input, and the value, or why there is none. */
export type Item = { index: number; value: unknown } | { index: number; fault: ApiError };

/**
 * The numbers of a request: of a JSON body, which is read as a whole, or of lines, which are read as they arrive.
 * @throws ApiError for a body that cannot be understood at all, before anything is registered.
 */
export async function openInput(request: IncomingMessage): Promise<AsyncIterable<Item>> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ApiError('unsupported_media_type', { text: 'Send the stream without Content-Encoding.' });
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-ndjson' || type === 'application/ndjson') return readLines(request);
  if (type === 'application/json') return readJson(request);
  throw new ApiError('unsupported_media_type', {
    text: 'Send application/json, or application/x-ndjson with one number or object a line.',
  });
}

async function readJson(request: IncomingMessage): Promise<AsyncIterable<Item>> {
  const items = listOf(parse(await readAll(request)));
  if (!items) throw noList();
  if (items.length === 0) throw new ApiError('number_missing');
  if (items.length > MOST_STREAMED) throw tooMany();
  return (async function* () {
    for (const [index, value] of items.entries()) yield { index, value };
  })();
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_JSON_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw fault('bad_request', 'The request ended before its body did.');
  }
  if (bytes <= MOST_JSON_BYTES) return Buffer.concat(chunks);
  throw fault('payload_too_large', 'A JSON body of this operation may have 4 MiB. Send application/x-ndjson for more.');
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw fault('bad_request', 'The request body is not valid UTF-8.');
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text);
  }
}

async function* readLines(request: IncomingMessage): AsyncGenerator<Item> {
  let index = 0;
  for await (const line of linesOf(bounded(request), MOST_LINE_BYTES)) {
    if (index >= MOST_STREAMED) return void (yield { index, fault: tooMany() });
    yield toItem(index, line);
    index += 1;
  }
}

/** A body that goes on and on ends here; what was read of it counts. */
async function* bounded(request: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  // Leaving the loop must not end the connection: the answer goes on.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return;
    yield chunk;
  }
}

function toItem(index: number, line: Line): Item {
  if ('fault' in line) {
    const isLong = line.fault === 'too_long';
    const text = isLong ? 'The line is longer than 16 KiB and was passed over.' : 'The line is not UTF-8.';
    return { index, fault: new ApiError('bad_request', { text }) };
  }
  if (!/^["{[]/.test(line.text)) return { index, value: line.text };
  try {
    return { index, value: JSON.parse(line.text) };
  } catch {
    return { index, fault: fault('bad_request', 'The line is neither a tracking number nor valid JSON.') };
  }
}

function tooMany(): ApiError {
  return fault(
    'batch_too_large',
    `A stream takes at most ${MOST_STREAMED} tracking numbers. What comes after them was not registered.`,
  );
}

function fault(error: ErrorName, text: string): ApiError {
  return new ApiError(error, { text });
}
