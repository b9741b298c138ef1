import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { type HttpServer, serve } from '@pts/testing/http-server';

const servers: HttpServer[] = [];

/** Starts an HTTP server of a test on a free port and returns its address, without a slash at the end. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = await serve(listener);
  servers.push(server);
  return server.url;
}

/** Stops every server of the test, even with open connections; for `afterEach`. */
export async function stopServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

export type Requested = { path: string; type: string; body: string };

/** A server that gives every request the same answer and records the requests and their headers. */
export async function recordingServer(answer: { status?: number; body: string; headers?: Record<string, string> }) {
  const requested: Requested[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const baseUrl = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      headers.push(request.headers);
      requested.push({ path: `${request.method} ${request.url}`, type: request.headers['content-type'] ?? '', body });
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    });
  });
  return { baseUrl, requested, headers };
}
