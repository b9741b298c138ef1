import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Time for pending responses when the process stops. */
const GRACE_MS = 300;

/** Starts to listen. @throws an Error with a one-line message if the port is not available */
export function listen(app: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(app);
  // Longer than callers keep an idle connection, so that none of them uses one that is just being closed.
  server.keepAliveTimeout = 65_000;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(reasonOf(error, host, port))));
    server.listen(port, host, () => resolve(server));
  });
}

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is in use; set PORT to a free port.`;
  return `Cannot listen on ${host}:${port}: ${error.message}`;
}

export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Stops listening, lets quick answers finish, then closes the remaining connections: a held-back answer must not block the
 * exit.
 */
export async function stop(server: Server, graceMs = GRACE_MS): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(cut);
}
