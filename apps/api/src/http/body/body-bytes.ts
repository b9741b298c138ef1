import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { sizeText } from '@pts/contract/limits';
import { ServiceError } from '@pts/core/errors';

/** The supported decompressions, by Content-Encoding. */
const UNPACK = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };
/** The size limit of a body, and the advice for a larger one. */
export type Bounds = { maxBytes: number; tooLarge?: string };
export type Encoding = keyof typeof UNPACK | 'identity';

/** @throws ServiceError `unsupported_media_type` for an unsupported encoding. */
export function encodingOf({ headers }: IncomingMessage): Encoding {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || Object.hasOwn(UNPACK, encoding)) return encoding as Encoding;
  throw new ServiceError('unsupported_media_type', {
    text: 'Send the body without Content-Encoding, or with gzip, deflate or br.',
  });
}

/** Answers `Expect: 100-continue`, so that the client sends its body now. */
export function askForBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (/\b100-continue\b/i.test(headers.expect ?? '')) response.writeContinue();
}

/** Refuses a body by its Content-Length, before any of it is read. @throws ServiceError `payload_too_large`. */
export function refuseDeclared({ headers }: IncomingMessage, maxBytes: number, instead?: string): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, instead);
}

function tooLarge(maxBytes: number, more = 'Send less per request.'): ServiceError {
  const text = `The request body is larger than ${sizeText(maxBytes)}, the limit of this endpoint.`;
  return new ServiceError('payload_too_large', { text: `${text} ${more}` });
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
    const onBreak = () =>
      fail(
        new ServiceError('bad_request', {
          text: 'The connection closed before the whole request body arrived. Send it again.',
        }),
      );
    const late = `The request body did not arrive within ${timeoutMs / 1000} seconds. Send it again.`;
    const timer = setTimeout(() => fail(new ServiceError('bad_request', { text: late })), timeoutMs);
    // Errors after reading are ignored; without a listener they would be thrown.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onBreak);
    if (request.destroyed) onBreak();
  });
}

/** Decompresses a body to at most `maxBytes`, and stops as soon as it exceeds them. */
export async function unpack(bytes: Buffer, encoding: Encoding, bounds: Bounds): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  try {
    return await UNPACK[encoding](bytes, { maxOutputLength: bounds.maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(bounds.maxBytes, bounds.tooLarge);
    throw new ServiceError('bad_request', { text: 'The request body does not match its Content-Encoding.' });
  }
}
