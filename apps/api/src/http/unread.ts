import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is left of a body is read and dropped up to here, to keep a connection; beyond it the connection is closed. */
const WORTH_KEEPING_BYTES = 64 * 1024;
/** A client that has not read the answer yet would lose it if the connection broke while it sends. */
const LINGER = { bytes: 4 * 1024 * 1024, idleMs: 1000, totalMs: 5000 } as const;

/** Whether the connection is better closed than kept until the rest of the body has come. */
export function isWorthClosing({ complete, headers, readableFlowing }: IncomingMessage): boolean {
  if (complete) return false;
  const mayBeLarge =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > WORTH_KEEPING_BYTES;
  // Node reads on by itself only where nobody has begun to.
  return mayBeLarge || readableFlowing !== null;
}

/**
 * Ends an answer whose request may still be arriving, and the connection with it. The client has the whole answer at
 * once; what it sends meanwhile is dropped, for a short time only, so that closing does not take the answer from it.
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
