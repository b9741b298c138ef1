import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

export type Health = {
  /** Whether the process can still do its work; false has the platform restart it. */
  live(): boolean | Promise<boolean>;
  /** Whether new work may come now. */
  ready(): boolean | Promise<boolean>;
};

/**
 * The port for operators: `/healthz` (liveness), `/readyz` (readiness), `/metrics` (Prometheus).
 * @returns null when the port is 0: turned off.
 */
export async function startManagement(port: number, health: Health, registry: Registry): Promise<Server | null> {
  if (port === 0) return null;
  const server = createServer((request, response) => {
    answer(request.url ?? '/', response, health, registry).catch(() => respond(response, 500, 'failed'));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return server;
}

async function answer(url: string, response: ServerResponse, health: Health, registry: Registry): Promise<void> {
  switch (url.split('?')[0]) {
    case '/healthz':
      return probe(response, await health.live());
    case '/readyz':
      return probe(response, await health.ready());
    case '/metrics':
      return respond(response, 200, await registry.metrics(), registry.contentType);
    default:
      return respond(response, 404, 'not found');
  }
}

function probe(response: ServerResponse, ok: boolean): void {
  respond(response, ok ? 200 : 503, ok ? 'ok' : 'unavailable');
}

function respond(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': type }).end(body);
}
