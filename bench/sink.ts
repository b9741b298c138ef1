import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

export type Sink = { url: string; close(): Promise<void> };

/** A receiver that answers 200 at once, in a thread of its own, so that it does not count as the sender's work. */
export async function startSink(): Promise<Sink> {
  const worker = new Worker(fileURLToPath(import.meta.url), { env: { ...process.env, BENCH_SINK: '1' } });
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/hook`, close: async () => void (await worker.terminate()) };
}

/** What the thread runs; the bundle is one file, so the thread starts in the same one as the benchmarks. */
export function runSink(): boolean {
  if (isMainThread) return false;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end('ok'));
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as { port: number }).port));
  return true;
}
