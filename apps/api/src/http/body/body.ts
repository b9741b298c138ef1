import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@pts/core/errors';
import type { Request, Response } from 'express';
import { createTimeSlices, type TimeSlices } from '../limits/time-slices.ts';
import { askForBody, type Bounds, encodingOf, readBytes, refuseDeclared, unpack } from './body-bytes.ts';
import { parseJson } from './json.ts';

/** Long enough for the largest body over a slow connection. */
const TIMEOUT_MS = 30_000;
/** Bytes of bodies that an account may have in flight in one process: sixteen of the largest. */
const MAX_UNDER_WAY = 4 * 1024 * 1024;

export type BodyBounds = Bounds & {
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
    throw new ServiceError('unsupported_media_type', {
      text: 'The body must be JSON in UTF-8; omit the charset.',
    });
  }
}

/** Invalid UTF-8 would be stored as replacement characters. */
function parse(bytes: Buffer, instead?: string): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ServiceError('bad_request', { text: 'The request body is not valid UTF-8.' });
  return parseJson(new TextDecoder().decode(bytes), instead);
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
        throw new ServiceError('too_many_requests', {
          text: 'This account is sending too many large request bodies at once. Wait for some of the responses.',
        });
      },
      release: () => void add(-own),
    };
  };
}
