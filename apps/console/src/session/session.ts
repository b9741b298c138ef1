import { isUnauthorized } from '@pts/client/errors';
import { tab } from './kept.ts';
import { createStore, useStore } from './store.ts';

/** Who is signed in. `ended` says why nobody is any more; null after a sign-out, and before the first sign-in. */
export type Session = { apiKey: string | null; ended: string | null };

const KEY = 'pts.api-key';
/** While the tab is in test mode: the key that it came from. */
const LIVE_KEY = 'pts.live-key';

/** The texts that a header can carry. The portal shares the key of the tab, and keeps whatever was typed there. */
const SENDABLE = /^[!-~]+$/;

/** The key is kept for the tab alone: never in an address, a cookie, or storage that outlives the tab. */
export const session = createStore<Session>({ apiKey: keptKey(), ended: null });

let ending = new AbortController();

/**
 * Aborts when the present session ends, also by going on with another key: nothing is sent with its key from then on.
 */
export function endOfSession(): AbortSignal {
  return ending.signal;
}

function change(next: Session): void {
  ending.abort();
  ending = new AbortController();
  session.set(next);
}

function keptKey(): string | null {
  const kept = tab.getItem(KEY);
  return kept !== null && SENDABLE.test(kept) ? kept : null;
}

export function signIn(apiKey: string): void {
  tab.setItem(KEY, apiKey);
  change({ apiKey, ended: null });
}

/** @param why shown on the sign-in page: the service's own words. */
export function signOut(why: string | null = null): void {
  for (const name of [KEY, LIVE_KEY]) tab.removeItem(name);
  change({ apiKey: null, ended: why });
}

/**
 * Ends a session whose key the service refuses. One that has ended already is left alone: the next one may have begun.
 * @returns whether it did
 */
export function endIfRefused(error: unknown, ended: AbortSignal): boolean {
  if (!isUnauthorized(error) || ended.aborted) return false;
  signOut(error.message);
  return true;
}

/** Goes on with a test key. The live key stays in the tab, to come back. */
export function enterTestMode(testKey: string): void {
  const { apiKey } = session.get();
  if (apiKey !== null) tab.setItem(LIVE_KEY, apiKey);
  signIn(testKey);
}

/** How to come back from test mode; null: the tab was not live before. */
export function wayBackToLive(): (() => void) | null {
  const liveKey = tab.getItem(LIVE_KEY);
  if (liveKey === null) return null;
  return () => {
    tab.removeItem(LIVE_KEY);
    signIn(liveKey);
  };
}

/** Whether the session has a test key; its prefix says so. */
export function useIsTest(): boolean {
  return useStore(session).apiKey?.startsWith('tk_test_') ?? false;
}
