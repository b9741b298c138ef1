import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { Exchange } from './exchange.ts';

/** How far a connection has come. `proxy` is the way to our own proxy, `tunnel` what it does for us. */
export type Stage = 'dns' | 'connect' | 'proxy' | 'tunnel' | 'tls' | 'open';

export type Connection = {
  stage: Stage;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  socket: Socket | null;
  /** By the process's own clock, in milliseconds. */
  openedAt: number | null;
  /** What had been read of it when the latest exchange began. */
  bytesBefore: number;
  isUsed: boolean;
  /** Ends the making of it; nothing once it is made. */
  giveUp(why: Error): void;
};

/** One place for a connection to a receiver, and the connection that is there now. */
export type Line = {
  connection: Connection | null;
  /** A connection is not used again after this long. */
  readonly ttlMs: number;
};

/** A client of one connection that tells each exchange which line it goes over. */
export class LineClient extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options, line: Line) {
    super(origin, options);
    this.#line = line;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.line = this.#line;
    // One that is closed here is made anew for this exchange. The client's own way looks at every line for every push.
    if (isOld(this.#line) && this.stats.running === 0) this.#line.connection?.socket?.destroy();
    return super.dispatch(options, handler);
  }
}

function isOld({ connection, ttlMs }: Line): boolean {
  const openedAt = connection?.openedAt ?? null;
  return openedAt !== null && performance.now() - openedAt >= ttlMs;
}
