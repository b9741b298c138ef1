import type pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { CONFIRM_MS, countWait, DeadlineError, LEAST_MS, lateError } from './deadline.ts';

/** A statement that waits for its answer. */
export type Running = {
  /** Shortens its deadline to this many milliseconds from now. */
  endWithin(ms: number): void;
};

type Limits = {
  /** For the answer to a statement that is sent now. */
  deadlineMs(): number;
  /** The server ends an idle transaction after this time: its client may have disappeared. */
  idleTransactionMs: number;
  /** Called if the server does not confirm the end of a late statement either. */
  onMute(): void;
};

type Done = (error: Error | null, result?: unknown) => void;
type Statement = { text: string; values?: unknown[]; name?: string | undefined };

/** Time for the cancellation of a late statement to reach the server. */
const CANCEL_MS = 1000;
/** A transaction is ended even if its deadline is over. */
const ENDS = /^(COMMIT|ROLLBACK)/;

/**
 * Gives every statement of a connection a deadline. Nothing depends on the session: transaction settings end with the
 * transaction, and only hot statements are named, where the session is known to stay (`createHot`).
 */
export function guard(client: pg.PoolClient, running: Set<Running>, limits: Limits): void {
  const send = client.query.bind(client) as unknown as (statement: Statement, done: Done) => void;
  const submit = (statement: Statement, done: Done) => {
    const isEnd = ENDS.test(statement.text);
    const refusal = isEnd ? null : lateError();
    if (refusal) return void setImmediate(() => done(refusal));
    const ms = isEnd ? Math.max(LEAST_MS, limits.deadlineMs()) : limits.deadlineMs();
    const waited = countWait();
    const text = statement.text === 'BEGIN' ? begin(ms, limits.idleTransactionMs) : statement.text;
    const answered = watch(client, ms, running, limits.onMute);
    send({ ...statement, text }, (error, result) => {
      waited();
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

/** Sent as one message. The server enforces these limits itself if it can no longer be reached. */
function begin(ms: number, idleMs: number): string {
  return `BEGIN; SET LOCAL statement_timeout = ${ms + 2 * CANCEL_MS}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
}

/**
 * Starts a statement's deadline.
 * @returns a function that ends the deadline; it returns the error to fail with if the answer was late.
 */
function watch(
  client: pg.PoolClient,
  ms: number,
  running: Set<Running>,
  onMute: () => void,
): () => DeadlineError | null {
  let late: DeadlineError | null = null;
  const expire = () => {
    late = new DeadlineError(ms);
    cancelStatement(client, CANCEL_MS);
    timer = setTimeout(() => {
      abandon();
      onMute();
    }, CONFIRM_MS);
  };
  // Never used again: a cancellation that is still in flight would hit the next statement.
  const abandon = () => client.connection.stream.destroy(late ?? undefined);
  const startedAt = performance.now();
  let timer = setTimeout(expire, ms);
  const entry: Running = {
    endWithin: (soon) => {
      if (late || startedAt + ms - performance.now() <= soon) return;
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
