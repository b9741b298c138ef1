import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

type Sink = { url: string; close(): Promise<void> };

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const ANSWER = ['HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Content-Length: 2', '', 'ok'].join('\r\n');

/** A receiver that answers 200 at once, in a separate thread, so that it does not count as the sender's work. */
export async function startSink(): Promise<Sink> {
  const worker = new Worker(fileURLToPath(import.meta.url), { env: { ...process.env, BENCH_SINK: '1' } });
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/hook`, close: async () => void (await worker.terminate()) };
}

/** The thread's program; the bundle is one file, so the thread starts in the same one as the benchmarks. */
export function runSink(): boolean {
  if (isMainThread) return false;
  const server = createServer({ noDelay: true }, answerEach);
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as { port: number }).port));
  return true;
}

/**
 * Only splits the requests of a connection by their length, so that it leaves the few cores to the measured processes.
 */
function answerEach(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let length = requestLength(rest); length !== null; length = requestLength(rest)) {
      rest = rest.subarray(length);
      socket.write(ANSWER);
    }
  });
}

/** Bytes of the first request that has arrived; null while it is incomplete. */
function requestLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const length =
    headEnd + HEAD_END.length + Number(CONTENT_LENGTH.exec(bytes.toString('latin1', 0, headEnd))?.[1] ?? 0);
  return bytes.length < length ? null : length;
}
