import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A network link to a server that can lose every packet. */
export type Link = {
  /** The server's address, over this link. */
  url: string;
  /** Drops all data, in both directions, without closing anything; connections that are made now get no answer. */
  mute(): void;
  /** Lets new connections through. Those that were mute stay so: what was lost does not come again. */
  unmute(): void;
  /** Whether any bytes were lost since it was last muted. */
  hasLost(): boolean;
  close(): Promise<void>;
};

/** Makes a link to the server of a URL, on a port of its own. */
export async function startLink(url: string, defaultPort = 5432): Promise<Link> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isMute = false;
  let hasLost = false;
  let muteCount = 0;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((near) => {
    track(near);
    const far = track(connect(Number(target.port || defaultPort), target.hostname));
    const bornIn = muteCount;
    const isLost = () => isMute || bornIn !== muteCount;
    const forward = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (isLost()) hasLost = true;
        else to.write(bytes);
      });
      from.once('close', () => void (isLost() || to.destroy()));
    };
    forward(near, far);
    forward(far, near);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const here = new URL(url);
  here.host = `127.0.0.1:${(listener.address() as { port: number }).port}`;
  return {
    url: here.href,
    mute: () => {
      isMute = true;
      hasLost = false;
      muteCount += 1;
    },
    unmute: () => {
      isMute = false;
      muteCount += 1;
    },
    hasLost: () => hasLost,
    close: async () => {
      const closed = once(listener.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
