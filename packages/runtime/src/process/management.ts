import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { type Checks, firstFault, textsOf } from '@pts/core/process/readiness-check';
import type { Registry } from 'prom-client';
import { VERSION } from '../metrics.ts';
import { operatorPage, PAGE_HEADERS } from '../operator-page.ts';
import { OPEN_METRICS, openMetricsOf, takesOpenMetrics } from '../tracing/open-metrics.ts';

export type Health = {
  /** Whether the process is alive; if false, the platform restarts it. */
  live(): boolean | Promise<boolean>;
  ready(): Readiness | Promise<Readiness>;
  /** Shown with the checks, without being one. */
  details?(): Readonly<Record<string, unknown>> | undefined;
};

/** Whether requests should reach the process, and the checks that say whether it can work. */
export type Readiness = { isReady: boolean; checks: Checks };

type Address = { port: number; host?: string | undefined };

/** Whether there is a page for operators at `/`, and the name of the process on it. */
type Page = { isOn: boolean; app: string };

/**
 * The port for operators: `/healthz` (liveness), `/readyz` (readiness, as JSON), `/metrics` (Prometheus). Without a
 * host it listens on all addresses.
 * @param page the same for people, read-only, if it is on.
 * @returns null if the port is 0, that is, disabled.
 * @throws an Error with a code if the port is in use or the host is not an address of the machine.
 */
export async function startManagement(
  address: Address,
  health: Health,
  registry: Registry,
  page: Page = { isOn: false, app: '' },
): Promise<Server | null> {
  if (address.port === 0) return null;
  const server = createServer((request, response) => {
    answer(request, response, { health, registry, page }).catch(() => respond(response, 500, 'failed'));
  });
  return listen(server, address, { port: 'MANAGEMENT_PORT', host: 'MANAGEMENT_HOST' });
}

/** Headers of every answer; the page states what it may load. They are in lower case, as `getHeaders` has them. */
const PRIVATE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

type Served = { health: Health; registry: Registry; page: Page };

async function answer(
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  { health, registry, page }: Served,
): Promise<void> {
  switch (url.split('?')[0]) {
    case '/healthz': {
      const isLive = await health.live();
      return respond(response, isLive ? 200 : 503, isLive ? 'ok' : 'unavailable');
    }
    case '/readyz':
      return respondReadiness(response, await health.ready(), health.details?.());
    case '/metrics':
      if (takesOpenMetrics(headers.accept)) return respond(response, 200, await openMetricsOf(registry), OPEN_METRICS);
      return respond(response, 200, await registry.metrics(), registry.contentType);
    case '/':
      if (!page.isOn) return respond(response, 404, 'not found');
      return respondPage(response, { health, registry, page });
    default:
      return respond(response, 404, 'not found');
  }
}

async function respondPage(response: ServerResponse, { health, registry, page }: Served): Promise<void> {
  const readiness = await health.ready();
  const body = operatorPage({
    app: page.app,
    version: VERSION,
    host: hostname(),
    at: new Date(),
    upSeconds: process.uptime(),
    isLive: await health.live(),
    status: statusOf(readiness),
    checks: readiness.checks,
    details: health.details?.() ?? {},
    metrics: await registry.getMetricsAsJSON(),
  });
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
  respond(response, 200, body, 'text/html; charset=utf-8');
}

/** The status for `/readyz` and the operator's page: a process waiting for a requirement may still be sent requests. */
function statusOf({ isReady, checks }: Readiness): 'ok' | 'waiting' | 'unavailable' {
  if (firstFault(checks) === null) return 'ok';
  return isReady ? 'waiting' : 'unavailable';
}

function respondReadiness(
  response: ServerResponse,
  readiness: Readiness,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const body = { status: statusOf(readiness), checks: textsOf(readiness.checks), ...details };
  respond(response, readiness.isReady ? 200 : 503, `${JSON.stringify(body)}\n`, 'application/json; charset=utf-8');
}

function respond(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  response.writeHead(status, { ...PRIVATE, ...response.getHeaders(), 'Content-Type': type }).end(body);
}

/**
 * Starts a server on an address.
 * @param settings the variables that the address is from.
 * @throws an Error with a code that names the setting if the port is taken or the host is not an address of the
 * machine.
 */
export async function listen<S extends Server>(
  server: S,
  address: Address,
  settings: Readonly<Record<keyof Address, string>>,
): Promise<S> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(inPlainWords(error, address, settings)));
    server.listen(address, resolve);
  });
  return server;
}

function inPlainWords(
  error: NodeJS.ErrnoException,
  { port, host }: Address,
  settings: Readonly<Record<keyof Address, string>>,
): Error {
  const texts: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Set ${settings.port} to a free port.`,
    EACCES: `Port ${port} is not permitted. Set ${settings.port} to another port.`,
    EADDRNOTAVAIL: `${settings.host} ${host} is not an address of this machine.`,
    ENOTFOUND: `${settings.host} ${host} does not resolve.`,
  };
  return Object.assign(new Error(texts[error.code ?? ''] ?? error.message), { code: error.code });
}
