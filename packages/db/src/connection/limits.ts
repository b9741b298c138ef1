import { CANCEL_MS, type DeadlineClient, type Limits } from '@pts/postgres/client';
import { countWait, lateError, MIN_MS } from './deadline.ts';

type Options = {
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
export function callersLimits({ deadlineMs, idleTransactionMs, onMute }: Options): Limits {
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
