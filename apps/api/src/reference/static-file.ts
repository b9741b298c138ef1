import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const pack = promisify(gzip);

/** A file in memory, compressed at the first request that accepts it. */
export type StaticFile = { body: Buffer; type: string; digest: string; packed(): Promise<Buffer> };

export function createFile(body: Buffer, type: string): StaticFile {
  let packed: Promise<Buffer> | undefined;
  return {
    body,
    type,
    digest: createHash('sha256').update(body).digest('base64url').slice(0, 16),
    packed: () => {
      packed ??= pack(body);
      return packed;
    },
  };
}

/** Answers with a file or 304. The ETag is weak: it is the same with and without compression. */
export function sendFile(file: StaticFile, cacheControl: string): RequestHandler {
  return async (request, response) => {
    response.set({
      'Content-Type': file.type,
      'Cache-Control': cacheControl,
      ETag: `W/"${file.digest}"`,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.fresh) return void response.status(304).end();
    if (request.acceptsEncodings('gzip', 'identity') !== 'gzip') return void response.end(file.body);
    response.set('Content-Encoding', 'gzip').end(await file.packed());
  };
}
