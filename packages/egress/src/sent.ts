import type { Trace } from './trace.ts';

/** The outcome of a push. Every outcome is a value: a throw is an internal error. */
export type Sent =
  | { kind: 'answered'; status: number; durationMs: number; excerpt: string; retryAfter: string | null; trace: Trace }
  | { kind: 'no_answer'; durationMs: number; cause: Cause; reason: string; trace: Trace };

/** Why there was no response. */
export type Cause = 'timeout' | 'blocked' | 'refused' | 'dns' | 'tls' | 'connection';
