import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Whether `port` can be bound on `host` now; 0 asks for any. Resolves to the bound port, or null when it is taken. */
export function tryPort(port: number, host = '127.0.0.1'): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

/** Systems use higher ones for outgoing connections, which could take a port before the caller binds it. */
const PORTS = [20_000, 32_000] as const;
const MAX_TRIES = 1000;

/** A port that was free a moment ago. The caller must be ready to retry if binding it fails. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = await tryPort(randomInt(...PORTS), host);
    if (port !== null) return port;
  }
  throw new Error(`no free port on ${host}`);
}
