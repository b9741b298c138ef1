import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@pts/core/errors';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

const MOST_BYTES = 1024 * 1024;
/** Long enough for 1 MiB over a poor line; a client that is slower only holds a connection. */
const TIMEOUT_MS = 30_000;

/** Reads a body of JSON in UTF-8, of at most 1 MiB also when unpacked, that must have come within a time. */
export function readBody({ timeoutMs = TIMEOUT_MS } = {}): RequestHandler[] {
  return [requireJson, within(timeoutMs, express.json({ limit: MOST_BYTES, verify: requireUtf8 }))];
}

/** A body of another type would be passed over in silence, and every field be reported missing. */
function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is('application/json')) throw new ApiError('unsupported_media_type');
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '') ?? [];
  if (hasBody && charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError('unsupported_media_type', { text: 'The body must be JSON in UTF-8; leave the charset out.' });
  }
  next();
}

/** Bytes that are no UTF-8 would be stored as other characters than were meant. */
function requireUtf8(_request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ApiError('bad_request', { text: 'The request body is not valid UTF-8.' });
}

function within(timeoutMs: number, read: RequestHandler): RequestHandler {
  return (request, response, next) => {
    let isOver = false;
    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      next(error);
    };
    const timer = setTimeout(() => {
      // What still comes would be taken for the next request.
      response.set('Connection', 'close');
      const text = `The request body did not arrive within ${timeoutMs / 1000} seconds. Send it again.`;
      end(new ApiError('bad_request', { text }));
    }, timeoutMs);
    read(request, response, end);
  };
}
