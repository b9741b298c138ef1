import pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { DeadlineError } from './deadline-error.ts';

/** A statement as it is sent, and until when. */
export type Sending = {
  text: string;
  /** For the answer, in milliseconds. */
  deadlineMs: number;
  /** Called once it has ended, before its caller hears of it. */
  ended?: () => void;
};

/** What a client asks about its statements. */
export type Limits = {
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
export const CONFIRM_MS = 150;
/** Time for the cancellation of a late statement to reach the server. */
export const CANCEL_MS = 1000;

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
