import type pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { DeadlineError } from './deadline.ts';

/** A statement that waits for its answer. */
export type Running = {
  /** Brings its deadline forward to so many milliseconds from now. */
  endWithin(ms: number): void;
};

type Limits = {
  /** For the answer to a statement that is sent now. */
  deadlineMs(): number;
  /** The server ends a transaction of which it hears nothing for so long: its client may have gone without a word. */
  idleTransactionMs: number;
};

type Done = (error: Error | null, result?: unknown) => void;
type Statement = { text: string; values?: unknown[]; name?: string | undefined };

/** The server has so long to say that it has cancelled a late statement. */
const CANCEL_MS = 1000;

/**
 * Has every statement of a connection end within its deadline. What is sent needs no session: no statement is named, and
 * what a transaction sets ends with it.
 */
export function guard(client: pg.PoolClient, running: Set<Running>, limits: Limits): void {
  const send = client.query.bind(client) as unknown as (statement: Statement, done: Done) => void;
  const submit = (statement: Statement, done: Done) => {
    const ms = limits.deadlineMs();
    const text = statement.text === 'BEGIN' ? begin(ms, limits.idleTransactionMs) : statement.text;
    const answered = watch(client, ms, running);
    // A named statement lives in one session, and PgBouncer may send the next one elsewhere.
    send({ ...statement, text, name: undefined }, (error, result) => {
      const late = answered();
      if (late) setImmediate(() => done(late));
      else done(error, result);
    });
  };
  const query = (given: string | Statement, values?: unknown[] | Done, callback?: Done) => {
    const statement = {
      ...(typeof given === 'string' ? { text: given } : given),
      ...(Array.isArray(values) ? { values } : {}),
    };
    const done = typeof values === 'function' ? values : callback;
    if (done) return submit(statement, done);
    return new Promise((resolve, reject) => {
      submit(statement, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
  client.query = query as unknown as typeof client.query;
}

/** Sent as one message. The limits are the server's own, for when nothing of ours reaches it any more. */
function begin(ms: number, idleMs: number): string {
  return `BEGIN; SET LOCAL statement_timeout = ${ms + 2 * CANCEL_MS}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
}

/**
 * Starts a statement's deadline.
 * @returns what ends it when the answer is there; it says what to fail with when that was too late.
 */
function watch(client: pg.PoolClient, ms: number, running: Set<Running>): () => DeadlineError | null {
  let late: DeadlineError | null = null;
  const expire = () => {
    late = new DeadlineError(ms);
    cancelStatement(client, CANCEL_MS);
    timer = setTimeout(abandon, CANCEL_MS);
  };
  // Never used again: the cancellation may be under way still, and would hit what came next.
  const abandon = () => client.connection.stream.destroy(late ?? undefined);
  const startedAt = Date.now();
  let timer = setTimeout(expire, ms);
  const entry: Running = {
    endWithin: (soon) => {
      if (late || startedAt + ms - Date.now() <= soon) return;
      clearTimeout(timer);
      timer = setTimeout(expire, soon);
    },
  };
  running.add(entry);
  return () => {
    clearTimeout(timer);
    running.delete(entry);
    if (late) abandon();
    return late;
  };
}
