import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { isUnchanged } from '../http/unchanged.ts';

const pack = promisify(gzip);

/** The encodings that a file may be sent in, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];
/** What the build has compressed. */
export type Packed = Readonly<Partial<Record<Encoding, Buffer>>>;

/** A file in memory, with its compressed forms. */
export type StaticFile = {
  body: Buffer;
  type: string;
  digest: string;
  /** Null if there is no such form. Gzip is made at the first request for it, unless the build has made it. */
  packed(encoding: Encoding): Promise<Buffer> | null;
};

export function createFile(body: Buffer, type: string, { br, gzip: zipped }: Packed = {}): StaticFile {
  let gzipped = zipped && Promise.resolve(zipped);
  return {
    body,
    type,
    digest: createHash('sha256').update(body).digest('base64url').slice(0, 16),
    packed(encoding) {
      if (encoding === 'br') return br ? Promise.resolve(br) : null;
      gzipped ??= pack(body);
      return gzipped;
    },
  };
}

/** Answers with a file or 304. The ETag is weak: it is the same with and without compression. */
export function sendFile(file: StaticFile, cacheControl: string): RequestHandler {
  const tag = `W/"${file.digest}"`;
  return async (request, response) => {
    response.set({
      'Content-Type': file.type,
      'Cache-Control': cacheControl,
      ETag: tag,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    if (isUnchanged(request, tag)) return void response.status(304).end();
    for (const encoding of ENCODINGS) {
      const packed = accepts(request, encoding) ? file.packed(encoding) : null;
      if (packed) return void response.set('Content-Encoding', encoding).end(await packed);
    }
    response.end(file.body);
  };
}

/** Whether a client accepts an encoding at least as gladly as an unencoded file. */
function accepts(request: Request, encoding: Encoding): boolean {
  return request.acceptsEncodings(encoding, 'identity') === encoding;
}
