import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const pack = promisify(gzip);

/** A file that is kept in memory, packed when it is first asked for so. */
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

/** Answers with a file, or 304. Its tag is a weak one: packed and not, it is the same file. */
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
