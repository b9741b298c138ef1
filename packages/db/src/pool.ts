import pg from 'pg';

/** How long the answer to a statement may take, in milliseconds. */
export const DEADLINES = {
  /** Work of pollers, dispatchers and streams, including claims and sweeps. Requests have less (650 ms). */
  statement: 8000,
  /** Bulk work in the background: deleting old rows, counting, feeding replays. */
  bulk: 60_000,
  /** One migration. It may build an index over a large table. */
  migration: 2 * 60 * 60_000,
} as const;

type PoolOptions = {
  url: string;
  poolSize: number;
  /** Milliseconds for the answer to a statement. */
  statementMs?: number;
  /** Milliseconds that a statement waits for a connection. */
  connectMs?: number;
  /** Milliseconds after which the server ends an idle transaction. */
  idleTransactionMs?: number;
  /** Prepares a new connection before its first use. */
  onConnect?(client: pg.ClientBase): Promise<void>;
};

/** Once the process is about to end. */
const HURRY_MS = 2000;
const CLOSE_MS = 3000;
/** Time for a server to answer the message that ends a connection. */
const GOODBYE_MS = 500;
/**
 * At a gentle load, a connection may be unused for a while. Opening one starts a process of the server, and prepares
 * its statements again.
 */
const IDLE_MS = 60_000;
/**
 * The longest time to connect. It continues when its statement gives up, so that the next statement can use the
 * connection.
 */
const MAX_CONNECT_MS = 5000;
/** After this, a second connection is tried in parallel with one that is still being made, which may hang. */
const SECOND_MS = 1000;
/** The least time for a statement that had to wait for its connection. */
const MIN_MS = 100;
/** Time for the server to confirm that a late statement is cancelled, after which the caller gets an error. */
export const CONFIRM_MS = 150;
/** Time for the cancellation of a late statement to reach the server. */
const CANCEL_MS = 1000;

/** Settings of every connection that is not a pool's. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 3000 } as const;

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  /** Missing when the pool gave up waiting. */
  done?: (release?: unknown) => void,
) => void;

/**
 * A pool whose statements all end within a deadline, even if the network fails: a late one is cancelled at
 * the server, fails with a DeadlineError, and its connection is never used again. The wait for a connection is bounded
 * as well. Nothing depends on the state of a session (startup parameters, SET) but the time zone, which PgBouncer
 * keeps, so it can be used.
 */
export class DeadlinePool extends pg.Pool {
  /** Milliseconds for the answer to a statement. */
  readonly statementMs: number;
  readonly #connectMs: number;
  /** Connections that have not ended, also those that are still being opened. */
  readonly #clients: ReadonlySet<DeadlineClient>;
  #maxMs = Number.POSITIVE_INFINITY;

  constructor(options: PoolOptions) {
    const { statementMs = DEADLINES.statement, connectMs = MAX_CONNECT_MS, idleTransactionMs, onConnect } = options;
    const clients = new Set<DeadlineClient>();
    super({
      ...KEEP_ALIVE,
      connectionString: options.url,
      max: options.poolSize,
      connectionTimeoutMillis: Math.max(connectMs, MAX_CONNECT_MS),
      idleTimeoutMillis: IDLE_MS,
      ...(onConnect && { onConnect: onConnect as (client: pg.ClientBase) => void }),
      Client: class extends DeadlineClient {
        constructor(config?: pg.ClientConfig) {
          super(config, statementMs, idleTransactionMs);
          clients.add(this);
          this.once('end', () => clients.delete(this));
        }
      },
    });
    this.statementMs = statementMs;
    this.#connectMs = connectMs;
    this.#clients = clients;
    // A connection that breaks while idle is replaced when the next one is needed.
    this.on('error', () => {});
    this.on('connect', (client) => {
      (client as unknown as DeadlineClient).onMute = () => this.dropIdle();
    });
    this.on('release', (_error, client) => {
      (client as unknown as DeadlineClient).isIdle = true;
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    return this.#connect(this.statementMs, this.#connectMs, callback);
  }

  /** A pool of the same connections, for statements with another deadline. It is not to be ended. */
  within(ms: number): pg.Pool {
    const patienceMs = Math.min(ms, Math.max(this.#connectMs, MAX_CONNECT_MS));
    const connect = (callback?: Connected) => this.#connect(ms, patienceMs, callback);
    return Object.create(this, { connect: { value: connect }, statementMs: { value: ms } }) as pg.Pool;
  }

  /** Ends the idle connections: they may be as dead as one that just failed. */
  dropIdle(): void {
    for (const client of this.#clients) if (client.isIdle) client.destroy();
  }

  /** The process is about to end: running and later statements get two seconds. */
  hurry(): void {
    if (this.#maxMs === HURRY_MS) return;
    this.#maxMs = HURRY_MS;
    for (const client of this.#clients) client.endWithin(HURRY_MS);
  }

  /** Ends every connection; those that hang are destroyed after three seconds. */
  async close(): Promise<void> {
    this.hurry();
    await within(CLOSE_MS, this.ending ? Promise.resolve() : this.end(), () => {});
    // A connection that should end may be dead and never answer.
    for (const client of this.#clients) setTimeout(() => client.destroy(), GOODBYE_MS).unref();
  }

  #connect(ms: number, patienceMs: number, callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback) return void this.#waitFor(ms, patienceMs, callback);
    return new Promise((resolve, reject) => {
      this.#waitFor(ms, patienceMs, (error, client) => (client ? resolve(client) : reject(error)));
    });
  }

  /** A connection that is opened for a statement that gives up, or is the second of two, serves the next one. */
  #waitFor(ms: number, patienceMs: number, connected: Connected): void {
    const startedAt = this.idleCount > this.waitingCount ? 0 : performance.now();
    let [isOver, attempts] = [false, 0];
    let late: NodeJS.Timeout | undefined;
    let second: NodeJS.Timeout | undefined;
    const finish: Connected = (error, client, done) => {
      isOver = true;
      clearTimeout(late);
      clearTimeout(second);
      connected(error, client, done);
    };
    const attempt = () => {
      attempts += 1;
      super.connect((error, client, done) => {
        attempts -= 1;
        if (isOver) return done?.();
        if (client) {
          const waitedMs = startedAt === 0 ? 0 : performance.now() - startedAt;
          (client as unknown as DeadlineClient).lend(Math.min(ms, this.#maxMs), waitedMs);
          finish(error, client, done);
        } else if (attempts === 0) finish(error, client, done);
      });
    };
    attempt();
    // An idle connection is there at once.
    if (startedAt === 0) return;
    const giveUp = () => finish(new Error('timeout exceeded when trying to connect'), undefined);
    late = setTimeout(giveUp, Math.min(patienceMs, this.#maxMs));
    second = setTimeout(() => {
      if (this.idleCount > 0 || this.totalCount < this.options.max) attempt();
    }, SECOND_MS);
  }
}

type Done = (error: Error | null, result?: unknown) => void;
/** A statement that waits for its answer. */
type Running = { endWithin(ms: number): void };

/** node-pg's own, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(this: pg.Client): object };

/**
 * A connection whose statements all end within a deadline, even if the network fails: a late one is cancelled at the
 * server and fails with a DeadlineError, and the connection is destroyed. Nothing depends on the session. Connecting
 * ends within the `connectionTimeoutMillis` of the configuration.
 */
export class DeadlineClient extends pg.Client {
  /** Whether it waits in its pool. */
  isIdle = false;
  /** Called when the server did not confirm the end of a late statement either: other connections may be as dead. */
  onMute = () => {};
  #statementMs: number;
  readonly #idleTransactionMs: number;
  /** How long the next statement has waited for its connection. */
  #waitedMs = 0;
  readonly #running = new Set<Running>();

  /** @param statementMs milliseconds for the answer to a statement. */
  constructor(config: pg.ClientConfig | undefined, statementMs: number, idleTransactionMs = 15_000) {
    super(config);
    this.#statementMs = statementMs;
    this.#idleTransactionMs = idleTransactionMs;
    // Without a listener, a connection that breaks would end the process. Its statements fail anyway.
    this.on('error', () => {});
  }

  /**
   * Starts a session with UTC, whatever the zone of the server, the database or the role. Prisma takes it for
   * granted. Of the settings of node-pg only `options` could say so, which poolers refuse; this one PgBouncer keeps for
   * each of its clients.
   */
  getStartupConf(): object {
    return { ...getStartupConf.call(this), TimeZone: 'UTC' };
  }

  /** Gives it to somebody whose statements have this deadline, of whom the first has waited for it. */
  lend(statementMs: number, waitedMs: number): void {
    this.isIdle = false;
    this.#statementMs = statementMs;
    this.#waitedMs = waitedMs;
  }

  /** Sends a statement as in node-pg, whose many signatures its users see. */
  override query(given: unknown, values?: unknown, callback?: unknown): never {
    const done = (typeof values === 'function' ? values : callback) as Done | undefined;
    const parameters = Array.isArray(values) ? values : undefined;
    if (done) return this.#send(given, parameters, done) as never;
    return new Promise((resolve, reject) => {
      this.#send(given, parameters, (error, result) => (error ? reject(error) : resolve(result)));
    }) as never;
  }

  /** Shortens the deadlines of running and later statements to this many milliseconds from now. */
  endWithin(ms: number): void {
    this.#statementMs = Math.min(ms, this.#statementMs);
    for (const statement of this.#running) statement.endWithin(ms);
  }

  /** Ends the connection without the message of farewell, which a dead one would never answer. */
  destroy(error?: Error): void {
    this.connection.stream.destroy(error);
  }

  #send(given: unknown, parameters: unknown[] | undefined, done: Done): void {
    const ms = Math.max(Math.min(MIN_MS, this.#statementMs), this.#statementMs - this.#waitedMs);
    this.#waitedMs = 0;
    const text = typeof given === 'string' ? given : (given as { text: string }).text;
    const statement = text.startsWith('BEGIN') ? this.#begin(text) : given;
    const ended = this.#watch(ms);
    super.query(statement as string, parameters as unknown[], (error: Error | null, result: unknown) => {
      const late = ended();
      if (late) setImmediate(done, late);
      else done(error, result);
    });
  }

  /** Sent as one message. The server enforces these limits itself if this process can no longer reach it. */
  #begin(text: string): string {
    const statementMs = this.#statementMs + 2 * CANCEL_MS;
    return `${text}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${this.#idleTransactionMs}`;
  }

  /** Starts a deadline. @returns a function that ends it, with the error if it was over. */
  #watch(ms: number): () => DeadlineError | null {
    let late: DeadlineError | null = null;
    let isAnswered = false;
    // Never used again: a cancellation that is still in flight would hit the next statement.
    const abandon = () => this.destroy(late ?? undefined);
    const expire = () => {
      if (isAnswered) return;
      late = new DeadlineError(ms);
      cancelStatement(this, CANCEL_MS);
      timer = setTimeout(() => {
        abandon();
        this.onMute();
      }, CONFIRM_MS);
    };
    // An answer that has arrived, and only waits for this process to read it, is in time.
    const start = (inMs: number) => setTimeout(() => setImmediate(expire), inMs);
    const startedAt = performance.now();
    let timer = start(ms);
    const entry: Running = {
      endWithin: (soon) => {
        if (late || startedAt + ms - performance.now() <= soon) return;
        clearTimeout(timer);
        timer = start(soon);
      },
    };
    this.#running.add(entry);
    return () => {
      isAnswered = true;
      clearTimeout(timer);
      this.#running.delete(entry);
      if (late) abandon();
      return late;
    };
  }
}

/** A statement had no answer within its deadline. Whether it took effect is not known. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  // The same code as Node's socket errors, so Prisma treats it as one.
  readonly code = 'ETIMEDOUT';
  readonly syscall = 'query';
  readonly errno = -110;

  constructor(ms: number) {
    super(`the database has not answered within ${Math.round(ms)} ms`);
  }
}

/** The parts of node-pg's connection that its types leave out. */
type Wire = {
  stream: { destroy(): void };
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: unknown): void;
};
type Session = { processID: number | null; secretKey: unknown; sslNegotiation?: string };

/**
 * Asks the server, over a separate connection, to cancel the statement of the session. It may fail: this only affects
 * how long locks are held.
 */
function cancelStatement(client: pg.Client, timeoutMs: number): void {
  const { processID, secretKey, sslNegotiation } = client as unknown as Session;
  const { host, port, ssl } = client;
  if (processID === null) return;
  const wire = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as unknown as Wire;
  const timer = setTimeout(() => wire.stream.destroy(), timeoutMs);
  const cancel = () => wire.cancel(processID, secretKey);
  wire.on('error', () => wire.stream.destroy());
  wire.on('end', () => clearTimeout(timer));
  wire.on('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') wire.requestSsl();
  });
  wire.on('sslconnect', cancel);
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
}

/** Whether the server's own session answers: a pooler greets with a process id that it has invented. */
export async function isDirect(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  return (await backendOf(client)) === ('processID' in client ? client.processID : undefined);
}

/** The process of the server that answers. */
async function backendOf(connection: Pick<pg.ClientBase, 'query'>): Promise<number | undefined> {
  const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

/** Rounds of two alternating clients. Others may use the pooler at the same time, so a single round proves nothing. */
const ROUNDS = 10;
/** A session pooler without a free connection makes the second client wait, which also identifies it. */
const PATIENCE_MS = 3000;

/**
 * Whether the URL leads to a pooler in transaction mode, which may use another session for each statement. A pooler
 * reports an invented process id; a second client shows whether it keeps a session for each client.
 */
export async function isTransactionPooled(url: string): Promise<boolean> {
  const settings = { url, poolSize: 1, statementMs: PATIENCE_MS, connectMs: 10_000 };
  const [one, other] = [new DeadlinePool(settings), new DeadlinePool(settings)];
  try {
    const client = await one.connect();
    try {
      if (await isDirect(client)) return false;
      const pid = await backendOf(client);
      for (let round = 0; round < ROUNDS; round += 1) {
        if ((await backendOf(other)) === pid || (await backendOf(client)) !== pid) return true;
      }
      return false;
    } finally {
      client.release();
    }
  } catch (error) {
    if (error instanceof DeadlineError) return false;
    throw error;
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

/**
 * Waits for `work`, but no longer than `ms`: then `late` says what to do instead, and may throw. Work that is done, and
 * of which this process was too busy to notice, is in time.
 */
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const giveUp = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  try {
    return await Promise.race([work, giveUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
