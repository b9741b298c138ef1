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
export const END_OF_PORTS = 32_000;
const FIRST_PORT = 20_000;
const MAX_TRIES = 1000;
let last = randomInt(FIRST_PORT, END_OF_PORTS);

/**
 * A port that was free a moment ago. The caller must be ready to retry if binding it fails: another process may be faster. This one gets
 * each port once, because those that it has got may not be bound yet.
 * @param end the port must be below it.
 */
export async function freePort(host = '127.0.0.1', end: number = END_OF_PORTS): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    last = last + 1 < end ? last + 1 : randomInt(FIRST_PORT, end);
    const port = await tryPort(last, host);
    if (port !== null) return port;
  }
  throw new Error(`no free port on ${host}`);
}
