import type { Trace } from './trace.ts';

/** What a receiver made of a push. Every outcome is a value: a throw would be a fault of ours. */
export type Sent =
  | { kind: 'answered'; status: number; durationMs: number; excerpt: string; retryAfter: string | null; trace: Trace }
  | { kind: 'no_answer'; durationMs: number; reason: string; trace: Trace };
