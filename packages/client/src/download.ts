import type { OperationId } from '@pts/contract/routes';
import { openStream, piecesOf } from './open-stream.ts';
import { type CallOptions, type Input, withRetries } from './request.ts';
import type { Wire } from './wire.ts';

/**
 * Reads a file in pieces, as fast as the caller takes them. It is requested again only until its first piece has arrived. Leaving
 * the loop ends the request.
 * @param file its id or query, and its media type.
 * @throws TrackingApiError, NoAnswerError: a file that breaks off is incomplete
 */
export async function* download(
  wire: Wire,
  name: OperationId,
  { type, ...input }: Pick<Input, 'id' | 'query'> & { type: string },
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const request = { name, accept: type, ...input, read: piecesOf };
  const file = await withRetries(wire, name, options, () => openStream(wire, request, options));
  try {
    for (let piece = await file.next(); piece !== null; piece = await file.next()) yield piece;
  } finally {
    file.close();
  }
}
