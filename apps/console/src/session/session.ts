import { createStore, useStore } from './store.ts';

/** Who is signed in. `ended` says why nobody is any more; null after a sign-out, and before the first sign-in. */
export type Session = { apiKey: string | null; ended: string | null };

const KEY = 'pts.api-key';

/** The key is kept for the tab alone: never in an address, a cookie, or storage that outlives the tab. */
export const session = createStore<Session>({ apiKey: sessionStorage.getItem(KEY), ended: null });

export function signIn(apiKey: string): void {
  sessionStorage.setItem(KEY, apiKey);
  session.set({ apiKey, ended: null });
}

/** @param why shown on the sign-in page: the service's own words. */
export function signOut(why: string | null = null): void {
  sessionStorage.removeItem(KEY);
  session.set({ apiKey: null, ended: why });
}

/** Whether the session has a test key; its prefix says so. */
export function useIsTest(): boolean {
  return useStore(session).apiKey?.startsWith('tk_test_') ?? false;
}
