import { connect, createServer, type Socket } from 'node:net';

export type Gate = {
  /** The server's address, through the gate. */
  url: string;
  set(state: GateState): void;
  /** Breaks every connection, now; new ones get through as before. */
  cut(): void;
  /** Breaks every connection, now; new ones reach this server instead. */
  redirect(serverUrl: string): void;
  /** Connections refused so far. */
  refused(): number;
  close(): Promise<void>;
};
/**
 * `open` lets everything through; `shut` cuts every connection and refuses new ones; `mute` takes them and never
 * answers. `half-open` never answers on the connections there are, for good, and lets new ones through.
 */
export type GateState = 'open' | 'shut' | 'mute' | 'half-open';

/** Stands between a test and one of its servers, so that the server can be away for this test alone. */
export async function startGate(serverUrl: string, defaultPort: number): Promise<Gate> {
  const targetOf = (url: string) => {
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port || defaultPort) };
  };
  let target = targetOf(serverUrl);
  const sockets = new Set<Socket>();
  const deaf = new WeakSet<Socket>();
  let state: GateState = 'open';
  let refused = 0;

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((incoming) => {
    track(incoming);
    if (state === 'shut') {
      refused += 1;
      return void incoming.destroy();
    }
    const upstream = track(connect(target));
    const passes = () => state !== 'mute' && !deaf.has(incoming);
    incoming.once('close', () => upstream.destroy());
    upstream.once('close', () => passes() && incoming.destroy());
    incoming.on('data', (bytes) => passes() && upstream.write(bytes));
    upstream.on('data', (bytes) => passes() && incoming.write(bytes));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('the gate has no port');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    set: (next) => {
      // Unanswered data is lost with its connection, which would otherwise continue in the middle of a message.
      if (next === 'shut' || (next === 'open' && state !== 'half-open')) cut();
      if (next === 'half-open') for (const socket of sockets) deaf.add(socket);
      state = next;
    },
    cut,
    redirect: (to) => {
      target = targetOf(to);
      cut();
    },
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        cut();
      }),
  };
}
