import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { sizeText } from '@pts/contract/limits';
import { ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import type { Request, Response } from 'express';
import { createTimeSlices, type TimeSlices } from './bulkhead.ts';

/** Long enough for the largest body over a slow connection. */
const TIMEOUT_MS = 30_000;
/** Bytes of bodies that an account may have in flight in one process: sixteen of the largest. */
const MAX_UNDER_WAY = 4 * 1024 * 1024;

type BodyBounds = Bounds & {
  /** The account, whose bodies in flight are limited together. */
  accountId: string;
};

/** Reads the JSON body of a request; undefined if there is none. */
export type ReadJson = (request: Request, response: Response, bounds: BodyBounds) => Promise<unknown>;

type Options = {
  timeoutMs?: number;
  maxUnderWay?: number;
  /** How an account rests after long work on a body. */
  slicesOf?: (accountId: string) => TimeSlices;
};

/** A reader of JSON bodies in UTF-8, compressed or not: limited in bytes, depth, members, values and time. */
export function createJsonReader(options: Options = {}): ReadJson {
  const { timeoutMs = TIMEOUT_MS, maxUnderWay = MAX_UNDER_WAY, slicesOf = () => createTimeSlices() } = options;
  const underWay = createUnderWay(maxUnderWay);
  return async (request, response, bounds) => {
    if (!hasBody(request)) return undefined;
    requireJson(request);
    const encoding = encodingOf(request);
    refuseDeclared(request, bounds.maxBytes, bounds.tooLarge);
    askForBody(request, response);
    const counted = underWay(bounds.accountId);
    try {
      const bytes = await readBytes(request, { ...bounds, timeoutMs, take: counted.take });
      const unpacked = await unpack(bytes, encoding, bounds);
      const slices = slicesOf(bounds.accountId);
      try {
        return parse(unpacked, bounds.tooLarge);
      } finally {
        await slices.next();
      }
    } finally {
      counted.release();
    }
  };
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A body of another type would be ignored silently, and every field reported missing. */
function requireJson(request: Request): void {
  if (!request.is('application/json')) throw new ServiceError('unsupported_media_type');
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '') ?? [];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ServiceError('unsupported_media_type', { text: message('body_charset') });
  }
}

const decoder = new TextDecoder();

/** Invalid UTF-8 would be stored as replacement characters. */
function parse(bytes: Buffer, instead?: Message): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ServiceError('bad_request', { text: message('body_not_utf8') });
  return parseJson(decoder.decode(bytes), instead);
}

/** Counts the bytes of bodies that are being read, by account. */
function createUnderWay(max: number) {
  const byAccount = new Map<string, number>();
  return (accountId: string) => {
    let own = 0;
    const add = (bytes: number) => {
      own += bytes;
      const all = (byAccount.get(accountId) ?? 0) + bytes;
      if (all > 0) byAccount.set(accountId, all);
      else byAccount.delete(accountId);
      return all;
    };
    return {
      take(bytes: number) {
        if (add(bytes) <= max) return;
        throw new ServiceError('too_many_requests', { text: message('too_many_bodies') });
      },
      release: () => void add(-own),
    };
  };
}

/** The supported decompressions, by Content-Encoding. */
const UNPACK = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };
/** The size limit of a body, and the advice for a larger one. */
type Bounds = { maxBytes: number; tooLarge?: Message };
type Encoding = keyof typeof UNPACK | 'identity';

/** @throws ServiceError `unsupported_media_type` for an unsupported encoding. */
function encodingOf({ headers }: IncomingMessage): Encoding {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || Object.hasOwn(UNPACK, encoding)) return encoding as Encoding;
  throw new ServiceError('unsupported_media_type', { text: message('body_encoding') });
}

/** Answers `Expect: 100-continue`, so that the client sends its body now. */
export function askForBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (/\b100-continue\b/i.test(headers.expect ?? '')) response.writeContinue();
}

/** Refuses a body by its Content-Length, before any of it is read. @throws ServiceError `payload_too_large`. */
export function refuseDeclared({ headers }: IncomingMessage, maxBytes: number, instead?: Message): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, instead);
}

function tooLarge(maxBytes: number, instead = message('send_less')): ServiceError {
  return new ServiceError('payload_too_large', {
    text: message('body_too_large', { size: sizeText(maxBytes), instead }),
  });
}

/**
 * Reads a body of at most `maxBytes` within `timeoutMs`. It stops at the first byte beyond the limit and leaves the
 * rest unread.
 * @param take counts received bytes, and may throw to stop reading.
 */
export function readBytes(
  request: IncomingMessage,
  { maxBytes, tooLarge: instead, timeoutMs, take }: Bounds & { timeoutMs: number; take(bytes: number): void },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onBreak).pause();
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maxBytes) throw tooLarge(maxBytes, instead);
        take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks, length));
    };
    const onBreak = () => fail(new ServiceError('bad_request', { text: message('body_cut') }));
    const late = () => new ServiceError('bad_request', { text: message('body_late', { seconds: timeoutMs / 1000 }) });
    const timer = setTimeout(() => fail(late()), timeoutMs);
    // Errors after reading are ignored; without a listener they would be thrown.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onBreak);
    if (request.destroyed) onBreak();
  });
}

/** Decompresses a body to at most `maxBytes`, and stops as soon as it exceeds them. */
async function unpack(bytes: Buffer, encoding: Encoding, bounds: Bounds): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  try {
    return await UNPACK[encoding](bytes, { maxOutputLength: bounds.maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(bounds.maxBytes, bounds.tooLarge);
    throw new ServiceError('bad_request', { text: message('body_not_as_encoded') });
  }
}

/** Levels of objects and lists within each other. No operation has more than three. */
const MAX_LEVELS = 32;
/** Fields, objects and lists of a body: a hundred for each item of a bulk call. */
const MAX_MEMBERS = 4000;
/** Values of a body: the numbers of a stream, and some more, whose refusal says how many it takes. */
const MAX_VALUES = 12_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON within limits that bound the time it takes (docs/decisions/0034-json-bodies.md).
 * @param instead the advice for a body beyond a limit.
 * @throws ServiceError `bad_request` with the position of the fault or the limit that was exceeded.
 */
export function parseJson(text: string, instead?: Message): unknown {
  checkShape(text, instead);
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findJsonFault(text);
    if (!fault) throw error;
    throw new ServiceError('bad_request', { text: message('json_invalid', fault) });
  }
}

/**
 * Counts in one pass what a parser would meet, up to the first fault of a text.
 * @param instead the advice for a text beyond a limit.
 * @throws ServiceError `bad_request` for too many levels, members or values.
 */
export function checkShape(text: string, instead = message('split_requests')): void {
  const tooMany = (code: 'json_too_deep' | 'json_too_many_members' | 'json_too_many_values', max: number) =>
    new ServiceError('bad_request', { text: message(code, { max: max.toLocaleString('en'), instead }) });
  let levels = 0;
  let members = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        break;
      case COLON:
        members += 1;
        break;
      case COMMA:
        commas += 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        levels += 1;
        members += 1;
        if (levels > MAX_LEVELS) throw tooMany('json_too_deep', MAX_LEVELS);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        levels -= 1;
        break;
    }
  }
  if (members > MAX_MEMBERS) throw tooMany('json_too_many_members', MAX_MEMBERS);
  if (commas >= MAX_VALUES) throw tooMany('json_too_many_values', MAX_VALUES);
}

/** @returns the position after the closing quote, or after the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

/** The position of the first JSON error, counted from 1, and what is wrong there. */
type JsonFault = { line: number; column: number; problem: Message };

const LINE_FEED = 0x0a;

const STRING_START = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const VALUE = [/[[{]|true|false|null/y, STRING, NUMBER];
const SPACE = /[ \t\n\r]*/y;

/** Tokens that can stand at each place of a text. */
const PLACES: Record<
  'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'afterField' | 'afterEntry' | 'afterAll',
  { tokens: readonly RegExp[]; expected: Message }
> = {
  value: { tokens: VALUE, expected: message('json_value') },
  firstValue: { tokens: [/\]/y, ...VALUE], expected: message('json_value_or_end') },
  name: { tokens: [STRING], expected: message('json_name') },
  firstName: { tokens: [/}/y, STRING], expected: message('json_name_or_end') },
  colon: { tokens: [/:/y], expected: message('json_colon') },
  afterField: { tokens: [/[,}]/y], expected: message('json_comma_or_brace') },
  afterEntry: { tokens: [/[,\]]/y], expected: message('json_comma_or_bracket') },
  afterAll: { tokens: [], expected: message('json_end') },
};
type Place = keyof typeof PLACES;

/**
 * Finds the position of a fault, which `JSON.parse` does not report on every version of Node. Never repeats the text.
 * @returns null for valid JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  /** The place after the values of each open object and list. */
  const open: Place[] = [];
  let place: Place = 'value';
  for (let at = pastOf(SPACE, text, 0); at < text.length; ) {
    const end = pastAnyOf(PLACES[place].tokens, text, at);
    if (end === at) return faultAt(text, at, place);
    place = placeAfter(text.charAt(at), place, open);
    at = pastOf(SPACE, text, end);
  }
  if (place === 'afterAll') return null;
  return { ...positionOf(text, text.length), problem: message('json_ends', { expected: PLACES[place].expected }) };
}

/** The position after what matches here; the same position if nothing does. */
function pastOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function pastAnyOf(patterns: readonly RegExp[], text: string, at: number): number {
  for (const pattern of patterns) {
    const end = pastOf(pattern, text, at);
    if (end > at) return end;
  }
  return at;
}

/** The place after a token that starts with this character; updates the open objects and lists. */
function placeAfter(start: string, place: Place, open: Place[]): Place {
  switch (start) {
    case ':':
      return 'value';
    case ',':
      return place === 'afterField' ? 'name' : 'value';
    case '{':
      open.push('afterField');
      return 'firstName';
    case '[':
      open.push('afterEntry');
      return 'firstValue';
    case '}':
    case ']':
      open.pop();
      break;
    default:
      if (place === 'name' || place === 'firstName') return 'colon';
  }
  return open.at(-1) ?? 'afterAll';
}

function faultAt(text: string, at: number, place: Place): JsonFault {
  const { tokens, expected } = PLACES[place];
  const end = tokens.includes(STRING) ? pastOf(STRING_START, text, at) : at;
  const problem = end === at ? message('json_expected', { expected }) : problemInString(text.charAt(end));
  return { ...positionOf(text, end), problem };
}

/** @param next what follows the valid part of a string. */
function problemInString(next: string): Message {
  if (next === '') return message('json_ends_in_string');
  return message(next === '\\' ? 'json_escape' : 'json_control');
}

function positionOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let each = 0; each < at; each++) {
    if (text.charCodeAt(each) !== LINE_FEED) continue;
    line += 1;
    lineStart = each + 1;
  }
  return { line, column: at - lineStart + 1 };
}

/**
 * Up to this size, the rest of a body is read and dropped to keep the connection; beyond it the connection is closed.
 */
const WORTH_KEEPING_BYTES = 64 * 1024;
/** A client that is still sending would lose the response if the connection closed at once. */
const LINGER = { bytes: 4 * 1024 * 1024, idleMs: 1000, totalMs: 5000 } as const;

/** Whether to close the connection instead of waiting for the rest of the body. */
export function isWorthClosing({ complete, headers, readableFlowing }: IncomingMessage): boolean {
  if (complete) return false;
  const mayBeLarge =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > WORTH_KEEPING_BYTES;
  // Node drains the body automatically only if nothing has started reading it.
  return mayBeLarge || readableFlowing !== null;
}

/**
 * Ends a response whose request may still be arriving, and its connection. The client gets the whole response at
 * once; what it still sends is dropped for a short time, so that closing does not destroy the response.
 */
export async function endUnread(request: IncomingMessage, response: ServerResponse, last: string): Promise<void> {
  if (request.complete || response.destroyed) return void response.end(last);
  response.write(last);
  await dropped(request, response);
  response.end();
}

function dropped(request: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(total);
      clearTimeout(idle);
      request.off('data', onData).off('end', done).off('close', done).pause();
      response.off('close', done);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > LINGER.bytes) done();
    };
    const total = setTimeout(done, LINGER.totalMs);
    const idle = setTimeout(done, LINGER.idleMs);
    request.on('error', () => {});
    request.on('data', onData).on('end', done).on('close', done);
    response.on('close', done);
    request.resume();
  });
}
