import type { Push } from '../ledger/facts.ts';

/** How an endpoint responds to pushes. */
export type Manner = 'accept' | 'error' | 'reset' | 'hang';

export type ToReceiver = { path: string; secret?: string; manner?: Manner };
export type FromReceiver = { port: number } | { push: Push };
