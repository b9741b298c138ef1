import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';

/** How far a connection has come. `proxy` is the way to our own proxy, `tunnel` what it does for us. */
export type Stage = 'dns' | 'connect' | 'proxy' | 'tunnel' | 'tls' | 'open';

export type Connection = {
  stage: Stage;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  socket: Socket | null;
  /** What had been read of it when the latest exchange began. */
  bytesBefore: number;
  isUsed: boolean;
  /** Ends the making of it; nothing once it is made. */
  giveUp(why: Error): void;
};

/** One place for a connection to a receiver, and the connection that is there now. */
export type Line = { connection: Connection | null };

/** A request that knows the exchange it is of: between here and the sender the HTTP client may wrap the handler. */
export type ExchangeOptions = Dispatcher.DispatchOptions & { exchange: Exchange };

/** A client of one connection that tells each exchange which line it goes over. */
export class LineClient extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options, line: Line) {
    super(origin, options);
    this.#line = line;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & Partial<ExchangeOptions>,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (options.exchange) options.exchange.line = this.#line;
    return super.dispatch(options, handler);
  }
}
