import { AsyncResource } from 'node:async_hooks';
import pg from 'pg';
import { countWait, lateError } from './deadline.ts';

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  /** Missing when the pool gave up waiting. */
  done?: (release?: unknown) => void,
) => void;

/**
 * A queued statement is sent in the async context of the statement that released the connection, so its own deadline is
 * restored. It waits until its own deadline; the connection that is being opened for it then serves the next one: on a busy
 * machine, discarding connections and opening new ones would only add load.
 */
export class WaitingPool extends pg.Pool {
  readonly #patienceMs: () => number;
  readonly #waits = new WeakMap<pg.Client, number>();

  /** @param patienceMs how long a statement waits for a connection. */
  constructor(config: pg.PoolConfig, patienceMs: () => number) {
    super(config);
    this.#patienceMs = patienceMs;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    // A promise restores the context of its caller itself, and costs much less.
    if (!callback)
      return new Promise((resolve, reject) => {
        this.#waitFor((error, client) => (client ? resolve(client) : reject(error)));
      });
    this.#waitFor(AsyncResource.bind(callback));
    return undefined;
  }

  /** How long the next statement of a connection has waited for it, once. */
  waitedMs(client: pg.Client): number {
    const ms = this.#waits.get(client) ?? 0;
    this.#waits.delete(client);
    return ms;
  }

  #waitFor(connected: Connected): void {
    const refusal = lateError();
    if (refusal) return void setImmediate(() => connected(refusal, undefined));
    const waited = countWait();
    const startedAt = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      waited();
      connected(new Error('timeout exceeded when trying to connect'), undefined);
    }, this.#patienceMs());
    const pass: Connected = (error, client, done) => {
      clearTimeout(timer);
      if (isLate) return done?.();
      waited();
      if (client) this.#waits.set(client, performance.now() - startedAt);
      connected(error, client, done);
    };
    super.connect(pass);
  }
}
