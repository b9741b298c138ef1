import { createHmac } from 'node:crypto';
import type { CarrierAnswer } from './answer.ts';
import { type Snapshot, undoesArrival } from './change.ts';
import { newestTime } from './scan.ts';

/** A callback's word on later ones: more will follow, the provider has finished, or it has given up. */
const CALLBACK_WATCHES = ['going_on', 'ended', 'aborted'] as const;
export type CallbackWatch = (typeof CALLBACK_WATCHES)[number];

/**
 * The state of a subscription: it is wanted, the provider sends callbacks, it has finished, it does not accept the
 * number, or nobody watches the number and it is being released or was. Only an active one has callbacks; in every
 * other state the parcel is polled.
 */
const SUBSCRIPTION_STATES = ['wanted', 'active', 'ended', 'refused', 'releasing', 'released'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** Seconds between checks of a parcel whose news is pushed. */
export const SAFETY_NET_SECONDS = 21_600;
/** A failed subscription is retried after this, doubled after each further failure. */
const FIRST_RETRY_SECONDS = 300;
export const LONGEST_RETRY_SECONDS = 86_400;

/** When to try again to subscribe. @param failures how often it has failed in a row, this time included. */
export function subscribeAgainAt(failures: number, now: Date): Date {
  const seconds = Math.min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(20, Math.max(0, failures - 1)));
  return new Date(now.getTime() + seconds * 1000);
}

/**
 * Whether the history of a callback must be confirmed by a check before it is folded in: its newest scan is older than
 * the newest known one, or it undoes a delivery or a return without a newer scan. Callbacks are repeated, and so may
 * arrive out of order; an old one must not undo a later one.
 * @param after the snapshot if it were folded in.
 */
export function isDoubtfulCallback(
  before: Pick<Snapshot, 'scans' | 'subStatus'>,
  answer: CarrierAnswer,
  after: Pick<Snapshot, 'scans' | 'subStatus'>,
): boolean {
  const known = newestTime(before.scans);
  if (answer.kind !== 'found' || known === '') return false;
  if (newestTime(answer.scans) < known) return true;
  return undoesArrival(before, after);
}

/** The minimum length of the secret from which everything here is derived. */
export const MIN_CALLBACK_SECRET = 32;

/** The last part of the address that a provider sends callbacks to: 43 characters that are safe in a URL. */
export function callbackToken(secret: string, provider: string): string {
  return derive(secret, `token:${provider}`).toString('base64url');
}

/** The secret for the signatures of a provider that lets us choose it: 32 hexadecimal characters. */
export function callbackSalt(secret: string, provider: string): string {
  return derive(secret, `salt:${provider}`).toString('hex').slice(0, 32);
}

function derive(secret: string, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest();
}
