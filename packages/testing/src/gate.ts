import { connect, createServer, type Socket } from 'node:net';

export type Gate = {
  /** The server's address, through the gate. */
  url: string;
  /** `open` lets everything through; `shut` cuts every connection and refuses new ones; `mute` takes them and never answers. */
  set(state: GateState): void;
  close(): Promise<void>;
};
export type GateState = 'open' | 'shut' | 'mute';

/** Stands between a test and one of its servers, so that the server can be away for this test alone. */
export async function startGate(serverUrl: string, defaultPort: number): Promise<Gate> {
  const server = new URL(serverUrl);
  const port = Number(server.port || defaultPort);
  const sockets = new Set<Socket>();
  let state: GateState = 'open';

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((incoming) => {
    track(incoming);
    if (state === 'shut') return void incoming.destroy();
    const upstream = track(connect({ host: server.hostname, port }));
    incoming.once('close', () => upstream.destroy());
    upstream.once('close', () => incoming.destroy());
    incoming.on('data', (bytes) => state === 'open' && upstream.write(bytes));
    upstream.on('data', (bytes) => state === 'open' && incoming.write(bytes));
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
      state = next;
      // What was left unanswered stays so: a muted connection would otherwise go on in the middle of a message.
      if (next !== 'mute') cut();
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        cut();
      }),
  };
}
