import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';

const servers: Server[] = [];

/** Starts an HTTP server of a test on a free port and returns its address, without a slash at the end. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port');
  return `http://127.0.0.1:${address.port}`;
}

/** Stops every server of the test, even with open connections; for `afterEach`. */
export async function stopServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export type Asked = { path: string; type: string; body: string };

/** A server that gives every request the same answer and records the requests and their headers. */
export async function recordingServer(answer: { status?: number; body: string; headers?: Record<string, string> }) {
  const asked: Asked[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const baseUrl = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      headers.push(request.headers);
      asked.push({ path: `${request.method} ${request.url}`, type: request.headers['content-type'] ?? '', body });
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    });
  });
  return { baseUrl, asked, headers };
}
