import { Client, type Dispatcher } from 'undici';
import type { Line } from './connection.ts';
import type { Exchange } from './exchange.ts';

/** A request that knows its exchange: between here and the sender, the HTTP client may wrap the handler. */
export type ExchangeOptions = Dispatcher.DispatchOptions & { exchange: Exchange };

/** A client of one connection that passes each exchange the line that it uses. */
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
