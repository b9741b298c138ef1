import type { IncomingMessage, ServerResponse } from 'node:http';

/** Up to this size, the rest of a body is read and dropped to keep the connection; beyond it the connection is closed. */
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
