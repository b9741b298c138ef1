import { createServer, type Server, type ServerResponse } from 'node:http';
import { type Checks, firstFault, textsOf } from '@pts/core/process/check';
import type { Registry } from 'prom-client';

export type Health = {
  /** Whether the process is alive; if false, the platform restarts it. */
  live(): boolean | Promise<boolean>;
  /** The readiness checks: the process is ready if every one is `ok`. */
  ready(): Checks | Promise<Checks>;
  /** Shown with the checks, without being one. */
  details?(): Readonly<Record<string, unknown>> | undefined;
};

type Address = { port: number; host?: string | undefined };

/**
 * The port for operators: `/healthz` (liveness), `/readyz` (readiness, as JSON), `/metrics` (Prometheus). Without a host it
 * listens on all addresses.
 * @returns null if the port is 0, that is, disabled.
 * @throws an Error with a code if the port is in use or the host is not an address of the machine.
 */
export async function startManagement(address: Address, health: Health, registry: Registry): Promise<Server | null> {
  if (address.port === 0) return null;
  const server = createServer((request, response) => {
    answer(request.url ?? '/', response, health, registry).catch(() => respond(response, 500, 'failed'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(inPlainWords(error, address)));
    server.listen(address, resolve);
  });
  return server;
}

async function answer(url: string, response: ServerResponse, health: Health, registry: Registry): Promise<void> {
  switch (url.split('?')[0]) {
    case '/healthz': {
      const isLive = await health.live();
      return respond(response, isLive ? 200 : 503, isLive ? 'ok' : 'unavailable');
    }
    case '/readyz':
      return respondReadiness(response, await health.ready(), health.details?.());
    case '/metrics':
      return respond(response, 200, await registry.metrics(), registry.contentType);
    default:
      return respond(response, 404, 'not found');
  }
}

function respondReadiness(
  response: ServerResponse,
  checks: Checks,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const isReady = firstFault(checks) === null;
  const body = { status: isReady ? 'ok' : 'unavailable', checks: textsOf(checks), ...details };
  respond(response, isReady ? 200 : 503, `${JSON.stringify(body)}\n`, 'application/json; charset=utf-8');
}

function respond(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  response.writeHead(status, headers).end(body);
}

function inPlainWords(error: NodeJS.ErrnoException, { port, host }: Address): Error {
  const texts: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Set MANAGEMENT_PORT to a free port.`,
    EADDRNOTAVAIL: `MANAGEMENT_HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `MANAGEMENT_HOST ${host} does not resolve.`,
  };
  return Object.assign(new Error(texts[error.code ?? ''] ?? error.message), { code: error.code });
}
