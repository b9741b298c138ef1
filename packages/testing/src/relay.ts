import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay to a server, which can be cut. */
export type Relay = {
  /** The server's address, through the relay. */
  url: string;
  /** Breaks every connection, and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a relay to the server of a URL, on a fixed port. */
export async function startRelay(url: string): Promise<Relay> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      join(near, far);
      join(far, near);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as { port: number };
  const here = new URL(url);
  here.host = `127.0.0.1:${port}`;
  const cut = async () => {
    const closed = server.listening ? once(server.close(), 'close') : null;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: here.href,
    cut,
    restore: async () => {
      server = await listen(port);
    },
    close: cut,
  };
}
