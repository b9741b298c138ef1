import { createHash } from 'node:crypto';
import type { Scan } from './scan.ts';

/**
 * Why a provider gave no answer about a number. The first three concern the number alone, the others the provider:
 * they pause all of its checks and never count against a parcel.
 */
export const FAILURES = {
  invalid_number: 'number',
  needs_input: 'number',
  unreadable: 'number',
  auth: 'provider',
  quota: 'provider',
  rate_limited: 'provider',
  transient: 'provider',
} as const;
export type Failure = keyof typeof FAILURES;

/** What a provider says of one number: found with its whole history, not known yet, or a classified failure. */
export type Answer =
  | { kind: 'found'; scans: Scan[] }
  | { kind: 'not_found' }
  | { kind: 'failed'; failure: Failure; message: string; retryAfterSeconds?: number };

/** Whether a failure says something about the provider as a whole rather than about one number. */
export function concernsProvider(failure: Failure): boolean {
  return FAILURES[failure] === 'provider';
}

/**
 * A short digest of an answer: equal digests mean that nothing a merchant can see has changed. It travels in the
 * check's job, so that an unchanged answer costs no database access. Order of the scans does not matter.
 */
export function fingerprint(answer: Exclude<Answer, { kind: 'failed' }>): string {
  if (answer.kind === 'not_found') return 'not-found';
  const lines = answer.scans.map((s) => JSON.stringify([s.time, s.status, s.location, s.description])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 22);
}
