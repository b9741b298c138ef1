import type { Trace } from './trace.ts';

/** The outcome of a push. Every outcome is a value: a throw is an internal error. */
export type Sent =
  | { kind: 'answered'; status: number; durationMs: number; excerpt: string; retryAfter: string | null; trace: Trace }
  | ({ kind: 'no_answer'; durationMs: number; trace: Trace } & NoAnswer);

/** Why there was no response: `reason` for the owner of the receiver, `detail` for the operator's log. */
export type NoAnswer = {
  cause: Cause;
  reason: string;
  /** What `reason` does not say because it names addresses inside the network; null if there is no more to say. */
  detail: string | null;
};

/** The kind of reason. */
export type Cause = 'timeout' | 'blocked' | 'refused' | 'dns' | 'tls' | 'connection';
