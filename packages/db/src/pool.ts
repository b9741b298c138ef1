import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import pg from 'pg';

/**
 * Waits for `work`, but no longer than `ms`: then `late` says what to do instead, and may throw. Work that is done, and of which
 * this process was too busy to notice, is in time.
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

/** A statement as it is sent, and until when. */
type Sending = {
  text: string;
  /** For the answer, in milliseconds. */
  deadlineMs: number;
  /** Called once it has ended, before its caller hears of it. */
  ended?: () => void;
};

/** What a client asks about its statements. */
type Limits = {
  /** How to send a statement now. An error refuses it. */
  sending(text: string, client: DeadlineClient): Sending | Error;
  /** The server did not confirm the end of a late statement either: other connections may be as dead. */
  onMute?(): void;
};

/** Every statement has the same deadline. */
export const eachWithin = (deadlineMs: number): Limits => ({ sending: (text) => ({ text, deadlineMs }) });

type Done = (error: Error | null, result?: unknown) => void;
type Statement = { text: string; values?: unknown[]; name?: string | undefined };
/** A statement that waits for its answer. */
type Running = { endWithin(ms: number): void };

/** Time for the server to confirm that a late statement is cancelled, after which the caller gets an error. */
const CONFIRM_MS = 150;
/** Time for the cancellation of a late statement to reach the server. */
const CANCEL_MS = 1000;

/** node-pg's own, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(this: pg.Client): object };

/**
 * A connection whose statements all end within a deadline, even if the network fails: a late one is cancelled at the server
 * and fails with a DeadlineError, and the connection is destroyed. Nothing depends on the session. Connecting ends within the
 * `connectionTimeoutMillis` of the configuration. For a pool: `new Pool({ Client: … })`.
 */
export class DeadlineClient extends pg.Client {
  readonly #limits: Limits;
  readonly #running = new Set<Running>();

  constructor(config: pg.ClientConfig | undefined, limits: Limits) {
    super(config);
    this.#limits = limits;
    // Without a listener, a connection that breaks would end the process. Its statements fail anyway.
    this.on('error', () => {});
  }

  /**
   * What a session starts with: UTC, whatever the zone of the server, the database or the role. Prisma takes it for granted. Of the
   * settings of node-pg only `options` could say so, which poolers refuse; this one PgBouncer keeps for each of its clients.
   */
  getStartupConf(): object {
    return { ...getStartupConf.call(this), TimeZone: 'UTC' };
  }

  /** As in node-pg, whose many signatures its users see. */
  override query(given: unknown, values?: unknown, callback?: unknown): never {
    const statement = {
      ...(typeof given === 'string' ? { text: given } : (given as Statement)),
      ...(Array.isArray(values) ? { values } : {}),
    };
    const done = (typeof values === 'function' ? values : callback) as Done | undefined;
    return (done ? this.#submit(statement, done) : this.#promise(statement)) as never;
  }

  /** Shortens the deadlines of running statements to this many milliseconds from now. */
  endWithin(ms: number): void {
    for (const statement of this.#running) statement.endWithin(ms);
  }

  /** Ends the connection without the message of farewell, which a dead one would never answer. */
  destroy(error?: Error): void {
    this.connection.stream.destroy(error);
  }

  #promise(statement: Statement): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#submit(statement, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  #submit(statement: Statement, done: Done): void {
    const sending = this.#limits.sending(statement.text, this);
    if (sending instanceof Error) return void setImmediate(() => done(sending));
    const answered = this.#watch(sending.deadlineMs);
    super.query({ ...statement, text: sending.text }, (error: Error | null, result: unknown) => {
      sending.ended?.();
      const late = answered();
      if (late) setImmediate(() => done(late));
      else done(error, result);
    });
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
        this.#limits.onMute?.();
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

/** The client class of a pool, and its clients that have not ended, also those that are still being opened. */
export function trackClients(limits: Limits): { Client: typeof pg.Client; clients: ReadonlySet<DeadlineClient> } {
  const clients = new Set<DeadlineClient>();
  class Client extends DeadlineClient {
    constructor(config?: pg.ClientConfig) {
      super(config, limits);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  return { Client, clients };
}

/** @returns a function that ends the idle connections of a pool: they may be as dead as one that just failed. */
export function trackIdle(pool: pg.Pool): () => void {
  const idle = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
  return () => {
    for (const { connection } of idle) connection.stream.destroy();
  };
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

/** How long the answer to a statement may take, in milliseconds. */
export const DEADLINES = {
  /** Work of pollers, dispatchers and streams, including claims and sweeps. Requests have less (650 ms). */
  statement: 8000,
  /** Bulk work in the background: deleting old rows, counting, feeding replays. */
  bulk: 60_000,
  /** One migration. It may build an index over a large table. */
  migration: 2 * 60 * 60_000,
} as const;

/** The time in which some work waits for the database, over all of its statements. Waits at the same time count once. */
class Allowance {
  readonly ms: number;
  #leftMs: number;
  #waits = 0;
  #since = 0;

  constructor(ms: number) {
    this.ms = ms;
    this.#leftMs = ms;
  }

  leftMs(): number {
    const runningMs = this.#waits > 0 ? performance.now() - this.#since : 0;
    return Math.max(0, this.#leftMs - runningMs);
  }

  begin(): void {
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
  }

  end(): void {
    this.#waits -= 1;
    if (this.#waits === 0) this.#leftMs -= performance.now() - this.#since;
  }
}

/** Of each statement, or of all together. */
const chosen = new AsyncLocalStorage<number | Allowance>();

function allowance(): Allowance | null {
  const store = chosen.getStore();
  return store instanceof Allowance ? store : null;
}

/** The least time for a statement with a deadline of its own that had to wait for its connection. */
const MIN_MS = 100;

/** Runs `work` with another deadline for each of its statements, with or without Prisma. */
export function withDeadline<T>(ms: number, work: () => Promise<T>): Promise<T> {
  // Prisma sends a statement when its promise is awaited: that has to happen in here.
  return chosen.run(ms, async () => await work());
}

/**
 * Runs `work` with one deadline for all of its statements together. Only the time counts in which it waits for a statement or a
 * connection: neither that of other calls, nor that between statements.
 */
export function withSharedDeadline<T>(ms: number, work: () => T): T {
  return chosen.run(new Allowance(ms), work);
}

/** The deadline of a statement that is sent now, `waitedMs` after it began to wait for its connection. */
function currentDeadline(fallbackMs: number, waitedMs = 0): number {
  const store = chosen.getStore() ?? fallbackMs;
  if (typeof store !== 'number') return store.leftMs();
  return Math.max(Math.min(MIN_MS, store), store - waitedMs);
}

/** What is left of the one deadline of all statements; null if each has its own. */
function sharedLeftMs(): number | null {
  return allowance()?.leftMs() ?? null;
}

/** The error of a statement that would begin after the one deadline of all is over; null if it may begin. */
function lateError(): DeadlineError | null {
  const shared = allowance();
  return shared !== null && shared.leftMs() <= 0 ? new DeadlineError(shared.ms) : null;
}

/** Counts time in which the work waits for the database, until the function that it returns is called. */
function countWait(): () => void {
  const shared = allowance();
  shared?.begin();
  return () => shared?.end();
}

/** Runs work that is not essential: of a deadline for all statements together, it uses half of what is left. */
export async function withHalfTheTime<T>(work: () => Promise<T>): Promise<T> {
  const leftMs = sharedLeftMs();
  if (leftMs === null) return work();
  const counted = countWait();
  try {
    return await withSharedDeadline(leftMs / 2, work);
  } finally {
    counted();
  }
}

/** A caller whose work is done together with that of others. */
export type Caller = {
  /** Whether its deadline is over, and it no longer waits. */
  isGone(): boolean;
  /** Runs work with its deadline. */
  run<T>(work: () => T): T;
};

/**
 * For calls that are done together, in statements of one of them: each waits until its own deadline.
 * @param join hands the call over, and waits for its result.
 * @throws DeadlineError when the deadline is over; whether the call took effect is then not known.
 */
export async function joinCalls<T>(join: (caller: Caller) => Promise<T>): Promise<T> {
  const shared = allowance();
  let isGone = false;
  const result = join({ isGone: () => isGone, run: AsyncLocalStorage.snapshot() });
  if (shared === null) return result;
  const counted = countWait();
  // A statement with the same deadline fails first.
  const leave = () => {
    isGone = true;
    throw new DeadlineError(shared.ms);
  };
  try {
    return await within(shared.leftMs() + CONFIRM_MS, result, leave);
  } finally {
    counted();
  }
}

type LimitOptions = {
  /** For the answer to a statement that is sent now. */
  deadlineMs(client: DeadlineClient): number;
  /** The server ends an idle transaction after this time: its client may have disappeared. */
  idleTransactionMs: number;
  onMute(): void;
};

/** A transaction is ended even if its deadline is over. */
const ENDS = /^(COMMIT|ROLLBACK)/;

/**
 * Every statement has the deadline of its caller. Nothing depends on the session: transaction settings end with the
 * transaction, and only hot statements are named, where the session is known to stay (`createHot`).
 */
function callersLimits({ deadlineMs, idleTransactionMs, onMute }: LimitOptions): Limits {
  return {
    onMute,
    sending: (text, client) => {
      const isEnd = ENDS.test(text);
      const refusal = isEnd ? null : lateError();
      if (refusal) return refusal;
      const ms = isEnd ? Math.max(MIN_MS, deadlineMs(client)) : deadlineMs(client);
      return { text: text === 'BEGIN' ? begin(ms, idleTransactionMs) : text, deadlineMs: ms, ended: countWait() };
    },
  };
}

/** Sent as one message. The server enforces these limits itself if it can no longer be reached. */
function begin(ms: number, idleMs: number): string {
  return `BEGIN; SET LOCAL statement_timeout = ${ms + 2 * CANCEL_MS}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
}

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
class WaitingPool extends pg.Pool {
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

export type Connections = {
  pool: pg.Pool;
  /** The process is about to end: running and later statements get two seconds. */
  hurry(): void;
  /** Ends every connection; those that hang are destroyed after three seconds. */
  close(): Promise<void>;
};

type Options = {
  url: string;
  poolSize: number;
  /** For the answer to a statement, in milliseconds; `withDeadline` chooses another. */
  statementMs?: number;
  /** How long a statement waits for a connection, in milliseconds. */
  connectMs?: number;
  /** Milliseconds after which the server ends an idle transaction. */
  idleTransactionMs?: number;
};

const HURRY_MS = 2000;
const CLOSE_MS = 3000;
const GOODBYE_MS = 500;

/** At a gentle load, a connection may be unused for a while. Opening one starts a process of the server, and prepares its statements again. */
const IDLE_MS = 60_000;
/** The longest time to connect. It continues when its statement gives up, so that the next statement can use the connection. */
const MAX_CONNECT_MS = 5000;

/**
 * A pool whose statements all end within a deadline, even if the network fails: a late one is cancelled at
 * the server, fails with a DeadlineError, and its connection is never used again. Nothing depends on the state of a
 * session (startup parameters, SET) but the time zone, which PgBouncer keeps, so it can be used.
 */
export function openConnections(options: Options): Connections {
  const { statementMs = DEADLINES.statement, connectMs = MAX_CONNECT_MS, idleTransactionMs = 15_000 } = options;
  let maxMs = Number.POSITIVE_INFINITY;
  const ownPatienceMs = () => Math.max(connectMs, Math.min(currentDeadline(connectMs), MAX_CONNECT_MS));
  const patienceMs = () => Math.min(maxMs, sharedLeftMs() ?? ownPatienceMs());
  const limits = callersLimits({
    deadlineMs: (client) => Math.min(maxMs, currentDeadline(statementMs, pool.waitedMs(client))),
    idleTransactionMs,
    onMute: () => dropIdle(),
  });
  const { Client, clients } = trackClients(limits);
  const settings = {
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: Math.max(connectMs, MAX_CONNECT_MS),
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 3000,
    Client,
  };
  const pool = new WaitingPool(settings, patienceMs);
  const dropIdle = trackIdle(pool);
  // A connection that breaks while idle is replaced when the next one is needed.
  pool.on('error', () => {});
  const hurry = () => {
    if (maxMs === HURRY_MS) return;
    maxMs = HURRY_MS;
    for (const client of clients) client.endWithin(HURRY_MS);
  };
  const close = async () => {
    hurry();
    await within(CLOSE_MS, pool.ending ? Promise.resolve() : pool.end(), () => {});
    // A connection that should end may be dead and never answer.
    for (const client of clients) setTimeout(() => client.destroy(), GOODBYE_MS).unref();
  };
  return { pool, hurry, close };
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
  const [one, other] = [openConnections(settings), openConnections(settings)];
  try {
    const client = await one.pool.connect();
    try {
      if (await isDirect(client)) return false;
      const pid = await backendOf(client);
      for (let round = 0; round < ROUNDS; round += 1) {
        if ((await backendOf(other.pool)) === pid || (await backendOf(client)) !== pid) return true;
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
