import { isCursorOutdated, isUnauthorized } from '@pts/client/errors';
import type { EmittedEvent } from '@pts/client/types';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../session/client.tsx';
import { signOut } from '../session/session.ts';
import { createStore } from '../session/store.ts';
import { applyEvent } from './shipments.ts';

const POLL_MS = 3_000;
const RETRY_MS = 10_000;
const PAGE = 200;

/** `changed`: the parcels with news since the lists were read. */
export type Feed = { isLive: boolean; changed: ReadonlySet<string> };

const NOTHING: Feed = { isLive: false, changed: new Set() };

export const feed = createStore<Feed>(NOTHING);

/** The lists are about to be read again: from now on, news is counted anew. */
export function forgetChanges(): void {
  feed.set({ ...feed.get(), changed: new Set() });
}

/** Follows the events of the account while the tab is shown, from now on. */
export function useFeed(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    void follow();
    return () => {
      ending.abort();
      feed.set(NOTHING);
    };

    async function follow() {
      let after = 'latest';
      while (!signal.aborted) {
        try {
          const page = await client.events.list({ after, limit: PAGE }, { signal });
          after = page.next_cursor;
          receive(queries, page.events);
          if (!page.has_more) await pause(POLL_MS, signal);
        } catch (error) {
          if (signal.aborted) return;
          if (isUnauthorized(error)) return signOut(error.message);
          if (isCursorOutdated(error) && error.nextCursor !== null) after = error.nextCursor;
          feed.set({ ...feed.get(), isLive: false });
          await pause(RETRY_MS, signal);
        }
      }
    }
  }, [client, queries]);
}

function receive(queries: QueryClient, events: readonly EmittedEvent[]): void {
  const known = feed.get();
  if (events.length === 0) {
    if (!known.isLive) feed.set({ ...known, isLive: true });
    return;
  }
  for (const event of events) applyEvent(queries, event);
  const ids = new Set(events.map(({ data }) => data.id));
  void queries.invalidateQueries({ queryKey: ['newest'] });
  for (const id of ids) void queries.invalidateQueries({ queryKey: ['tracking', id] });
  feed.set({
    isLive: true,
    changed: new Set([...known.changed, ...ids]),
  });
}

/** Waits, and then until the tab is shown. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(() => {
      document.addEventListener('visibilitychange', end);
      end();
    }, ms);
    signal.addEventListener('abort', end);
  });
}
