import { isUnauthorized } from '@pts/client/errors';
import { SERVICE_URL } from './connection.ts';
import { tab } from './kept.ts';
import { createStore, useStore } from './store.ts';

/** Who is signed in. `ended` says why nobody is any more; null after a sign-out, and before the first sign-in. */
export type Session = { apiKey: string | null; ended: string | null };

const KEY = 'pts.api-key';
/** While the tab is in test mode: the key that it came from. */
const LIVE_KEY = 'pts.live-key';

/** The texts that a header can carry. The portal shares the key of the tab, and keeps whatever was typed there. */
const SENDABLE = /^[!-~]+$/;

/**
 * The session is that of the browser as long as it has a tab of the console: a new tab gets the key from one that is
 * signed in, and a sign-out ends all. Each keeps it for itself: never in an address, a cookie, or storage that outlives
 * the tabs.
 */
export const session = createStore<Session>({ apiKey: keptKey(), ended: null });

/** A message between tabs. Only pages of this origin are heard. */
type Told = { kind: 'asks' } | { kind: 'has'; keys: Keys } | { kind: 'ended' };
type Keys = { apiKey: string; liveKey: string | null };

const tabs = new BroadcastChannel('pts.session');
const tell = (told: Told) => tabs.postMessage(told);

/** Where no other tab answers, the sign-in page follows after this long. */
const ANSWERED_MS = 150;

tabs.addEventListener('message', ({ data: told }: MessageEvent<Told>) => {
  const { apiKey } = session.get();
  if (told.kind === 'asks' && apiKey !== null) tell({ kind: 'has', keys: { apiKey, liveKey: tab.getItem(LIVE_KEY) } });
  if (told.kind === 'has' && apiKey === null) take(told.keys);
  if (told.kind === 'ended' && apiKey !== null) endSession(null);
});

/** Resolves when a tab that is signed in has given its key to this one, or none has answered. */
export function takeOver(): Promise<void> {
  if (session.get().apiKey !== null) return Promise.resolve();
  tell({ kind: 'asks' });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ANSWERED_MS);
    session.subscribe(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

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

/** Signs this tab in, and those that wait at the sign-in page. */
export function signIn(apiKey: string): void {
  take({ apiKey, liveKey: tab.getItem(LIVE_KEY) });
  tell({ kind: 'has', keys: { apiKey, liveKey: tab.getItem(LIVE_KEY) } });
}

function take({ apiKey, liveKey }: Keys): void {
  tab.setItem(KEY, apiKey);
  if (liveKey !== null) tab.setItem(LIVE_KEY, liveKey);
  change({ apiKey, ended: null });
}

/** The token of a person's session begins so; it ends with the sign-out, and a key does not. */
const SESSION_TOKEN = /^tk_session_/;

/** Signs all tabs out. */
export function signOut(): void {
  for (const name of [KEY, LIVE_KEY]) {
    const token = tab.getItem(name) ?? '';
    const headers = { 'X-API-Key': token };
    // One that does not arrive ends by itself, in some hours.
    if (SESSION_TOKEN.test(token))
      void fetch(`${SERVICE_URL}/session`, { method: 'DELETE', headers, keepalive: true }).catch(() => {});
  }
  endSession(null);
  tell({ kind: 'ended' });
}

/** @param why shown on the sign-in page: the service's own words. */
export function endSession(why: string | null): void {
  for (const name of [KEY, LIVE_KEY]) tab.removeItem(name);
  change({ apiKey: null, ended: why });
}

/**
 * Ends a session whose key the service refuses. One that has ended already is left alone: the next one may have begun.
 * @returns whether it did
 */
export function endIfRefused(error: unknown, ended: AbortSignal): boolean {
  if (!isUnauthorized(error) || ended.aborted) return false;
  endSession(error.message);
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
